// Command mutants plants one bug after the other into the provider and checks that the tests notice: one for each promise. A bug is a
// slip that a person makes in one function, by its name: a condition that never holds, a call or a precondition that is left out. The files
// of the repository are never changed: the compiler reads the one with the bug from elsewhere.
//
// Without arguments it plants them all, else those that are named.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	root, err := local.RepositoryRoot()
	if err == nil {
		err = run(ctx, root, os.Args[1:], os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string, names []string, out io.Writer) error {
	chosen, err := choose(mutants(), names)
	if err != nil {
		return err
	}
	return newBench(root, out).run(ctx, chosen)
}

// mutants returns all bugs that are planted.
func mutants() []Mutant {
	return slices.Concat(protocolMutants, selectionMutants, supplyMutants, gardenMutants, shootMutants, platformMutants, schedulerMutants,
		providerMutants, rulesMutants, statusMutants)
}

// choose returns the bugs of these names; without names all.
func choose(all []Mutant, names []string) ([]Mutant, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []Mutant
	for _, name := range names {
		i := slices.IndexFunc(all, func(m Mutant) bool { return m.Name == name })
		if i < 0 {
			known := make([]string, len(all))
			for j, m := range all {
				known[j] = m.Name
			}
			return nil, fmt.Errorf("no bug is named %q; there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
