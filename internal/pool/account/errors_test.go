package account

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// What a user reads when all else is lost: each error names what it is about, and keeps the server's answer within reach.
func TestErrorsTell(t *testing.T) {
	t.Parallel()
	cause := errors.New("the server's answer")
	tests := []struct {
		err   error
		text  string
		cause error
	}{
		{&TakenError{Account: "a", Tenant: "ga-2", Wanted: "ga-1"}, "account a is held by Global Account ga-2, not by ga-1", nil},
		{&TakenError{Account: "a", Wanted: "ga-1"}, "account a is held by no Global Account, and not by ga-1", nil},
		{&TakenError{Account: "a", Tenant: "ga-1", Wanted: "ga-1", By: "b"},
			"account a has no label of a Global Account, and b of the same credentials has that of ga-1", nil},
		{&PinError{"a", "it is full"}, "account a cannot be used: it is full", nil},
		{&InUseError{Account: "a", Users: []User{{Kind: "Shoot", Name: "blue"}, {Kind: "Shoot", Name: "green"}}},
			"account a is used by 2 clusters: Shoot blue, Shoot green", nil},
		{&InUseError{Account: "a", Users: []User{{"Shoot", "blue", true}, {"Shoot", "green", false}}},
			"account a is used by 2 clusters: Shoot blue (being deleted), Shoot green", nil},
		{&InUseError{Account: "a", Users: []User{{"Shoot", "blue", true}}, Waited: 59*time.Minute + 49600*time.Millisecond},
			"account a is used by 1 cluster: Shoot blue (being deleted); waited for 59m50s", nil},
		{&InUseError{Account: "a", Users: []User{{"Shoot", "blue", false}, {"instance", "5c1f", false}, {"instance", "77aa", false}}},
			"account a is used by 1 Shoot and 2 instances: Shoot blue, instance 5c1f, instance 77aa", nil},
		{&ExhaustedError{Query: Query{Target: aws, GlobalAccount: "ga-1"}, Waited: 5 * time.Minute},
			"pool aws has no account left to claim for Global Account ga-1 (0 in all: free 0, held 0, dirty 0, internal 0); waited for 5m0s", nil},
		{&ExhaustedError{Query: Query{Target: aws, GlobalAccount: "ga-1"}, Tally: Tally{ClassUnreachable: 2}, Hidden: []string{"a (dirty=false)", "b (shared=no)"}},
			"pool aws has no account left to claim for Global Account ga-1 (2 in all: free 0, held 0, dirty 0, internal 0, unreachable 2); " +
				"labels hide from the broker: a (dirty=false); b (shared=no)", nil},
		{&ExhaustedError{Query: Query{Target: Target{HyperscalerType: "aws", Shared: true}}, Waited: time.Minute},
			"pool aws,shared has no usable shared account (0 in all: dirty 0, internal 0, deleting 0); waited for 1m0s", nil},
		{&ConflictError{Account: "a", Err: cause}, "account a has changed since it was read: the server's answer", cause},
		{&ConflictError{Account: "a", Tries: 7}, "gave up after 7 tries, each time the account had just been changed (last a)", nil},
		{&ConflictError{Account: "a", Tries: 7, Err: cause},
			"gave up after 7 tries, each time the account had just been changed (last a); the last answer: the server's answer", cause},
		{&BusyError{Account: "a", Err: cause}, "the server turned a write on account a away: the server's answer", cause},
		{&BusyError{Account: "a", Tries: 7, Err: cause}, "the server turned a write on account a away, 7 times: the server's answer", cause},
		{&UnknownOutcomeError{Account: "a", Err: cause}, "the answer to a write on account a was lost, it may have taken effect: the server's answer", cause},
		{&UnknownOutcomeError{Account: "a", ReadSince: true, Err: cause},
			"the answer to a write on account a was lost: the server's answer; when it was read afterwards, the account did not show the write", cause},
		{&QuotaError{"create", "shoots", "n", cause}, `a quota of namespace "n" does not allow to create shoots: the server's answer`, cause},
		{&NoAPIError{"list", "shoots", cause}, "the server has no API to list shoots: the server's answer", cause},
		{&FailedError{"patch", "shoots", 2, false, cause}, "the server failed to patch shoots, after 2 tries: the server's answer", cause},
		{&NotFoundError{Account: "a"}, "there is no account a", nil},
		{&ForbiddenError{"list", "shoots", namespace, cause}, `not allowed to list shoots in namespace "garden-kyma": the server's answer`,
			cause},
		{&UnauthorizedError{"get", "shoots", cause}, "the credentials were not accepted (get shoots): the server's answer", cause},
		{&UnreachableError{"list", "shoots", 1, cause}, "no answer to list shoots after 1 try: the server's answer", cause},
		{&UnreachableError{"list", "shoots", 8, cause}, "no answer to list shoots after 8 tries: the server's answer", cause},
		{&RejectedError{"patch", "credentialsbindings", cause}, "the server refused to patch credentialsbindings: the server's answer", cause},
	}
	for _, test := range tests {
		equal(t, "text", test.err.Error(), test.text)
		equal(t, "cause", errors.Unwrap(test.err), test.cause)
	}
	for _, class := range Classes() {
		if class.Describe() == "" {
			t.Errorf("no text says what the class %q is", class)
		}
	}
	equal(t, "moved", VerdictMoved.Why(), "it belongs to another pool by now")
}

func TestInUseErrorListsTwentyAndTheTotal(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{20: "s-19, Shoot s-20", 21: "s-19, Shoot s-20 and 1 more", 57: "s-19, Shoot s-20 and 37 more"} {
		users := make([]User, n)
		for i := range users {
			users[i] = User{Kind: "Shoot", Name: fmt.Sprintf("s-%d", i+1)}
		}
		text := (&InUseError{Account: "a", Users: users}).Error()
		equal(t, text+": begins and ends", []bool{strings.HasPrefix(text, fmt.Sprintf("account a is used by %d clusters: ", n)), strings.HasSuffix(text, want)}, []bool{true, true})
		equal(t, "listed", strings.Count(text, "Shoot "), maxListed)
	}
}

func TestDisagreementErrorListsTwenty(t *testing.T) {
	t.Parallel()
	var e DisagreementError
	for i := range 25 {
		e.Differences = append(e.Differences, Difference{Account: fmt.Sprintf("account-%02d", i), Shoots: 1})
	}
	text := e.Error()
	listed := []bool{strings.Contains(text, "account-19"), strings.Contains(text, "account-20"), strings.Contains(text, "and 5 accounts more")}
	equal(t, text, listed, []bool{true, false, true})
}
