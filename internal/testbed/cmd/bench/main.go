// Command bench measures what the provider costs where a landscape is large, on a local Garden and a local PostgreSQL:
// counting the Shoots, and the same done in three other ways to compare with; selecting among many accounts; the status of a pool; counting
// in the broker's database; applying, planning and destroying many claims, many clusters, and many requests through openMCP. Beside each
// it measures the floor, below which there is no way, and beside the claims, where -kubernetes names the program, as many labels of
// hashicorp/kubernetes. It prints tables and writes bench/latest.json. With -publish it makes the figures of the documentation of that
// file, and with -figures of the file that -results names, without measuring.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// measureCommand is the only argument of the process that takes one measurement.
const measureCommand = "measure"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var err error
	if len(os.Args) == 2 && os.Args[1] == measureCommand {
		err = measureOne(ctx, os.Stdin, os.Stdout)
	} else {
		err = run(ctx, os.Args[1:])
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options say what is measured.
type options struct {
	only                                     []string
	shoots, rows, claims, accounts, clusters []int
	requests, references, parallelism        []int
	rounds                                   int
	kubernetes, out                          string
	publish, figures                         bool
	results                                  string
}

// parts are what can be measured, in this order.
var parts = []struct {
	name string
	do   func(*bench, context.Context) error
}{
	{"shoots", (*bench).measureShoots},
	{"selection", (*bench).measureSelection},
	{"status", (*bench).measureStatus},
	{"database", (*bench).measureDatabase},
	{"claims", (*bench).measureClaims},
	{"references", (*bench).measureReferences},
	{"clusters", (*bench).measureClusters},
	{"platform", (*bench).measurePlatform},
}

func parse(arguments []string) (options, error) {
	var names []string
	for _, part := range parts {
		names = append(names, part.name)
	}
	o := options{
		only: names, rounds: 5, out: filepath.Join("bench", "latest.json"),
		shoots: []int{2000, 20_000}, accounts: []int{1000, 10_000}, rows: []int{20_000, 1_000_000}, claims: []int{50, 100, 500, 5000},
		clusters: []int{100}, requests: []int{100}, references: []int{50}, parallelism: []int{1, 10, 30},
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.Func("only", "parts to measure, of "+strings.Join(names, ","), func(text string) error {
		o.only = strings.Split(text, ",")
		for _, name := range o.only {
			if !slices.Contains(names, name) {
				return fmt.Errorf("there is no part %q", name)
			}
		}
		return nil
	})
	numbersVar(flags, &o.shoots, "shoots", "how many Shoots")
	numbersVar(flags, &o.accounts, "accounts", "how many accounts stand beside them, as many numbers as for -shoots")
	numbersVar(flags, &o.rows, "rows", "how many rows of the database")
	numbersVar(flags, &o.claims, "claims", "how many claims in one configuration")
	numbersVar(flags, &o.clusters, "clusters", "how many clusters in one configuration")
	numbersVar(flags, &o.requests, "requests", "how many requests through openMCP, and how many accesses, in one configuration")
	numbersVar(flags, &o.references, "references", "how many claims in one configuration where Gardener checks references")
	numbersVar(flags, &o.parallelism, "parallelism", "how many of these tofu makes at a time")
	flags.IntVar(&o.rounds, "rounds", o.rounds, "how often each is measured; the best counts")
	flags.StringVar(&o.out, "out", o.out, "file for the results, from the root of the repository")
	flags.StringVar(&o.kubernetes, "kubernetes", "", "program of hashicorp/kubernetes, whose labels are measured beside the claims")
	flags.BoolVar(&o.publish, "publish", false, "make the figures of the documentation of what was measured, which has to be all parts")
	flags.BoolVar(&o.figures, "figures", false, "measure nothing, and make the figures of the documentation of -results")
	flags.StringVar(&o.results, "results", figuresFile, "file that a run has written, for -figures")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if o.publish && len(o.only) != len(names) {
		return o, errors.New("-publish takes all parts: the figures of the documentation are those of one run")
	}
	if len(o.shoots) != len(o.accounts) || o.rounds < 1 || flags.NArg() > 0 {
		return o, errors.New("-accounts wants as many numbers as -shoots, -rounds at least 1, and no more arguments")
	}
	return o, nil
}

// numbersVar adds a flag for numbers that are separated by commas.
func numbersVar(flags *flag.FlagSet, numbers *[]int, name, usage string) {
	flags.Func(name, fmt.Sprintf("%s (default %d)", usage, *numbers), func(text string) error {
		*numbers = nil
		for field := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(field)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number above 0", field)
			}
			*numbers = append(*numbers, n)
		}
		return nil
	})
}

// bench is what its parts hand on.
type bench struct {
	options
	root       string
	garden     *testbed.Garden
	landscapes []*landscape
	measured   []row
}

func run(ctx context.Context, arguments []string) (err error) {
	o, err := parse(arguments)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	b := &bench{options: o}
	if b.root, err = local.RepositoryRoot(); err != nil {
		return err
	}
	if b.figures {
		return publish(b.root, b.fromRoot(b.results))
	}
	if b.kubernetes != "" {
		b.kubernetes = b.fromRoot(b.kubernetes)
		if _, err := os.Stat(b.kubernetes); err != nil {
			return fmt.Errorf("the program of hashicorp/kubernetes: %w", err)
		}
	}
	began := time.Now()
	defer func() {
		if b.garden != nil {
			err = errors.Join(err, b.garden.Stop())
		}
	}()
	for _, part := range parts {
		if !slices.Contains(b.only, part.name) {
			continue
		}
		if err := part.do(b, ctx); err != nil {
			return fmt.Errorf("measuring %s: %w", part.name, err)
		}
	}
	r := report{Began: began.UTC().Truncate(time.Second), Took: time.Since(began), Machine: thisMachine(), Rounds: b.rounds, Rows: b.measured}
	fmt.Println("\n" + r.text())
	out := b.fromRoot(b.out)
	if err := r.write(out); err != nil || !b.publish {
		return err
	}
	return publish(b.root, out)
}

// fromRoot is a path from the root of the repository.
func (b *bench) fromRoot(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(b.root, path)
}

// tell says on standard error what is being done: the whole takes minutes.
func tell(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", arguments...)
}

// local returns the Garden, which is started at the first call.
func (b *bench) local(ctx context.Context) (_ *testbed.Garden, err error) {
	if b.garden == nil {
		tell("starting a local Garden")
		b.garden, err = testbed.Start(ctx, testbed.Options{})
	}
	return b.garden, err
}
