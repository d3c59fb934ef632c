package fault

import (
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// A request in one line says all that a reader of a failure asks for.
func TestRequestInOneLine(t *testing.T) {
	t.Parallel()
	began := time.Date(2025, 1, 2, 3, 4, 5, 678e6, time.UTC)
	x := Exchange{
		Number: 7, Client: "us", Verb: "patch", Resource: "credentialsbindings", Name: "aws-1", Version: "12", Began: began,
		Ended: began.Add(30 * time.Millisecond), Labels: map[string]*string{"tenantName": new("ga-a")},
		Annotations: map[string]*string{testbed.RecordPrefix + "0123456789abcdef": nil}, Code: 200, Sent: 200, Result: "13",
	}
	const head = "#7 03:04:05.678 +30ms us patch credentialsbindings/aws-1 at version 12 tenantName=\"ga-a\" -claim-01234567"
	lost, refused, hung := x, x, x
	lost.Fault, lost.Sent = "CutAfter", 0
	refused.Fault, refused.Code, refused.Result, refused.Sent = "InternalError", 0, "", 500
	hung.Fault, hung.Code, hung.Result, hung.Sent = "HangBefore", 0, "", 0
	for want, got := range map[string]Exchange{
		head + " -> 200, version 13":                                              x,
		head + " [CutAfter] -> 200, version 13, the client got nothing":           lost,
		head + " [InternalError] -> the Garden was not asked, the client got 500": refused,
		head + " [HangBefore] -> no answer":                                       hung,
		"#8 03:04:05.678 us list credentialsbindings -> 200": {
			Number: 8, Client: "us", Verb: "list", Resource: "credentialsbindings", Began: began, Code: 200, Sent: 200,
		},
		"#9 03:04:05.678 job update credentialsbindings/one at version (any) -> 409": {
			Number: 9, Client: "job", Verb: "update", Resource: "credentialsbindings", Name: "one", Began: began, Code: 409, Sent: 409,
		},
	} {
		if got.String() != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

// An excerpt shows what surrounds the offending request about its account, and the lists of who sent it.
func TestExcerptAroundARequest(t *testing.T) {
	t.Parallel()
	var log []Exchange
	add := func(client, verb, name string) {
		log = append(log, Exchange{Number: len(log) + 1, Client: client, Verb: verb, Resource: "credentialsbindings", Name: name})
	}
	add("us", "list", "")
	add("others", "list", "")
	add("us", "get", "one")
	add("us", "get", "two")
	add("us", "patch", "one")
	for range 100 {
		add("others", "get", "one")
	}
	got := Around(log, "one", 5)
	for line, want := range map[string]bool{"#1 ": true, "#2 ": false, "#3 ": true, "#4 ": false, "#5 ": true, "#17 ": true, "#18 ": false} {
		if strings.Contains(got, line) != want {
			t.Errorf("%q shown: %t, want %t in\n%s", line, !want, want, got)
		}
	}
	all := strings.Split(Excerpt(log, func(x Exchange) bool { return x.Client == "others" }), "\n")
	if len(all) != excerptLines+1 || !strings.Contains(all[0], "21 requests before these are left out") {
		t.Errorf("%d lines, the first %q", len(all), all[0])
	}
}
