package guides

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// blockDeadline bounds one shell block: a destroy waits for the grace time.
const blockDeadline = 5 * time.Minute

// Walk follows one page.
type Walk struct {
	Folder string            // where the reader begins; it exists
	Env    []string          // of the reader's shell, NAME=value
	Edits  map[string]string // what the local Garden wants otherwise: texts, each of which the page has exactly once

	state  string // what the shell keeps between two blocks
	output string // of the last shell block
	all    string // of all of them
}

// Count says how a page was followed.
type Count struct{ Run, Saved, Compared, Exempt int }

// Follow follows the blocks of a page in order. It stops at the first that fails, and says which one it is, and what it has printed.
func (w *Walk) Follow(ctx context.Context, page Page) (count Count, err error) {
	temp, err := os.MkdirTemp("", "guide")
	if err != nil {
		return count, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	w.state = filepath.Join(temp, "state")
	if err := os.WriteFile(w.state, []byte("cd "+quote(w.Folder)+"\n"), 0o600); err != nil {
		return count, err
	}
	edited := map[string]int{}
	var ahead []Block // outputs that the page shows before its first command
	for _, block := range page.Blocks {
		if block.Exempt != "" || block.Language == "mermaid" {
			count.Exempt++
			continue
		}
		for from, to := range w.Edits {
			edited[from] += strings.Count(block.Text, from)
			block.Text = strings.ReplaceAll(block.Text, from, to)
		}
		switch {
		case block.Language == "shell":
			count.Run++
			err = w.run(ctx, block)
		case block.saved():
			count.Saved++
			err = w.save(ctx, block)
		case count.Run == 0:
			count.Compared++
			ahead = append(ahead, block)
		default:
			count.Compared++
			err = compare(block.Text, w.output)
		}
		if err != nil {
			return count, fmt.Errorf("%s:%d: %w", page.Name, block.Line, err)
		}
	}
	for _, block := range ahead {
		if err := compare(block.Text, w.all); err != nil {
			return count, fmt.Errorf("%s:%d: %w", page.Name, block.Line, err)
		}
	}
	for from, n := range edited {
		if n != 1 {
			return count, fmt.Errorf("%s: %q has to be changed at %d places; a reader changes one", page.Name, from, n)
		}
	}
	return count, nil
}

// run runs a block in a shell that goes on where the last one has ended, and answers yes to what is asked. One that fails leaves the
// shell as it was before.
func (w *Walk) run(ctx context.Context, block Block) error {
	ctx, cancel := context.WithTimeout(ctx, blockDeadline)
	defer cancel()
	script := ". " + quote(w.state) + "\nset -eo pipefail\n" + block.Text + "\nset +eo pipefail\n" +
		"{ export -p; echo \"cd '$PWD'\"; } > " + quote(w.state) + "\n"
	shell := exec.CommandContext(ctx, "bash", "-c", script)
	shell.Dir, shell.Env = w.Folder, w.Env
	shell.Stdin = strings.NewReader("yes\nyes\n")
	shell.Cancel = func() error { return shell.Process.Signal(os.Interrupt) }
	shell.WaitDelay = 20 * time.Second
	var output bytes.Buffer
	shell.Stdout, shell.Stderr = &output, &output
	err := shell.Run()
	w.output = frame.ReplaceAllString(colour.ReplaceAllString(output.String(), ""), "")
	w.all += w.output
	if _, exited := errors.AsType[*exec.ExitError](err); block.Fails && exited && ctx.Err() == nil {
		return nil
	}
	if err == nil && block.Fails {
		err = errors.New("it does not fail")
	}
	if err != nil {
		return fmt.Errorf("the block fails: %w\n%s\nprinted:\n%s", err, block.Text, w.output)
	}
	return nil
}

// colour is that of a terminal, and frame what OpenTofu and Terraform draw about a message.
var (
	colour = regexp.MustCompile("\x1b\\[[0-9;]*m")
	frame  = regexp.MustCompile("(?m)^[╷│╵] ?")
)

// save writes a block to its file, in the folder in which the shell is.
func (w *Walk) save(ctx context.Context, block Block) error {
	folder, err := exec.CommandContext(ctx, "bash", "-c", ". "+quote(w.state)+" > /dev/null; pwd").Output()
	if err != nil {
		return err
	}
	file := filepath.Join(strings.TrimSpace(string(folder)), block.File)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(block.Text), 0o600)
}

// compare sees that the lines of a block come in an output, in their order. An ellipsis matches any text.
func compare(want, output string) error {
	rest := output
	for line := range strings.Lines(strings.TrimSpace(want)) {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(line)), "…", ".*")
		at := regexp.MustCompile(`(?m)^\s*` + pattern + `\s*$`).FindStringIndex(rest)
		if at == nil {
			return fmt.Errorf("the page shows %q, and the block before has printed:\n%s", strings.TrimSpace(line), output)
		}
		rest = rest[at[1]:]
	}
	return nil
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
