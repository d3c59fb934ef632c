package guides

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Page is a page of the documentation with its fenced blocks, in their order.
type Page struct {
	Name   string
	Blocks []Block
}

// Block is a fenced block of a page.
type Block struct {
	Line     int    // of the opening fence, from 1
	Language string // the first word of the info string
	Fails    bool   // a shell block: what it shows is an error
	// Exempt is the reason why the block is not followed: the rest of the info string, one of the known reasons; empty = it is followed.
	Exempt string
	File   string // the name that the paragraph before the block gives it; empty = none
	Text   string
}

// reasons are why a block is not followed.
var reasons = []string{
	"excerpt",      // a part of a file, of another system's file, or of an object that another party writes
	"own-garden",   // values of the reader's own Garden; the page has what does the same on a local one
	"long-running", // a program in the foreground
	"terraform",    // only Terraform can do it
}

// fails is the rest of the info string of a shell block that is run to show an error.
const fails = "fails"

// files are the languages of blocks that the reader saves, and outputs those of what a command prints.
var (
	files   = []string{"terraform", "hcl", "yaml", "sql", "json"}
	outputs = []string{"text"}
)

// Read reads a page of Markdown, and says what makes it impossible to follow: a block without a language, one that is to be saved without a
// name, an exemption without a known reason, and a command that asks a question before the end of its block: pasted, the next line would
// be the answer.
func Read(path string) (Page, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Page{}, err
	}
	return parse(filepath.Base(path), string(content))
}

func parse(name, content string) (Page, error) {
	page := Page{Name: name}
	lines := strings.Split(content, "\n")
	for i := 0; i < len(lines); i++ {
		indent, info, opens := fence(lines[i])
		if !opens {
			continue
		}
		language, rest, _ := strings.Cut(info, " ")
		block := Block{Line: i + 1, Language: language, Exempt: rest, File: nameBefore(lines[:i])}
		if block.Fails = language == "shell" && rest == fails; block.Fails {
			block.Exempt = ""
		}
		for i++; ; i++ {
			if i == len(lines) {
				return page, fmt.Errorf("%s:%d: the block is not closed", name, block.Line)
			}
			if _, info, closes := fence(lines[i]); closes && info == "" {
				break
			}
			block.Text += strings.TrimPrefix(lines[i], indent) + "\n"
		}
		if err := block.check(); err != nil {
			return page, fmt.Errorf("%s:%d: %w", name, block.Line, err)
		}
		page.Blocks = append(page.Blocks, block)
	}
	return page, nil
}

// fence takes a line apart that opens or closes a block.
func fence(line string) (indent, info string, is bool) {
	text := strings.TrimLeft(line, " ")
	info, is = strings.CutPrefix(text, "```")
	return line[:len(line)-len(text)], strings.TrimSpace(info), is
}

var fileName = regexp.MustCompile("`([A-Za-z0-9_./-]+\\.(?:tf|tftest\\.hcl|hcl|yaml|json|sql))`")

// nameBefore returns the last file that the paragraph at the end of some lines names.
func nameBefore(lines []string) (name string) {
	end := len(lines)
	for end > 0 && strings.TrimSpace(lines[end-1]) == "" {
		end--
	}
	for i := end - 1; i >= 0 && strings.TrimSpace(lines[i]) != "" && !strings.HasPrefix(lines[i], "```"); i-- {
		if found := fileName.FindAllStringSubmatch(lines[i], -1); found != nil {
			return found[len(found)-1][1]
		}
	}
	return ""
}

// saved reports whether the block is the content of a file.
func (b Block) saved() bool { return slices.Contains(files, b.Language) }

func (b Block) check() error {
	known := b.saved() || slices.Contains(outputs, b.Language) || b.Language == "shell" || b.Language == "mermaid"
	switch {
	case !known:
		return fmt.Errorf("the language %q is none that can be followed", b.Language)
	case b.Exempt != "" && !slices.Contains(reasons, b.Exempt):
		return fmt.Errorf("%q is no known reason not to follow a block", b.Exempt)
	case b.Exempt != "":
		return nil
	case b.saved() && b.File == "":
		return fmt.Errorf("the paragraph before the block does not say in which file its %s is saved", b.Language)
	}
	if asked := b.asksEarly(); b.Language == "shell" && asked != "" {
		return fmt.Errorf("%q asks before the block ends: pasted, the next line is the answer", asked)
	}
	return nil
}

var asks = regexp.MustCompile(`^(?:.*[ ;&|])?tofu( -chdir=\S+)? (apply|destroy)\b`)

// asksEarly returns a command that asks for a yes and is not the last one of its block.
func (b Block) asksEarly() string {
	commands := slices.DeleteFunc(strings.Split(strings.TrimSpace(b.Text), "\n"), func(line string) bool {
		return line == "" || strings.HasPrefix(line, "#")
	})
	for i, command := range commands {
		if (i < len(commands)-1 || strings.Count(command, "tofu ") > 1) && asks.MatchString(command) &&
			!strings.Contains(command, "-auto-approve") {
			return command
		}
	}
	return ""
}
