package guides

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page says in its own words what has to be saved where, and what a reader cannot run. What cannot be followed is an error at its line.
func TestPagesThatCannotBeFollowed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ page, want string }{
		"no file":               {"Save this:\n\n```terraform\nx = 1\n```\n", `p.md:3: the paragraph before the block does not say`},
		"a file, further above": {"See `a.tf`.\n\nSave this:\n\n```yaml\nx: 1\n```\n", `p.md:5: the paragraph before the block does not say`},
		"no language":           {"```\nx\n```\n", `p.md:1: the language "" is none`},
		"another language":      {"```python\nx\n```\n", `p.md:1: the language "python" is none`},
		"an unknown reason":     {"```shell later\nx\n```\n", `p.md:1: "later" is no known reason`},
		"an open block":         {"\n```shell\nx\n", `p.md:2: the block is not closed`},
		"a question":            {"```shell\ntofu apply\nls\n```\n", `p.md:1: "tofu apply" asks before the block ends`},
		"a question, elsewhere": {"```shell\ntofu -chdir=a destroy # all\nls\n```\n", `asks before the block ends`},
		"a question in a row":   {"```shell\ntofu apply && tofu output\n```\n", `asks before the block ends`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := parse("p.md", test.page); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

const page = "Begin:\n\n```shell\nmkdir -p first && cd first\nexport COLOUR=blue\n```\n\n" +
	"Save this as `a/main.tf`, and not as `b.tf`\nor anything else, but `main.tf`:\n\n```terraform\ncolour = \"PLACE\"\n```\n\n" +
	"```shell\n# a comment\ncat main.tf\necho \"$COLOUR\"\nread -r answer && echo \"$answer\"\n```\n\n" +
	"```text\ncolour = \"…\"\nblue\nyes\n```\n\n```shell own-garden\nfalse\n```\n\n  ```yaml excerpt\n  x: 1\n  ```\n"

// A shell goes on where it was, in its folder and with its variables; questions are answered; outputs are compared.
func TestFollow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		from, to string
		edits    map[string]string
		want     string
		compared int // blocks more than there are
	}{
		"as it is":          {},
		"an edit":           {edits: map[string]string{"PLACE": "here"}},
		"another output":    {from: "\nblue\nyes", to: "\nred\nyes", want: `p.md:22: the page shows "red"`},
		"shown ahead":       {from: "Begin:\n", to: "Begin:\n\n```text\ncolour = …\nyes\n```\n", compared: 1},
		"not as shown":      {from: "Begin:\n", to: "Begin:\n\n```text\nno\n```\n", want: `p.md:3: the page shows "no"`},
		"out of order":      {from: "colour = \"…\"\nblue", to: "blue\ncolour = \"…\"", want: `p.md:22: the page shows "colour`},
		"a failure":         {from: "cat main.tf", to: "cat main.tf; false", want: `p.md:15: the block fails: exit status 1`},
		"a failing pipe":    {from: "cat main.tf", to: "false | cat main.tf", want: `p.md:15: the block fails: exit status 1`},
		"an error to see":   {from: "```shell\n# a", to: "```shell fails\nfalse\n# a", want: `the block before has printed`},
		"no error to see":   {from: "```shell\n# a", to: "```shell fails\n# a", want: `it does not fail`},
		"an edit too many":  {edits: map[string]string{"blue": "green"}, want: `"blue" has to be changed at 2 places`},
		"an edit of nought": {edits: map[string]string{"nothing": "green"}, want: `"nothing" has to be changed at 0 places`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parsed, err := parse("p.md", strings.Replace(page, test.from, test.to, 1))
			if err != nil {
				t.Fatal(err)
			}
			walk := Walk{Folder: t.TempDir(), Env: os.Environ(), Edits: test.edits}
			count, err := walk.Follow(t.Context(), parsed)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %s", err, test.want)
				}
				return
			}
			if want := (Count{Run: 2, Saved: 1, Compared: 1 + test.compared, Exempt: 2}); err != nil || count != want {
				t.Errorf("got %+v, %v, want %+v", count, err, want)
			}
			if _, err := os.Stat(filepath.Join(walk.Folder, "first", "main.tf")); err != nil {
				t.Error(err)
			}
		})
	}
}
