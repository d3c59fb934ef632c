package apiserver_test

// fact is something that a Kubernetes API server does. Steps are requests of one namespace, such as "PATCH clusters/a/status {…}"; $uid.a,
// $rv.a and $first.a in them are the uid, the last version and the first version of an object as it was answered. want is the status and
// the reason of the last answer.
type fact struct {
	says  string
	steps []string
	want  string
}

const (
	makeA    = `POST clusters {"metadata":{"name":"a"},"spec":{"profile":"p","tenancy":"Shared","purposes":["x"]}}`
	makeHeld = `POST clusters {"metadata":{"name":"a","finalizers":["x.io/one","x.io/two"]},"spec":{"profile":"p","tenancy":"Shared"}}`
	askA     = `POST clusterrequests {"metadata":{"name":"a"},"spec":{"purpose":"x"}}`
	readA    = `GET clusters/a`
)

var facts = []fact{
	{"an object gets a uid, a version, a generation and its time", []string{makeA}, "201"},
	{"the status of a new object is dropped", []string{
		`POST clusters {"metadata":{"name":"a"},"spec":{"profile":"p","tenancy":"Shared"},"status":{"phase":"Ready"}}`}, "201"},
	{"what the server decides is not taken from a new object", []string{
		`POST clusters {"metadata":{"name":"a","uid":"mine","generation":7,"creationTimestamp":"2001-01-01T00:00:00Z",` +
			`"deletionTimestamp":"2001-01-01T00:00:00Z"},"spec":{"profile":"p","tenancy":"Shared"}}`}, "201"},
	{"a new object may have finalizers", []string{makeHeld}, "201"},
	{"a name is made of generateName", []string{
		`POST clusters {"metadata":{"generateName":"made-"},"spec":{"profile":"p","tenancy":"Shared"}}`}, "201"},
	{"an object needs a name", []string{`POST clusters {"metadata":{},"spec":{"profile":"p","tenancy":"Shared"}}`}, "422 Invalid"},
	{"a name is taken once", []string{makeA, makeA}, "409 AlreadyExists"},
	{"a name is taken while its object is being deleted", []string{makeHeld, `DELETE clusters/a`, makeA}, "409 AlreadyExists"},
	{"the namespace of an object is that of its path", []string{
		`POST clusters {"metadata":{"name":"a","namespace":"other"},"spec":{"profile":"p","tenancy":"Shared"}}`}, "400 BadRequest"},
	{"a name is free again after a deletion, and the uid is another", []string{makeA, `DELETE clusters/a`, makeA}, "201"},
	{"an object is read as it was written", []string{makeA, readA}, "200"},
	{"what is not there is not found", []string{`GET clusters/none`}, "404 NotFound"},
	{"a path that no resource has is not found, without a Status", []string{`GET nothings`}, "404"},

	{"a list has all objects in the order of their names", []string{
		`POST clusters {"metadata":{"name":"b","labels":{"k":"1"}},"spec":{"profile":"p","tenancy":"Shared"}}`, makeA, `GET clusters`}, "200"},
	{"a list may choose by labels", []string{
		`POST clusters {"metadata":{"name":"b","labels":{"k":"1"}},"spec":{"profile":"p","tenancy":"Shared"}}`, makeA,
		`GET clusters?labelSelector=k%3D1`}, "200"},
	{"an empty list is a list", []string{`GET clusters`}, "200"},

	{"a merge patch changes the fields that it names", []string{makeA,
		`PATCH clusters/a {"metadata":{"labels":{"k":"1"},"annotations":{"n":"2"}}}`}, "200"},
	{"null takes a field away", []string{makeA, `PATCH clusters/a {"metadata":{"labels":{"k":"1","l":"2"}}}`,
		`PATCH clusters/a {"metadata":{"labels":{"k":null}}}`}, "200"},
	{"null for what is not there does nothing", []string{makeA, `PATCH clusters/a {"metadata":{"annotations":{"none":null}}}`}, "200"},
	{"the last label takes the labels with it", []string{makeA, `PATCH clusters/a {"metadata":{"labels":{"k":"1"}}}`,
		`PATCH clusters/a {"metadata":{"labels":{"k":null}}}`}, "200"},
	{"a list is replaced as a whole", []string{makeHeld, `PATCH clusters/a {"metadata":{"finalizers":["x.io/three"]}}`}, "200"},
	{"a patch that changes nothing makes no version", []string{makeA, `PATCH clusters/a {"spec":{"tenancy":"Shared"}}`, readA}, "200"},
	{"a change of the spec makes a generation", []string{makeA, `PATCH clusters/a {"spec":{"purposes":["x","y"]}}`}, "200"},
	{"a change of the metadata makes none", []string{makeA, `PATCH clusters/a {"metadata":{"labels":{"k":"1"}}}`, readA}, "200"},
	{"a patch of an object leaves its status", []string{makeA, `PATCH clusters/a {"status":{"phase":"Ready"},"metadata":{"labels":{"k":"1"}}}`},
		"200"},
	{"a patch of a status leaves all else", []string{makeA,
		`PATCH clusters/a/status {"metadata":{"labels":{"k":"1"}},"spec":{"purposes":["z"]},"status":{"phase":"Ready","observedGeneration":1}}`},
		"200"},
	{"a patch of what is not there is not found", []string{`PATCH clusters/none {"metadata":{"labels":{"k":"1"}}}`}, "404 NotFound"},
	{"a patch may name the version that was judged", []string{makeA,
		`PATCH clusters/a {"metadata":{"resourceVersion":"$rv.a","uid":"$uid.a","labels":{"k":"1"}}}`}, "200"},
	{"a patch of an older version is a conflict", []string{makeA, `PATCH clusters/a {"metadata":{"labels":{"k":"1"}}}`,
		`PATCH clusters/a {"metadata":{"resourceVersion":"$first.a","uid":"$uid.a","labels":{"k":"2"}}}`}, "409 Conflict"},
	{"a patch of an older version that would change nothing is a conflict, too", []string{makeA,
		`PATCH clusters/a {"metadata":{"labels":{"k":"1"}}}`, `PATCH clusters/a {"metadata":{"resourceVersion":"$first.a"}}`}, "409 Conflict"},
	{"a patch of a status by an older version is a conflict", []string{makeA, `PATCH clusters/a {"metadata":{"labels":{"k":"1"}}}`,
		`PATCH clusters/a/status {"metadata":{"resourceVersion":"$first.a"},"status":{"phase":"Ready","observedGeneration":1}}`}, "409 Conflict"},
	{"a patch of another uid is invalid", []string{makeA,
		`PATCH clusters/a {"metadata":{"uid":"00000000-0000-0000-0000-000000000000","labels":{"k":"1"}}}`}, "422 Invalid"},
	{"a patch of an object that was made anew is a conflict by its version", []string{makeA,
		`DELETE clusters/a`, makeA,
		`PATCH clusters/a {"metadata":{"resourceVersion":"$before.a","labels":{"k":"1"}}}`}, "409 Conflict"},
	{"a patch of a status does not heed the uid", []string{makeA,
		`PATCH clusters/a/status {"metadata":{"uid":"00000000-0000-0000-0000-000000000000"},"status":{"phase":"Ready","observedGeneration":1}}`},
		"200"},
	{"a name does not change", []string{makeA, `PATCH clusters/a {"metadata":{"name":"b"}}`}, "400 BadRequest"},
	{"a patch of another type is not understood", []string{makeA, `TEXT clusters/a {}`}, "415 UnsupportedMediaType"},

	{"what must not change is invalid", []string{askA, `PATCH clusterrequests/a {"spec":{"purpose":"y"}}`}, "422 Invalid"},
	{"a part of the spec that must not change is invalid", []string{makeA, `PATCH clusters/a {"spec":{"profile":"q"}}`}, "422 Invalid"},
	{"the Cluster of a request is written once", []string{askA,
		`PATCH clusterrequests/a/status {"status":{"phase":"Granted","observedGeneration":1,"cluster":{"namespace":"n","name":"c"}}}`,
		`PATCH clusterrequests/a/status {"status":{"cluster":{"name":"d"}}}`}, "422 Invalid"},
	{"the Cluster of a request is not taken away", []string{askA,
		`PATCH clusterrequests/a/status {"status":{"phase":"Granted","observedGeneration":1,"cluster":{"namespace":"n","name":"c"}}}`,
		`PATCH clusterrequests/a/status {"status":{"cluster":null}}`}, "422 Invalid"},

	{"an object without finalizers is gone at once", []string{makeA, `DELETE clusters/a`}, "200"},
	{"an object with finalizers stays", []string{makeHeld, `DELETE clusters/a`}, "200"},
	{"a deletion of what is being deleted changes nothing", []string{makeHeld, `DELETE clusters/a`, `DELETE clusters/a`, readA}, "200"},
	{"a deletion of what is not there is not found", []string{`DELETE clusters/none`}, "404 NotFound"},
	{"a deletion may name the version that was judged", []string{makeA,
		`DELETE clusters/a {"preconditions":{"uid":"$uid.a","resourceVersion":"$rv.a"}}`}, "200"},
	{"a deletion of an older version is a conflict", []string{makeA, `PATCH clusters/a {"metadata":{"labels":{"k":"1"}}}`,
		`DELETE clusters/a {"preconditions":{"uid":"$uid.a","resourceVersion":"$first.a"}}`}, "409 Conflict"},
	{"a deletion of another uid is a conflict", []string{makeA,
		`DELETE clusters/a {"preconditions":{"uid":"00000000-0000-0000-0000-000000000000"}}`}, "409 Conflict"},
	{"a deletion of an older version of what is being deleted is a conflict", []string{makeHeld, `DELETE clusters/a`,
		`DELETE clusters/a {"preconditions":{"resourceVersion":"$first.a"}}`}, "409 Conflict"},
	{"the last finalizer lets an object go", []string{makeHeld, `DELETE clusters/a`, `PATCH clusters/a {"metadata":{"finalizers":["x.io/two"]}}`,
		`PATCH clusters/a {"metadata":{"finalizers":[]}}`, readA}, "404 NotFound"},
	{"the answer to the last finalizer is the object", []string{makeHeld, `DELETE clusters/a`,
		`PATCH clusters/a {"metadata":{"finalizers":null}}`}, "200"},
	{"the last finalizer of a living object lets it live", []string{makeHeld, `PATCH clusters/a {"metadata":{"finalizers":[]}}`, readA}, "200"},
	{"what is being deleted gets no new finalizer", []string{makeHeld, `DELETE clusters/a`,
		`PATCH clusters/a {"metadata":{"finalizers":["x.io/one","x.io/two","x.io/three"]}}`}, "422 Invalid"},
	{"what is being deleted can change otherwise", []string{makeHeld, `DELETE clusters/a`,
		`PATCH clusters/a {"metadata":{"annotations":{"n":"1"}},"spec":{"purposes":["z"]}}`}, "200"},
	{"a deletion is not taken back", []string{makeHeld, `DELETE clusters/a`, `PATCH clusters/a {"metadata":{"deletionTimestamp":null}}`}, "200"},
}
