package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// riddles are words whose meaning newcomers have to guess: errors say, problems are reported, objects exist, claims are on accounts.
// "Behind" is for places and origins, such as the account behind a profile: what comes later in time comes after something.
var riddles = regexp.MustCompile(`(?i)\b(?:told|the very|stands|` + behindInTime + `)\b`)

// behindInTime is "behind" before what is over at some time, or before a sign in a text. Words that something may come from are not among
// these: there may be a request behind a claim, and a reason behind a refusal.
const behindInTime = `behind (?:(?:the|its|his|their|an?|this|that|these|those|each|every|all|no|another|such) )?` +
	`(?:(?:own|old|new|first|second|last|next|same|other|whole|lost) )*` +
	`(?:fences?|writes?|plans?|apply|applies|grants?|making|waits?|waiting|claiming|release|refresh|destroy|moves?|runs?|lists?|counts?|` +
	`reads?|deletion|creation|imports?|handover|commits?|restart|pauses?|rounds?|grace|deadline|beginning|end|start|marks?|` +
	`plus|slash|arrow|comma|colon|marker)`

// unread are the places whose wording is not checked.
var unread = regexp.MustCompile(`/testdata/|/internal/tools/|^\.\./\.\./internal/reference/language_test\.go$`)

// Comments, messages and documents say in the terms of the field what is meant.
func TestPlainLanguage(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	files := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"), filepath.Join(root, "EXPLORED.md")}
	for _, folder := range []string{"internal", "docs", "templates", "examples"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && !unread.MatchString(filepath.ToSlash(path)) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range files {
		switch filepath.Ext(path) {
		case ".go":
			wantPlainCode(t, path)
		case ".md", ".tmpl", ".tf", ".yaml":
			for i, line := range strings.Split(read(t, path), "\n") {
				wantPlain(t, path, i+1, line)
			}
		}
	}
}

// functionComment is the beginning of a comment of a function, with the name of the function.
var functionComment = regexp.MustCompile(`^// (\w+)`)

// wantPlainCode checks the comments and the strings of a file. A string without a space is a name, and so is the first word of a
// function's comment.
func wantPlainCode(t *testing.T, path string) {
	t.Helper()
	content := read(t, path)
	file := token.NewFileSet().AddFile(path, -1, len(content))
	var code scanner.Scanner
	code.Init(file, []byte(content), nil, scanner.ScanComments)
	for {
		at, kind, text := code.Scan()
		if kind == token.EOF {
			return
		}
		if name := functionComment.FindStringSubmatch(text); name != nil && strings.Contains(content, text+"\nfunc ") {
			text = strings.TrimPrefix(text, name[0])
		}
		if kind == token.COMMENT || kind == token.STRING && strings.Contains(text, " ") {
			wantPlain(t, path, file.Line(at), text)
		}
	}
}

func wantPlain(t *testing.T, path string, line int, text string) {
	t.Helper()
	if word := riddles.FindString(text); word != "" {
		t.Errorf("%s:%d says %q: say what is meant in the terms of the field: %s", path, line, word, text)
	}
}
