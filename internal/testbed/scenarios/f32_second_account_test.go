package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/history"
)

// otherWork is what a run does between two claims: a resource that lasts until the test lets it end.
type otherWork struct{ begun, end string }

func newOtherWork(t *testing.T) otherWork {
	t.Helper()
	folder := t.TempDir()
	return otherWork{filepath.Join(folder, "begun"), filepath.Join(folder, "end")}
}

// resource writes the work into a configuration, behind a claim.
func (w otherWork) resource(after string) string {
	return fmt.Sprintf(`resource "terraform_data" "work" {
  depends_on = [%s]
  provisioner "local-exec" {
    command = "touch %s; until [ -e %s ]; do sleep 0.05; done"
  }
}
`, after, w.begun, w.end)
}

func (w otherWork) await(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(w.begun); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the run has not come to its other work")
		}
	}
}

func (w otherWork) finish(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(w.end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// listArrival is the time from a claimer's judgement to the arrival of its request, on a machine with much to do.
const listArrival = time.Second

// F32: run A has listed the accounts for its first claim and is busy with other work. Meanwhile the Global Account of its next
// claim gets its first account, from another run or from the broker. However long that is ago, A lands on the same one.
func TestF32RunsMeetOnOneAccount(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(t *testing.T, s stage, ga string){
		"another run": func(t *testing.T, s stage, ga string) {
			t.Helper()
			s.configure(t, claim("green", ga)).apply(t)
		},
		"the broker": func(t *testing.T, s stage, ga string) {
			t.Helper()
			account, err := s.broker(t).Claim(t.Context(), ga, "aws")
			if err != nil || account != "aws-1" {
				t.Fatalf("the broker has claimed %q: %v", account, err)
			}
		},
	} {
		for _, gap := range []time.Duration{time.Second, 5 * time.Second} {
			t.Run(fmt.Sprintf("%s %s before", name, gap), func(t *testing.T) {
				t.Parallel()
				s := newStage(t, awsAccounts(4)...)
				ga := s.preferring(t, "aws-1")
				s.label(t, "aws-1", "dirty", "true") // until A has listed: what it knows leads it elsewhere
				work := newOtherWork(t)
				a := s.configure(t, claim("early", "ga-early"), work.resource(address("early")),
					claim("late", ga, "depends_on = [terraform_data.work]"))
				running := a.Start(t, applying...)
				work.await(t)
				s.strip(t, "aws-1", "dirty")
				begun := time.Now()

				first(t, s, ga)
				if got := s.sole(t, ga); got != "aws-1" {
					t.Fatalf("the first account of %s is %s, it should be aws-1", ga, got)
				}
				time.Sleep(max(gap, history.ListFreshness+listArrival-time.Since(begun)))
				work.finish(t)
				result := running.Wait(t)
				a.tell(t)
				if result.ExitCode != 0 {
					t.Fatalf("exit code %d:\n%s", result.ExitCode, result.Output)
				}
				if late := a.account(t, "late"); late != "aws-1" {
					t.Errorf("the claim stands on %s, and %s held aws-1 already; held: %v", late, ga, s.holders(t))
				}
				for account, tenant := range s.holders(t) {
					if tenant == ga && account != "aws-1" {
						t.Errorf("%s has a second account, %s", ga, account)
						s.explain(t, account)
					}
				}
			})
		}
	}
}

// firstClaims are n claims of as many Global Accounts, all in one apply.
func firstClaims(n int) string {
	return fmt.Sprintf(`resource "hap_credentials_binding_claim" "many" {
  count          = %d
  rule_set       = local.rules
  name           = "many"
  global_account = "ga-${count.index}"
  plan           = "aws"
}
`, n)
}

// F32: an apply of many first claims that lasts some seconds lists anew now and then, so that no free account is taken by a
// list that is older than two seconds. The claims share the lists: there are some, never one for each.
func TestF32ClaimsShareFreshLists(t *testing.T) {
	t.Parallel()
	const claims, most = 60, 15
	s := newStage(t, awsAccounts(claims)...)
	s.proxy.Spoil(fault.Rule{Verb: "patch", Fault: fault.Delay(700 * time.Millisecond)}) // ten at a time: some 4 s
	s.configure(t, firstClaims(claims)).apply(t)
	if n := len(s.holders(t)); n != claims {
		t.Errorf("%d accounts are held, want %d", n, claims)
	}
	lists := s.requestsOf("list")
	oldest, by := history.OldestList(s.proxy.Log(), isUs)
	t.Logf("%d lists for %d claims; the oldest was begun %s before the write", lists, claims, oldest.Round(time.Millisecond))
	if oldest > history.ListFreshness+listArrival {
		t.Errorf("a free account was taken by a list that was %s old: %s", oldest.Round(time.Millisecond), by)
	}
	if lists > most {
		t.Errorf("%d lists for %d claims, want %d at most", lists, claims, most)
	}
}

// F32: a list that takes longer than it may be old serves every claim that waited for it. Else no claim would ever be made.
func TestF32SlowListServesAllThatWait(t *testing.T) {
	t.Parallel()
	const claims, most = 20, 8
	s := newStage(t, awsAccounts(claims)...)
	s.proxy.Spoil(fault.Rule{Verb: "list", Resource: "credentialsbindings", Fault: fault.Delay(history.ListFreshness + time.Second)})
	s.configure(t, firstClaims(claims)).apply(t)
	if n := len(s.holders(t)); n != claims {
		t.Errorf("%d accounts are held, want %d", n, claims)
	}
	if lists := s.requestsOf("list"); lists > most {
		t.Errorf("%d lists for %d claims, want %d at most", lists, claims, most)
	}
}

// F32: the Global Account of a claim holds several accounts of the pool and is allowed one. Each refresh says so and names
// them, on whichever of them the claim is.
func TestF32RefreshNamesSecondAccount(t *testing.T) {
	t.Parallel()
	for _, second := range []string{"aws-0", "aws-2"} {
		t.Run(second, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			c := s.configure(t, claim("blue", "ga-1"))
			c.apply(t)
			s.Account(t, testbed.AccountSpec{Name: second, HyperscalerType: "aws", Tenant: "ga-1"})
			s.Account(t, testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp", Tenant: "ga-1"})
			before := s.versions(t)
			wantWarning(t, c.succeeds(t, planning...).Output, "ga-1", "aws-1", second)
			wantWarning(t, c.succeeds(t, "apply", "-refresh-only", "-auto-approve").Output, "ga-1", "aws-1", second)
			s.unwritten(t, before)

			// With the feature that allows several there is nothing to warn of.
			c.write(t, "multi_account = { allowed_global_accounts = [\"ga-1\"], limits = { default = 10 } }", claim("blue", "ga-1"))
			if output := c.succeeds(t, planning...).Output; warnsOf(output, second) {
				t.Errorf("several accounts are allowed, and a warning names them:\n%s", output)
			}
		})
	}
}
