package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// atOnce is how many bugs are tried at the same time: a local Garden beside a compiler is enough for two cores.
const atOnce = 2

// bench tries bugs and prints what came of each.
type bench struct {
	root string
	out  io.Writer
	// forTests bounds the tests of one bug, forAll those together with what the compiler needs before them.
	forTests, forAll time.Duration
}

func newBench(root string, out io.Writer) *bench {
	return &bench{root: root, out: out, forTests: 4 * time.Minute, forAll: 10 * time.Minute}
}

// result is what came of one bug: a test noticed it, or none did, or it could not be tried.
type result struct {
	caughtBy string
	err      error
}

func (r result) String() string {
	switch {
	case r.err != nil:
		return "ERROR: " + r.err.Error()
	case r.caughtBy == "":
		return "SURVIVED"
	}
	return "caught by " + r.caughtBy
}

// run tries the bugs and prints a line for each as it becomes known, and the sum at the end. It is an error if one was
// not caught.
func (b *bench) run(ctx context.Context, mutants []Mutant) error {
	began := time.Now()
	fmt.Fprintln(b.out, "First the same tests without a bug: they have to pass.")
	broken := b.withoutBugs(ctx, mutants)
	width := 0
	for _, m := range mutants {
		width = max(width, len([]rune(m.Breaks)))
	}
	fmt.Fprintf(b.out, "\n%3s  %-*s  %s\n", "#", width, "what is broken", "who notices")
	results := make([]result, len(mutants))
	var printing sync.Mutex
	inParallel(len(mutants), func(i int) {
		m := mutants[i]
		if err := broken[m.group()]; err != nil {
			results[i] = result{err: err}
		} else {
			results[i] = b.try(ctx, m)
		}
		if ctx.Err() != nil { // interrupted: no need to say so once for each
			results[i] = result{err: context.Cause(ctx)}
			return
		}
		said := results[i].String()
		if results[i].caughtBy == "" {
			said = m.Name + ": " + said
		}
		printing.Lock()
		defer printing.Unlock()
		fmt.Fprintf(b.out, "%3d  %-*s  %s\n", i+1, width, m.Breaks, said)
	})
	return b.sum(results, time.Since(began))
}

// sum prints how many were caught.
func (b *bench) sum(results []result, took time.Duration) error {
	caught, errs, survived := 0, 0, 0
	for _, r := range results {
		switch {
		case r.err != nil:
			errs++
		case r.caughtBy == "":
			survived++
		default:
			caught++
		}
	}
	fmt.Fprintf(b.out, "\n%d planted, %d caught (%s)\n", len(results)-errs, caught, took.Round(time.Second))
	if errs+survived > 0 {
		return fmt.Errorf("%d survived, %d could not be planted", survived, errs)
	}
	return nil
}

// group is the tests that are run together when there is no bug.
type group struct {
	folder string
	garden bool
}

func (m Mutant) group() group { return group{m.Tests.Package, m.Tests.Garden} }

// withoutBugs runs the tests without a bug: where they fail anyway, or where there are none, they prove nothing about
// a bug. It returns what is wrong with a group.
func (b *bench) withoutBugs(ctx context.Context, mutants []Mutant) map[group]error {
	patterns := map[group][]string{}
	var groups []group
	for _, m := range mutants {
		g := m.group()
		if patterns[g] == nil {
			groups = append(groups, g)
		}
		if !slices.Contains(patterns[g], m.Tests.Run) {
			patterns[g] = append(patterns[g], m.Tests.Run)
		}
	}
	errs := make([]error, len(groups))
	inParallel(len(groups), func(i int) {
		r := b.goTest(ctx, Tests{groups[i].folder, strings.Join(patterns[groups[i]], "|"), groups[i].garden}, "")
		errs[i] = r.err
		if r.caughtBy != "" {
			errs[i] = fmt.Errorf("%s fails in %s without any bug", r.caughtBy, groups[i].folder)
		}
	})
	broken := map[group]error{}
	for i, g := range groups {
		if errs[i] != nil {
			broken[g] = errs[i]
		}
	}
	return broken
}

// try plants one bug and runs the tests that should notice it.
func (b *bench) try(ctx context.Context, m Mutant) result {
	folder, err := os.MkdirTemp("", "hap-mutant-")
	if err != nil {
		return result{err: err}
	}
	defer func() { _ = os.RemoveAll(folder) }()
	overlay, err := m.plant(b.root, folder)
	if err != nil {
		return result{err: err}
	}
	return b.goTest(ctx, m.Tests, overlay)
}

// inParallel calls f with 0 to n-1, [atOnce] at the same time, and waits for all.
func inParallel(n int, f func(i int)) {
	var wait sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i := range n {
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			f(i)
		})
	}
	wait.Wait()
}
