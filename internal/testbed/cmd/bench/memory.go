package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// peakMemory is the most that a process ever had in memory. For a process that is not our own only Linux tells.
func peakMemory(pid int) (int64, error) {
	// Not getrusage where there is a choice: on Linux its number is at least that of the parent at the fork.
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err == nil {
		return highWater(status)
	}
	if pid != os.Getpid() {
		return 0, err
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, fmt.Errorf("reading the peak of memory: %w", err)
	}
	if runtime.GOOS == "darwin" {
		return used.Maxrss, nil
	}
	return used.Maxrss << 10, nil
}

// highWater reads the line VmHWM of /proc/<pid>/status.
func highWater(status []byte) (int64, error) {
	lines := bufio.NewScanner(bytes.NewReader(status))
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("the process has no line VmHWM: it has ended")
}

// providerMemory looks for the providers that run in a process group, and returns the highest peak of them so far.
func providerMemory(group int) (peak int64) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		program, _, _ := strings.Cut(string(command), "\x00")
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil || filepath.Base(program) != providerProgram {
			continue
		}
		if of, err := syscall.Getpgid(pid); err != nil || of != group {
			continue
		}
		if now, err := peakMemory(pid); err == nil {
			peak = max(peak, now)
		}
	}
	return peak
}
