package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// sourceURL is where a reader finds the files of Roles.
const sourceURL = "https://github.com/hap-project/terraform-provider-hap/blob/main/examples/rbac/"

// right is a row of the table of a Role: what may be done with what, and why.
type right struct {
	verbs, resources []string
	cluster          bool // in all namespaces
	reason           string
}

// rights says in Markdown what the comments of a file of Roles say: its purpose, and a table with the reason of each verb.
func rights(file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	purpose, rows, err := readRoles(content)
	if err != nil {
		return "", err
	}
	name := filepath.Base(file)
	text := fmt.Sprintf("[%s](%s%s): %s\n\n| Verb | On | For |\n|---|---|---|\n", code([]string{name}), sourceURL, name, purpose)
	for _, r := range rows {
		text += r.row() + "\n"
	}
	return strings.TrimSuffix(text, "\n"), nil
}

// row is the line of the table.
func (r right) row() string {
	on := code(r.resources)
	if r.cluster {
		on += " everywhere"
	}
	return fmt.Sprintf("| %s | %s | %s |", code(r.verbs), on, r.reason)
}

// code is a list of names as Markdown.
func code(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// readRoles returns the comment at the head of a file of Roles, and all rights in it.
func readRoles(content []byte) (purpose string, rows []right, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var document yaml.Node
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", nil, err
		}
		role := document.Content[0]
		if purpose == "" {
			purpose = comment(&document, role, role.Content[0])
		}
		for _, rule := range field(role, "rules").Content {
			found, err := readRule(rule)
			if err != nil {
				return "", nil, err
			}
			for i := range found {
				found[i].cluster = field(role, "kind").Value == "ClusterRole"
			}
			rows = append(rows, found...)
		}
	}
	if purpose == "" {
		return "", nil, errors.New("no comment says what the Role is for")
	}
	return purpose, rows, nil
}

// readRule returns a right for each reason in a rule. A reason is the comment above a verb, or above the rule or a line of it.
func readRule(rule *yaml.Node) ([]right, error) {
	var lines []*yaml.Node
	for i := 0; i < len(rule.Content); i += 2 {
		lines = append(lines, rule.Content[i])
	}
	common := comment(append([]*yaml.Node{rule}, lines...)...)
	resources := values(field(rule, "resources"))
	var rows []right
	for _, verb := range field(rule, "verbs").Content {
		reason := comment(verb)
		switch {
		case reason != "" && len(rows) == 0 && common != "":
			reason = common + " " + reason
		case reason == "":
			reason = common
		}
		if reason == "" {
			return nil, fmt.Errorf("no comment says why %s on %s is needed", verb.Value, strings.Join(resources, ", "))
		}
		if last := len(rows) - 1; last >= 0 && rows[last].reason == reason {
			rows[last].verbs = append(rows[last].verbs, verb.Value)
			continue
		}
		rows = append(rows, right{verbs: []string{verb.Value}, resources: resources, reason: reason})
	}
	return rows, nil
}

// field is the value of a key.
func field(object *yaml.Node, key string) *yaml.Node {
	at := slices.IndexFunc(object.Content, func(n *yaml.Node) bool { return n.Value == key })
	if at < 0 {
		return &yaml.Node{}
	}
	return object.Content[at+1]
}

// values are the texts of a list.
func values(list *yaml.Node) (found []string) {
	for _, n := range list.Content {
		found = append(found, n.Value)
	}
	return found
}

// comment is the text of the comments above nodes, as Markdown, with its paragraphs.
func comment(nodes ...*yaml.Node) string {
	var paragraphs []string
	for _, n := range nodes {
		for _, paragraph := range strings.Split(n.HeadComment, "\n#\n") {
			words := strings.Fields(strings.ReplaceAll(paragraph, "#", " "))
			if len(words) > 0 {
				paragraphs = append(paragraphs, markup(strings.Join(words, " ")))
			}
		}
	}
	return strings.Join(paragraphs, "\n\n")
}
