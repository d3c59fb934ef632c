package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

// checkedWrites is how many writes a step takes for each claim: an apply records it, a destroy fences its account and marks it.
var checkedWrites = map[string]int{"apply": 1, "destroy": 2}

// measureReferences measures claims where Gardener's admission plug-in ResourceReferenceManager is on, as in production. For each write of
// a binding of a Secret gardener-apiserver then sends two requests, and its client sends five a second. The floor is a plain client that
// sends as many writes.
func (b *bench) measureReferences(ctx context.Context) (err error) {
	tell("starting a local Garden that checks references")
	g, err := testbed.Start(ctx, testbed.Options{ReferenceChecks: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Stop()) }()
	for i, n := range b.references {
		l, err := b.settleIn(ctx, g, fmt.Sprintf("checked-%d", i), n+spare, 1)
		if err != nil {
			return err
		}
		if err := b.measureChecked(ctx, l, n); err != nil {
			return err
		}
	}
	return nil
}

// measureChecked measures n claims, some at a time, and the writes of a plain client.
func (b *bench) measureChecked(ctx context.Context, l *landscape, n int) error {
	floors := map[string]string{}
	for _, step := range steps {
		writes := n * checkedWrites[step.name]
		if writes == 0 {
			continue
		}
		floors[step.name] = fmt.Sprintf("%s, references checked, by a plain client (the floor): %s", counted(writes, "write"), step.name)
		tell("%s", floors[step.name])
		took, err := l.write(ctx, writes)
		if err != nil {
			return err
		}
		b.add("references", "", floors[step.name], measurement{Wall: took, Requests: writes})
	}
	cleaning := rivals.CleanupJob{Config: l.Garden().AdminConfig(), Namespace: l.Name}
	claims := applied{place: l.place(), configuration: fmt.Sprintf(theClaims, n, hyperscalerType)}
	for _, parallelism := range b.parallelism {
		claims.parallelism = parallelism
		what := fmt.Sprintf("%s, references checked, `-parallelism=%d`", counted(n, "claim"), parallelism)
		tell("%s", what)
		if err := b.checked(ctx, claims, what, floors); err != nil {
			return err
		}
		if err := cleaning.Round(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checked runs all steps once: their time is the server's, and varies little.
func (b *bench) checked(ctx context.Context, claims applied, what string, floors map[string]string) error {
	t, err := claims.tofu(b.root, true)
	if err != nil {
		return err
	}
	defer t.close()
	for _, step := range steps {
		r, err := t.run(ctx, claims.arguments(step.arguments)...)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if floors[step.name] != "" {
			r.Part, r.What, r.Floor = "references", what+": "+step.name, floors[step.name]
			b.addRow(r)
		}
	}
	return nil
}

// write writes an annotation without a meaning on as many accounts, one after the other anew, and returns how long that takes.
func (l *landscape) write(ctx context.Context, writes int) (time.Duration, error) {
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(plainAtOnce)
	for i := range writes {
		group.Go(func() error {
			account := &gardensecurity.CredentialsBinding{}
			account.Namespace, account.Name = l.Name, fmt.Sprintf("account-%05d", i%l.accounts)
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{"bench": fmt.Sprint(i)}}})
			if err != nil {
				return err
			}
			return l.Garden().AdminClient().Patch(ctx, account, client.RawPatch(types.MergePatchType, patch))
		})
	}
	err := group.Wait()
	return time.Since(began), err
}
