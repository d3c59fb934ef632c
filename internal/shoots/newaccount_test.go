package shoots_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/shoots"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// The admission of Gardener goes by a view of the accounts that lags behind. What names an account that was made just now goes through all
// the same: a new Shoot, one that comes to another binding, and the check of a ProviderConfig, with Gardener's check of references, as in
// production, and without. Where the binding is not made at all, the refusal says so, and there is no Shoot.
func TestShootOfANewAccount(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs the local Garden: set TF_ACC=1 (make testacc does)")
	}
	for name, garden := range map[string]func(testing.TB) *testbed.Garden{
		"references are checked": testbed.SharedStrict, "references are not checked": testbed.Shared,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns, ctx := garden(t).NewNamespace(t), within(t)
			all, err := shoots.New(ns.Garden().AdminConfig(), ns.Name)
			if err != nil {
				t.Fatal(err)
			}
			s := stage{Namespace: ns, shoots: all}
			later := func(name string) (made <-chan error) {
				done := make(chan error)
				go func() {
					time.Sleep(700 * time.Millisecond)
					done <- ns.MakeAccounts(ctx, testbed.AccountSpec{Name: name, HyperscalerType: "aws", Secret: "aws-1"})
				}()
				return done
			}
			w := wanted(t, "blue", template)
			if _, _, err := all.Make(ctx, w); !errors.As(err, new(*shoots.RefusedError)) {
				t.Errorf("without the account: %v", err)
			}
			s.isGone(t)

			made := later("aws-1")
			blue, found, err := all.Make(ctx, w)
			if err := errors.Join(err, <-made); err != nil || found {
				t.Fatal(found, err)
			}
			other := w
			other.Account, other.Leaves = "aws-2", w.Binding()
			if _, err := all.Change(ctx, other, w, blue); !errors.As(err, new(*shoots.RefusedError)) {
				t.Errorf("without the other binding: %v", err)
			}
			made = later("aws-2")
			blue, err = all.Change(ctx, other, w, blue)
			if err := errors.Join(err, <-made); err != nil || blue.Binding() != other.Binding() {
				t.Error(blue.Binding(), err)
			}

			var embedded map[string]any
			if err := yaml.Unmarshal([]byte(strings.Replace(template, "spec:", "spec:\n  credentialsBindingName: aws-3", 1)), &embedded); err != nil {
				t.Fatal(err)
			}
			made = later("aws-3")
			if err := errors.Join(all.CheckEmbedded(ctx, "small", embedded, nil), <-made); err != nil {
				t.Error("a check of a ProviderConfig:", err)
			}
		})
	}
}

// Of two processes of one run that make one Shoot on an account which is made meanwhile one alone has it.
func TestShootOfANewAccount_twice(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs the local Garden: set TF_ACC=1 (make testacc does)")
	}
	ns, ctx := testbed.SharedStrict(t).NewNamespace(t), within(t)
	w := wanted(t, "blue", template)
	results := make(chan error, 2)
	for range 2 {
		all, err := shoots.New(ns.Garden().AdminConfig(), ns.Name)
		if err != nil {
			t.Fatal(err)
		}
		all.Run = "run-1"
		go func() {
			_, found, err := all.Make(ctx, w)
			if err == nil && found {
				err = errors.New("it was found")
			}
			results <- err
		}()
	}
	time.Sleep(700 * time.Millisecond)
	if err := ns.MakeAccounts(ctx, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}); err != nil {
		t.Fatal(err)
	}
	one, other := <-results, <-results
	if (one == nil) == (other == nil) || !errors.As(errors.Join(one, other), new(*shoots.ExistsError)) {
		t.Errorf("the two have %v, and %v", one, other)
	}
}
