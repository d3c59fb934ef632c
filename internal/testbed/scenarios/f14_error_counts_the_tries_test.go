package scenarios

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// F14: when the patience ends, the error says how often it was tried and what came back last, and nothing was written.
func TestF14TheErrorCountsTheTries(t *testing.T) {
	t.Parallel()
	const leastPatience = 4 * time.Second
	tests := map[string]struct {
		fault  fault.Fault
		cause  string
		atMost int // tries in that time
	}{
		"429 with Retry-After": {fault.TooManyRequests(asked), "too many requests", 4},
		"500":                  {fault.InternalError(), "etcdserver: request timed out", 8},
		"503":                  {fault.Unavailable(0), "the server is starting", 8},
		"a gateway's 502":      {fault.Answer(http.StatusBadGateway, "no upstream"), "no upstream", 8},
		"connection reset":     {fault.CutBefore(), "INTERNAL_ERROR", 8},
		"no answer":            {fault.HangBefore(), "context deadline exceeded", 1},
	}
	s := newStage(t, awsAccounts(1)...)
	for name, test := range sampled(t, tests) {
		for _, resource := range []string{"credentialsbindings", "shoots", "selfsubjectaccessreviews"} {
			t.Run(name+"/"+resource, func(t *testing.T) {
				t.Parallel()
				var unreachable *account.UnreachableError
				sent, atMost := 0, 0
				// On a machine with much to do the time may be over before the resource is asked for, or within a try: more time then.
				settled := func() bool {
					return sent > 0 && unreachable.Tries == sent && (sent > 1 || test.atMost == 1) && strings.Contains(unreachable.Error(), test.cause)
				}
				for patience := leastPatience; !settled() && patience <= 4*leastPatience; patience *= 2 {
					sent, atMost = 0, test.atMost*int(patience/leastPatience)
					agent := fmt.Sprintf("terraform-provider-hap/%s-%s-%s", strings.ReplaceAll(name, " ", "-"), resource, patience)
					s.proxy.Spoil(fault.Rule{Client: agent, Resource: resource, Fault: test.fault})
					unreachable = s.claimInVain(t, patience, agent)
					for _, x := range s.proxy.Log() {
						if x.Client == agent && x.Resource == resource {
							sent++
						}
					}
				}
				if unreachable.Tries != sent || sent < 1 || sent > atMost || test.atMost > 1 && sent < 2 {
					t.Errorf("%d requests, the error says %d tries: %v", sent, unreachable.Tries, unreachable)
				}
				if !strings.Contains(unreachable.Error(), test.cause) || unreachable.Resource != resource {
					t.Errorf("%q does not name %s and %q", unreachable, resource, test.cause)
				}
			})
		}
	}
	for name, cause := range map[string]string{"TLS handshake": "net/http: TLS handshake timeout", "connect": "i/o timeout"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dead := mute(t)
			if name == "connect" {
				dead = blackHole(t)
			}
			var unreachable *account.UnreachableError
			sent := 0
			// On a machine with much to do a connection may not be open in the time that the handshake is given.
			for patience := leastPatience; sent < 2 || !strings.Contains(unreachable.Error(), cause); patience *= 2 {
				if patience > 4*leastPatience {
					t.Fatalf("%d requests, %q does not say so, or not %q", sent, unreachable, cause)
				}
				network := newBrokenNetwork(1, rand.New(rand.NewPCG(0, 0)), dead) //nolint:gosec // no secret depends on it
				unreachable = s.claimInVain(t, patience, "terraform-provider-hap/"+name, network.on)
				if sent = network.lost[http.MethodPost]; unreachable.Tries != sent {
					t.Fatalf("%d requests, the error says %d tries: %v", sent, unreachable.Tries, unreachable)
				}
			}
		})
	}
	t.Cleanup(func() { s.wantWrites(t, "although nothing was answered", 0) })
}

// claimInVain has a process claim that gets no answer in its time.
func (s stage) claimInVain(t *testing.T, patience time.Duration, agent string, changes ...func(*rest.Config)) *account.UnreachableError {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := s.started(t, agent, changes...).Claim(ctx, protocol.ClaimRequest{Name: "blue", GlobalAccount: "ga-1", Target: awsPool})
	var unreachable *account.UnreachableError
	if !errors.As(err, &unreachable) {
		t.Fatalf("got %T: %v", err, err)
	}
	return unreachable
}
