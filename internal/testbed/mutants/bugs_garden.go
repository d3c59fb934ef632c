package main

// answers, and labels, are tests of the package garden that need no server.
var (
	gardenAnswers = Tests{Package: "internal/garden", Run: "^(TestAnswersToAWrite|TestNotEvery404IsAGoneAccount)$"}
	gardenLabels  = Tests{Package: "internal/garden", Run: "^(TestLabelsOfAnAccount|TestMergePatch|TestNoPatchWithoutPrecondition)$"}
	gardenReads   = Tests{Package: "internal/garden", Run: "^TestReads"}
	kubeSettings  = Tests{Package: "internal/kube", Run: "^(TestResolve|TestProblems|TestNothingPrintsSecrets|TestSecondConnection)"}
	kubeRequests  = Tests{Package: "internal/kube", Run: "^(TestReasons|TestBounded|TestListEndsWhereAPageRepeats|TestRetryAfterHasABound)$"}
	gardenLists   = Tests{Package: "internal/garden", Run: "^(TestCount|TestListIsWholeOrNotAtAll)$"}
)

// gardenMutants are bugs in the way to the Gardener API, in garden and in kube below it.
var gardenMutants = []Mutant{
	{
		Name: "no-version", What: "A write no longer names the version that was judged.",
		File: "internal/garden/labels.go", Tests: gardenLabels,
		Old: `{"uid": judged.UID, "resourceVersion": judged.Version}`, New: `{"uid": judged.UID}`,
	},
	{
		Name: "no-uid", What: "A write no longer names the object that was judged.",
		File: "internal/garden/labels.go", Tests: gardenLabels,
		Old: `{"uid": judged.UID, "resourceVersion": judged.Version}`, New: `{"resourceVersion": judged.Version}`,
	},
	{
		Name: "deletion-not-read", What: "A Shoot that is being deleted looks like one that lives: a destroy is refused instead of waiting.",
		File: "internal/garden/shootscan.go", Tests: Tests{Package: "internal/garden", Run: "^TestScan(ReadsWhat|SkipsWhat)"},
		Old: `	case objectMetaDeletion:
`, New: `	case -objectMetaDeletion:
`,
	},
	{
		Name: "free-under-the-other-kind", What: "An account whose clusters name the binding of the other kind is free for another tenant.",
		File: "internal/pool/twins.go", Acceptance: true,
		Tests: Tests{Package: "internal/garden", Run: "^TestShootsOfTheOtherKindKeepAnAccountFromBeingFree$"},
		Old:   `if !known || len(s.list.doubled) == 0`, New: `if known || len(s.list.doubled) == 0`,
	},
	{
		Name: "empty-precondition", What: "A write goes out although the UID or the version is missing.",
		File: "internal/garden/labels.go", Tests: gardenLabels,
		Old: `judged.UID == "" || judged.Version == ""`, New: `judged.UID == "" && judged.Version == ""`,
	},
	{
		Name: "empty-tenant", What: "A returned account keeps an empty tenant label, which hides it from KEB for ever.",
		File: "internal/garden/labels.go", Tests: gardenLabels,
		Old: `= orNull(*change.Tenant)`, New: `= *change.Tenant`,
	},
	{
		Name: "fence-not-read", What: "The fence of a release is not read from the label: the account looks clean.",
		File: "internal/garden/labels.go", Tests: gardenLabels,
		Old: `ok && dirty != "false"`, New: `ok && dirty == "true"`,
	},
	{
		Name: "shared-by-presence", What: "An account with shared=false counts as shared.",
		File: "internal/garden/labels.go", Tests: gardenLabels,
		Old: `meta.Labels[k.Shared] == "true"`, New: `meta.Labels[k.Shared] != ""`,
	},
	{
		Name: "resend", What: "A write whose answer was lost is sent again blindly.",
		File: "internal/kube/retry.go", Tests: gardenAnswers,
		Old: `if apierrors.IsUnauthorized(err) && !renewed {`, New: `if (apierrors.IsUnauthorized(err) || Transient(err)) && !renewed {`,
	},
	{
		Name: "lost-is-refused", What: "A write whose answer was lost counts as refused.",
		File: "internal/kube/request_error.go", Tests: gardenAnswers,
		Old: `unsent(err), UnknownOutcome)`, New: `unsent(err), Conflict)`,
	},
	{
		Name: "recreated-is-rejected", What: "The answer 422 for another object's UID ends the apply instead of being judged again.",
		File: "internal/kube/answer.go", Tests: gardenAnswers,
		Old: `apierrors.IsConflict(err), foreignUID(err):`, New: `apierrors.IsConflict(err):`,
	},
	{
		Name: "any-404-is-gone", What: "The page 404 of a proxy counts as a deleted account.",
		File: "internal/kube/answer.go", Tests: gardenAnswers,
		Old: `apierrors.IsNotFound(err) && isMissing(call, status)`, New: `apierrors.IsNotFound(err) && call.Name != ""`,
	},
	{
		Name: "404-of-another-object", What: "The API's 404 about another kind of object counts as a deleted account.",
		File: "internal/kube/answer.go", Tests: gardenAnswers,
		Old: `details.Kind == call.Resource && details.Name`, New: `details.Name`,
	},
	{
		Name: "503-is-final", What: "A read that is answered 503 is not tried again.",
		File: "internal/kube/request_error.go", Tests: gardenReads,
		Old: `http.StatusServiceUnavailable, http.StatusGatewayTimeout`, New: `http.StatusGatewayTimeout`,
	},
	{
		Name: "no-retry-after", What: "A server that asks to wait is asked again at once.",
		File: "internal/kube/retry.go", Tests: gardenReads,
		Old: `!Sleep(ctx, max(backoff.Step(), retryAfter(err)))`, New: `!Sleep(ctx, backoff.Step())`,
	},
	{
		Name: "no-retry-after-at-the-end", What: "After the last try of a read the next request comes before the server wants it.",
		File: "internal/kube/retry.go", Tests: kubeRequests,
		Old: `			Sleep(ctx, retryAfter(err)) //`, New: `			//`,
	},
	{
		Name: "token-not-renewed", What: "A read that is answered 401 is not sent again with the token that its file or program has by now.",
		File: "internal/kube/retry.go", Tests: gardenReads,
		Old: `renew := apierrors.IsUnauthorized(err) && !renewed`, New: `renew := apierrors.IsUnauthorized(err) && renewed`,
	},
	{
		Name: "foreign-token", What: "A token that was exported for another provider is sent to the server of a given kubeconfig.",
		File: "internal/kube/environment.go", Tests: kubeSettings,
		Old: `	case s.namesKubeconfig():
		return true
	case row.name`, New: `	case row.name`,
	},
	{
		Name: "two-identities", What: "A token beside a kubeconfig leaves the kubeconfig's certificate in place, and the server takes that.",
		File: "internal/kube/connection.go", Tests: kubeSettings,
		Old: `t.user = s.user()`, New: `t.user.Token = s.user().Token`,
	},
	{
		Name: "kubeconfig-quoted", What: "An error about config_path quotes the kubeconfig that was given in its place.",
		File: "internal/kube/check.go", Tests: kubeSettings,
		Old: `case isKubeconfigText(path):`, New: `case isKubeconfigText(path) && false:`,
	},
	{
		Name: "parser-quoted", What: "An error about a kubeconfig carries the parser's message, which quotes secrets.",
		File: "internal/kube/kubeconfig.go", Tests: kubeSettings,
		Old: `return nil, problem + ".`, New: `return nil, err.Error() + problem + ".`,
	},
	{
		Name: "first-connection-for-the-second", What: "The environment of the connection to the Garden reaches a second connection.",
		File: "internal/kube/settings.go", Tests: kubeSettings,
		Old: `case row.variable == "" || p.Prefix == "":`, New: `case p.Prefix == "" && row.variable != "":
		return "KUBE_" + row.variable
	case row.variable == "":`,
	},
	{
		Name: "token-program-hangs", What: "A request whose token program hangs outlasts its context.",
		File: "internal/kube/bounded.go", Tests: kubeRequests,
		Old: `case <-req.Context().Done():`, New: `case <-make(chan int):`,
	},
	{
		Name: "throttled-is-unknown", What: "A write that was turned away with 429 counts as one that may have taken effect.",
		File: "internal/kube/request_error.go", Tests: kubeRequests,
		Old: `reason = Throttled`, New: `reason = UnknownOutcome`,
	},
	{
		Name: "repeated-page-is-the-end", What: "A list whose server repeats a page is taken for whole.",
		File: "internal/kube/pages.go", Tests: kubeRequests,
		Old: `		if seen[next] {
`, New: `		if seen[next] {
			return nil
		}
		if seen[next] {
`,
	},
	{
		Name: "first-page-of-accounts", What: "Accounts beyond the first page of the list are not seen.",
		File: "internal/garden/accounts.go", Tests: gardenLists, Acceptance: true,
		Old: `return page, about.GetContinue(), err`, New: `return page, "", err`,
	},
	{
		Name: "first-page-of-clusters", What: "Clusters beyond the first page of the list are not counted.",
		File: "internal/garden/clusters.go", Tests: gardenLists, Acceptance: true,
		Old: `return list.Continue, nil`, New: `return "", nil`,
	},
	{
		Name: "half-a-list", What: "A list that expires again and again decides with the half that was read.",
		File: "internal/kube/pages.go", Tests: gardenLists, Acceptance: true,
		Old: `return &Error{Call: call, Reason: Expired, Tries: 1 + restart, Err: failed.Err}`, New: `return nil`,
	},
	{
		Name: "list-begun-twice", What: "A list that is begun anew keeps what it had read before: clusters count twice.",
		File: "internal/kube/pages.go", Tests: gardenLists, Acceptance: true,
		Old: `		begin()
`, New: `		if restart == 0 {
			begin()
		}
`,
	},
	{
		Name: "users-by-prefix", What: "The clusters of account-10 count as users of account-1.",
		File: "internal/garden/clusters.go", Tests: gardenLists, Acceptance: true,
		Old: `if slices.Contains(bindings, c.binding) &&`, New: `if c.binding[:min(len(c.binding), len(bindings[0]))] == bindings[0] &&`,
	},
}
