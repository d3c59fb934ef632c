package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// process is one that runs, and the program as its command line names it.
type process struct {
	pid     int
	program string
}

// processGroup lists the processes of a group, of those that still run.
func processGroup(ctx context.Context, group int) ([]process, error) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	if len(folders) == 0 {
		return processGroupByPS(ctx, group)
	}
	var members []process
	for _, folder := range folders {
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			continue
		}
		// One that has ended meanwhile has neither file, and one that only waits to be collected has no command line.
		stat, _ := os.ReadFile(filepath.Join(folder, "stat"))
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		program, _, _ := strings.Cut(string(command), "\x00")
		if program != "" && groupOf(string(stat)) == group {
			members = append(members, process{pid, program})
		}
	}
	return members, nil
}

// groupOf reads the group from a line of /proc/<pid>/stat: after the name in brackets, which may hold anything, come the
// state, the parent and the group.
func groupOf(stat string) int {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 3 {
		return 0
	}
	group, _ := strconv.Atoi(fields[2])
	return group
}

// processGroupByPS is for systems without /proc.
func processGroupByPS(ctx context.Context, group int) ([]process, error) {
	output, err := exec.CommandContext(ctx, "ps", "-axww", "-o", "pid=,pgid=,command=").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the processes: %w", err)
	}
	var members []process
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[1] != strconv.Itoa(group) {
			continue
		}
		if pid, err := strconv.Atoi(fields[0]); err == nil {
			members = append(members, process{pid, fields[2]})
		}
	}
	return members, nil
}
