package ledger

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// deletesOf plays how Terraform deletes n claims: so many at once, each for a while. Each warns that its account was left. It
// returns the answers that warned of something, in the order in which they came.
const summaryReleaseSkipped = "Account was left as it is"

func deletesOf(ctx context.Context, w *Warnings, parallelism, n int, lasts func(i int) time.Duration) []diag.Diagnostics {
	var mu sync.Mutex
	var answers []diag.Diagnostics
	var group sync.WaitGroup
	slots := make(chan struct{}, parallelism)
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			w.Begin()
			select {
			case <-time.After(lasts(i)):
			case <-ctx.Done():
			}
			w.Add(left(i, "taken"))
			var diags diag.Diagnostics
			w.End(ctx, &diags)
			mu.Lock()
			if len(diags) > 0 {
				answers = append(answers, diags)
			}
			mu.Unlock()
			time.Sleep(50 * time.Millisecond) // the program writes its state
		})
	}
	group.Wait()
	return answers
}

func left(i int, why string) Warning {
	return Warning{
		Summary: summaryReleaseSkipped, One: fmt.Sprintf("Account aws-%02d was left: %s.", i, why),
		Many: "accounts were left: " + why + ".", Item: fmt.Sprintf("aws-%02d", i),
	}
}

func TestWarnings_oneForAllOfARun(t *testing.T) {
	t.Parallel()
	for name, lasts := range map[string]func(i int) time.Duration{
		"each as long as the others": func(int) time.Duration { return time.Second },
		"each longer":                func(i int) time.Duration { return time.Duration(i+1) * time.Second },
		"the first for an hour":      func(i int) time.Duration { return max(time.Second, time.Hour-time.Duration(i)*time.Hour) },
		"all at once":                func(int) time.Duration { return time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				answers := deletesOf(t.Context(), &Warnings{}, 10, 40, lasts)
				if len(answers) != 1 || len(answers[0]) != 1 || answers[0][0].Summary() != summaryReleaseSkipped {
					t.Fatalf("reported in %d answers, want one with one warning: %v", len(answers), answers)
				}
				detail := answers[0][0].Detail()
				if !strings.HasPrefix(detail, "40 accounts were left: taken.\n\n  aws-00\n  aws-01\n") || strings.Count(detail, "\n  aws-") != 40 {
					t.Errorf("the warning does not list the 40 accounts:\n%s", detail)
				}
			})
		})
	}
}

// A delete that is alone has no other to wait for.
func TestWarnings_oneByOneAreNotHeldUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		answers := deletesOf(t.Context(), &Warnings{}, 1, 3, func(int) time.Duration { return time.Second })
		if len(answers) != 3 || answers[2][0].Detail() != "Account aws-02 was left: taken." {
			t.Errorf("reported %v, want each by itself", answers)
		}
		if took := time.Since(began); took > 3*(time.Second+50*time.Millisecond+loneGap+pause) {
			t.Errorf("three deletes of a second each took %v", took)
		}
	})
}

// Where there is nothing to report, no delete waits, the last of many neither.
func TestWarnings_nothingToReport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, began := &Warnings{}, time.Now()
		var diags diag.Diagnostics
		for range 3 {
			w.Begin()
		}
		for range 3 {
			w.End(t.Context(), &diags)
		}
		if len(diags) > 0 || time.Since(began) > 0 {
			t.Errorf("reported %v after %v", diags, time.Since(began))
		}
	})
}

// Ctrl-C ends the waiting: what is known by then is reported, and each delete that ends later reports what is left.
func TestWarnings_interrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		w := &Warnings{}
		time.AfterFunc(1500*time.Millisecond, interrupt)
		answers := deletesOf(ctx, w, 2, 4, func(i int) time.Duration { return time.Duration(i+1) * time.Second })
		reported := ""
		for _, diags := range answers {
			for _, d := range diags {
				reported += d.Detail() + "\n"
			}
		}
		for i := range 4 {
			if account := fmt.Sprintf("aws-%02d", i); strings.Count(reported, account) != 1 {
				t.Errorf("%s was reported %d times, want once:\n%s", account, strings.Count(reported, account), reported)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		w, began := &Warnings{}, time.Now()
		w.Begin()
		w.Begin()
		var diags diag.Diagnostics
		w.End(ctx, &diags)
		w.Add(left(1, "taken"))
		time.AfterFunc(time.Second, interrupt)
		w.End(ctx, &diags)
		if len(diags) != 1 || time.Since(began) > time.Second+pause {
			t.Errorf("reported %v after %v, want one warning as soon as it is interrupted", diags, time.Since(began))
		}
	})
}

// A delete that begins while the last one waits takes over what is to report, also if it warns of nothing itself.
func TestWarnings_handedOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &Warnings{}
		var first, second diag.Diagnostics
		var group sync.WaitGroup
		w.Begin()
		w.Add(left(1, "taken"))
		group.Go(func() { w.End(t.Context(), &first) })
		synctest.Wait() // it waits for others
		w.Begin()
		group.Wait()
		w.End(t.Context(), &second)
		if len(first) != 0 || len(second) != 1 || second[0].Detail() != "Account aws-01 was left: taken." {
			t.Errorf("the first reported %v, the second %v; want the second to report", first, second)
		}
	})
}

// Terraform shows one warning of those with the same summary, so there is one, whatever the reasons are.
func TestWarnings_oneForEachSummary(t *testing.T) {
	t.Parallel()
	other := Warning{Summary: "Claim is on another account", One: "It is elsewhere."}
	var diags diag.Diagnostics
	report(&diags, []Warning{left(3, "taken"), left(2, "dirty"), other, left(1, "taken")})
	if len(diags) != 2 || diags[0].Summary() != summaryReleaseSkipped || diags[1].Detail() != "It is elsewhere." {
		t.Fatalf("reported %v", diags)
	}
	if got, want := diags[0].Detail(), "2 accounts were left: taken.\n\n  aws-01\n  aws-03\n\nAccount aws-02 was left: dirty."; got != want {
		t.Errorf("reported:\n%s\nwant:\n%s", got, want)
	}
}
