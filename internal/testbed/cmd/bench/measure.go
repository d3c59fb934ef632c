package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// Every measurement is taken by a process of its own, so that its peak of memory is its own, and nothing that an earlier
// one has left behind is in the way.

// measureTimeout bounds one measurement with all that is prepared for it.
const measureTimeout = 10 * time.Minute

// task says what the process measures.
type task struct {
	Way        string
	Kubeconfig string `json:",omitempty"`
	Namespace  string `json:",omitempty"`
	Pages      []page `json:",omitempty"` // to drop
	Database   string `json:",omitempty"` // the URL
	Want       int    // what the way has to count
}

// measurement is what the process has found.
type measurement struct {
	Wall time.Duration
	// CPU is what the process has used, all threads together, the garbage collector too; of a command of tofu with all providers
	// that it has started, and ProviderCPU is what these have used of it.
	CPU, ProviderCPU time.Duration
	// Requests were sent; Received are the bytes of their answers, and Wire what came over the connections for them,
	// compressed and encrypted.
	Requests       int
	Received, Wire int64
	// Allocations is how often memory was taken, Allocated how much in all.
	Allocations, Allocated int64
	// PeakMemory is the most that the process ever had in memory, the program itself included.
	PeakMemory int64
	// Kept is what is still referred to at the end.
	Kept int64
}

// way is something to measure: do, after what was prepared.
type way func(ctx context.Context, t task, traffic *traffic) (do func(context.Context) (int, error), err error)

var ways = map[string]way{
	"nothing":   func(context.Context, task, *traffic) (func(context.Context) (int, error), error) { return idle, nil },
	"count":     countShoots,
	"typed":     typedShoots,
	"dynamic":   dynamicShoots,
	"floor":     dropPages,
	"view":      firstPreview,
	"previews":  manyPreviews,
	"inventory": inventory,
	"status":    wholeStatus,
	"database":  countInstances,
}

func idle(context.Context) (int, error) { return 0, nil }

// measureOne is the process that takes one measurement.
func measureOne(ctx context.Context, in io.Reader, out io.Writer) error {
	var t task
	if err := json.NewDecoder(in).Decode(&t); err != nil {
		return err
	}
	prepare, ok := ways[t.Way]
	if !ok {
		return fmt.Errorf("there is no way %q", t.Way)
	}
	sent := &traffic{}
	do, err := prepare(ctx, t, sent)
	if err != nil {
		return err
	}
	m, err := measure(ctx, t, sent, do)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(m)
}

func measure(ctx context.Context, t task, sent *traffic, do func(context.Context) (int, error)) (measurement, error) {
	var before, after, end runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	sent.reset()
	cpu, err := cpuTime()
	if err != nil {
		return measurement{}, err
	}
	began := time.Now()
	counted, err := do(ctx)
	wall := time.Since(began)
	if err != nil {
		return measurement{}, err
	}
	if counted != t.Want {
		return measurement{}, fmt.Errorf("%s counted %d instead of %d", t.Way, counted, t.Want)
	}
	cpuAfter, err := cpuTime()
	if err != nil {
		return measurement{}, err
	}
	runtime.ReadMemStats(&after)
	peak, err := peakMemory(os.Getpid())
	if err != nil {
		return measurement{}, err
	}
	runtime.GC()
	runtime.ReadMemStats(&end)
	runtime.KeepAlive(do)
	return measurement{
		Wall: wall, CPU: cpuAfter - cpu,
		Requests: int(sent.requests.Load()), Received: sent.received.Load(), Wire: sent.wire.Load(),
		Allocations: int64(after.Mallocs - before.Mallocs), Allocated: int64(after.TotalAlloc - before.TotalAlloc), //nolint:gosec // far below
		PeakMemory: peak, Kept: int64(end.HeapAlloc) - int64(before.HeapAlloc), //nolint:gosec // as above
	}, nil
}

// cpuTime is what this process has used so far.
func cpuTime() (time.Duration, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, fmt.Errorf("reading the CPU time: %w", err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), nil
}

// inProcess has one task measured.
func inProcess(ctx context.Context, t task) (m measurement, err error) {
	ctx, cancel := context.WithTimeout(ctx, measureTimeout)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	stdin, err := json.Marshal(t)
	if err != nil {
		return m, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, self, measureCommand)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return m, fmt.Errorf("%s: %w: %s", t.Way, errors.Join(context.Cause(ctx), err), bytes.TrimSpace(stderr.Bytes()))
	}
	err = json.Unmarshal(stdout.Bytes(), &m)
	return m, err
}

// best measures tasks by turns, so that a slow moment of the machine does not hit one of them alone, and returns the
// fastest measurement of each. The peak of memory is the highest, because that is what has to fit.
func (b *bench) best(ctx context.Context, next ...func() (task, error)) ([]measurement, error) {
	all := make([][]measurement, len(next))
	for range b.rounds {
		for i := range next {
			t, err := next[i]()
			if err != nil {
				return nil, err
			}
			m, err := inProcess(ctx, t)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], m)
		}
	}
	fastest := make([]measurement, len(next))
	for i, of := range all {
		fastest[i] = slices.MinFunc(of, func(a, b measurement) int { return int(a.Wall - b.Wall) })
		for _, m := range of {
			fastest[i].PeakMemory = max(fastest[i].PeakMemory, m.PeakMemory)
		}
	}
	return fastest, nil
}

// always is a task that stays the same from round to round.
func always(t task) func() (task, error) {
	return func() (task, error) { return t, nil }
}
