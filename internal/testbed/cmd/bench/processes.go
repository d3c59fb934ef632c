package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// What only Linux says of other processes; elsewhere these numbers are 0.

const (
	// endInterval is how long after the end of a command it may be noticed.
	endInterval = 2 * time.Millisecond
	// memoryInterval is the wait between two reads of the memory of the provider.
	memoryInterval = 20 * time.Millisecond
	// ticks is how many of the kernel's units of processor time make a second, on every architecture of Linux.
	ticks = 100
)

// childrenCPU waits for the end of a process that is a child of this one, and returns the processor time of the children that
// it has waited for itself: of a command of tofu that is all its providers. The process is left to be waited for.
func childrenCPU(pid int) time.Duration {
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0
		}
		if ended, children := readStat(stat); ended {
			return children
		}
		time.Sleep(endInterval)
	}
}

// readStat reads from /proc/<pid>/stat whether the process has ended, and what the children used that it has waited for.
func readStat(stat []byte) (ended bool, children time.Duration) {
	// The name of the program is in brackets and may hold anything. The fields after it are numbered from 3: 3 is the state, 16
	// and 17 are the time of the children in their own code and in the kernel.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const state, user, system = 0, 13, 14
	if len(fields) <= system {
		return true, 0
	}
	for _, field := range fields[user : system+1] {
		n, _ := strconv.ParseInt(field, 10, 64)
		children += time.Duration(n) * time.Second / ticks
	}
	return fields[state] == "Z", children
}

// watchProvider measures the memory of the providers in a process group until the returned function is called, which returns
// the highest peak of them.
func watchProvider(group int) (peak func() int64) {
	stop, result := make(chan struct{}), make(chan int64)
	go func() {
		var most int64
		others := map[string]bool{} // are known not to be in the group
		for {
			most = max(most, providerMemory(group, others))
			select {
			case <-time.After(memoryInterval):
			case <-stop:
				result <- most
				return
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-result
	}
}

// providerMemory finds the providers that run in a process group, and returns the highest peak of them so far.
func providerMemory(group int, others map[string]bool) (peak int64) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil || others[folder] {
			continue
		}
		if of, err := syscall.Getpgid(pid); err != nil || of != group {
			others[folder] = true
			continue
		}
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		if program, _, _ := strings.Cut(string(command), "\x00"); !strings.HasPrefix(filepath.Base(program), providerPrefix) {
			continue
		}
		if now, err := peakMemory(pid); err == nil {
			peak = max(peak, now)
		}
	}
	return peak
}
