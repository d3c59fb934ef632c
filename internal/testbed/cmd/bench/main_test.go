package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets this binary be the process that takes a measurement, as the program itself is.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == measureCommand {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestBenchMeasuresAndReports(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs the local Garden: set TF_ACC=1 (make testacc does)")
	}
	file := filepath.Join(t.TempDir(), "bench", "latest.json")
	err := run(t.Context(), []string{"-only", "shoots,selection,status", "-shoots", "12", "-accounts", "3", "-rounds", "1", "-out", file})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(content, &r); err != nil {
		t.Fatal(err)
	}
	requests := map[string]int{}
	for _, row := range r.Rows {
		what, _, _ := strings.Cut(row.What, " (")
		if row.Part == "" || strings.Contains(what, "our count") && row.Floor != "12 Shoots: the bytes read and dropped (the floor)" {
			t.Errorf("%s of %q has the floor %q", what, row.Part, row.Floor)
		}
		requests[what] = row.Requests
		if row.PeakMemory < 1<<20 {
			t.Errorf("%s: a peak of %d bytes", row.What, row.PeakMemory)
		}
		if row.Requests > 0 && (row.Wall <= 0 || row.CPU <= 0 || row.Received < 100 || row.Wire < 100 || row.Allocated < 100) {
			t.Errorf("%+v", row)
		}
	}
	want := map[string]int{
		"The program itself": 0, "12 Shoots: the bytes read and dropped": 1, "12 Shoots: our count": 1,
		"12 Shoots: typed decoder, protobuf, pages of 500": 1, "12 Shoots: dynamic client, JSON, one page": 1,
		"12 Shoots, 3 accounts: the bytes read and dropped": 3, "12 Shoots, 3 accounts: first selection": 3,
		"12 Shoots, 3 accounts: 1,000 more selections":                              0,
		"12 Shoots, 3 accounts: listed and counted, and nothing made of it":         4,
		"12 Shoots, 3 accounts: the status, with report, metrics and configuration": 7,
	}
	if len(requests) != len(want) {
		t.Errorf("measured %v", requests)
	}
	for what, n := range want {
		if got, ok := requests[what]; !ok || got != n {
			t.Errorf("%s: %d requests (measured: %t), want %d", what, got, ok, n)
		}
	}
}

func TestTheTable(t *testing.T) {
	t.Parallel()
	r := report{Rounds: 5, Machine: machine{Processor: "A Processor", CPUs: 2, Memory: 8 << 30, Go: "Go 1"}, Rows: []row{
		{Part: "claims", What: "floor", Objects: 501, measurement: measurement{Wall: 617 * time.Millisecond}},
		{Part: "claims", What: "counting", Floor: "floor", measurement: measurement{
			Wall: 1234 * time.Millisecond, Requests: 20_000, Received: 1_234_567, PeakMemory: 123_456_789,
		}},
		{Part: "claims", What: "applying", Details: "3 patch accounts", measurement: measurement{
			Wall: 2300 * time.Microsecond, CPU: time.Second, ProviderCPU: 250 * time.Millisecond,
		}},
	}}
	const want = `| What | Wall | Of the floor | CPU | Of it the provider | Requests | Received | Peak |
|---|--:|--:|--:|--:|--:|--:|--:|
| floor | 0.62 s |  |  |  |  |  |  |
| counting | 1.23 s | 2.00 × |  |  | 20,000 | 1.2 MB | 123 MB |
| applying | 2.3 ms |  | 1.00 s | 0.25 s |  |  |  |
`
	const caption = "Best of 5 (commands of `tofu`: of 3, with more than 500 objects of 1, which counts requests too), " +
		"each in a process of its own, with nothing else running, on 2 cores of A Processor, 8 GB, Go 1.\n\n## Claims\n\n"
	if text := r.text(); !strings.HasPrefix(text, caption) || !strings.HasSuffix(text, "\n\n"+want) {
		t.Errorf("got %s", text)
	}
}

// The processor time of the providers is that of the children that the program has waited for.
func TestReadStat(t *testing.T) {
	t.Parallel()
	const rest = " 1 5 5 0 -1 4194304 9 9 0 0 70 30 150 25 20 0 9 0 77 0 0"
	for stat, ended := range map[string]bool{"5 (tofu) S" + rest: false, "5 (a ) Z (b) Z" + rest: true} {
		now, children := readStat([]byte(stat))
		if now != ended || children != 1750*time.Millisecond {
			t.Errorf("%q: ended %t, %s", stat, now, children)
		}
	}
	if ended, children := readStat(nil); !ended || children != 0 {
		t.Error("nothing to read is a process that runs")
	}
}

func TestHighWater(t *testing.T) {
	t.Parallel()
	peak, err := highWater([]byte("Name:\tbench\nVmPeak:\t  999 kB\nVmHWM:\t   38040 kB\nVmRSS:\t  17 kB\n"))
	if err != nil || peak != 38040<<10 {
		t.Errorf("%d, %v", peak, err)
	}
	if _, err := highWater([]byte("Name:\tbench\nState:\tZ (zombie)\n")); err == nil {
		t.Error("a process that has ended has a peak")
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-only", "claims", "-claims", "3,4"})
	if err != nil || len(o.only) != 1 || len(o.claims) != 2 || o.claims[1] != 4 || len(o.shoots) != 2 {
		t.Errorf("%+v, %v", o, err)
	}
	for _, bad := range [][]string{
		{"-only", "claim"}, {"-shoots", "1"}, {"-claims", "0"}, {"-claims", "many"}, {"-rounds", "0"}, {"extra"}, {"-publish", "-only", "claims"},
	} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
