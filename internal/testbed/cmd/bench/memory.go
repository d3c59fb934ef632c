package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// peakMemory is the most that a process ever had in memory. For a process that is not our own only Linux says it.
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
