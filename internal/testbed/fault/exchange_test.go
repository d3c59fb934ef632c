package fault

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A dry run asks for a change and commits none; a JSON patch has its precondition among its operations.
func TestExchangeOfWrites(t *testing.T) {
	t.Parallel()
	const path = "/apis/core.gardener.cloud/v1beta1/namespaces/garden/shoots/blue"
	for name, test := range map[string]struct {
		query, body, uid, version string
		commits                   bool
	}{
		"merge patch":            {body: `{"metadata":{"uid":"u"}}`, uid: "u", commits: true},
		"merge patch, a dry run": {query: "?dryRun=All", body: `{"metadata":{"uid":"u"}}`, uid: "u"},
		"JSON patch": {
			body: `[{"op":"replace","path":"/metadata/managedFields","value":[]},{"op":"replace","path":"/metadata/resourceVersion","value":"7"},` +
				`{"op":"test","path":"/metadata/uid","value":"u"}]`,
			uid: "u", version: "7", commits: true,
		},
		"nothing of the kind": {body: `"text"`, commits: true},
	} {
		x := newExchange(httptest.NewRequest(http.MethodPatch, path+test.query, http.NoBody))
		x.fill([]byte(test.body))
		x.Code = http.StatusOK
		if x.UID != test.uid || x.Version != test.version || !x.Writes() || x.Committed() != test.commits {
			t.Errorf("%s: %+v", name, x)
		}
	}
}
