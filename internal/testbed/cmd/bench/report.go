package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// report is what is written to a file.
type report struct {
	Began   time.Time
	Took    time.Duration
	Machine machine
	Rounds  int
	Rows    []row
}

// row is one thing that was measured. Durations are in nanoseconds and sizes in bytes.
type row struct {
	// Part is the part that has measured it.
	Part, What string
	// Floor is what the row of the same part says that is the floor of this one; empty for a floor itself, and where there is none.
	Floor string `json:",omitempty"`
	// Objects is how many there are in the configuration of a command of tofu.
	Objects int `json:",omitempty"`
	measurement
	// Details says what the requests were for, where it is known.
	Details string `json:",omitempty"`
}

func (b *bench) add(part, floor, what string, m measurement) {
	b.addRow(row{Part: part, What: what, Floor: floor, measurement: m})
}

func (b *bench) addRow(r row) {
	tell("  %s: %s", r.What, r.Wall.Round(time.Millisecond))
	b.measured = append(b.measured, r)
}

func (r report) write(path string) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, append(content, '\n'), 0o600)
}

// machine is what the numbers were measured on.
type machine struct {
	System, Processor, Go string
	CPUs                  int
	Memory                int64
}

func thisMachine() machine {
	m := machine{System: runtime.GOOS + "/" + runtime.GOARCH, Go: strings.Replace(runtime.Version(), "go", "Go ", 1), CPUs: runtime.NumCPU()}
	m.Processor = lineOf("/proc/cpuinfo", "model name")
	var kilobytes int64
	if _, err := fmt.Sscanf(lineOf("/proc/meminfo", "MemTotal"), "%d", &kilobytes); err == nil {
		m.Memory = kilobytes << 10
	}
	return m
}

// String names the machine in the words of a table's caption.
func (m machine) String() string {
	processor := m.Processor
	if processor == "" {
		processor = m.System
	}
	return fmt.Sprintf("%d cores of %s, %d GB, %s", m.CPUs, processor, m.Memory>>30, m.Go)
}

// lineOf returns the text after a name and a colon in a file; empty where there is no such file or line.
func lineOf(path, name string) string {
	content, _ := os.ReadFile(path) //nolint:gosec // two files of the system
	for line := range strings.Lines(string(content)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// or returns the text, or nothing.
func or(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

func seconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return or(d > 0, fmt.Sprintf("%.1f ms", d.Seconds()*1e3))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// times says how many times its floor something takes.
func times(took, floor time.Duration) string {
	switch ratio := took.Seconds() / floor.Seconds(); {
	case took <= 0 || floor <= 0:
		return ""
	case ratio < 10:
		return fmt.Sprintf("%.2f ×", ratio)
	default:
		return fmt.Sprintf("%.0f ×", ratio)
	}
}

func megabytes(bytes int64) string {
	switch {
	case bytes <= 0:
		return ""
	case bytes < 10_000_000:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return thousands(n) + " " + thing
}

// thousands writes a number with a comma every three digits.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
