package scenarios

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// update writes the golden states anew, by the provider of this source tree: once for each release, into a new folder.
var update = flag.Bool("update", false, "write the golden states of "+goldenRelease+" anew")

// goldenRelease is the release whose states -update writes.
const goldenRelease = "v0.1.0"

// What differs from one run to the next is one of these words in a golden file.
const (
	goldenNamespace = "@NAMESPACE@"
	goldenUID       = "@UID@"
	goldenHost      = "@HOST@"
	goldenProgram   = "@PROGRAM@"
)

// goldenCases are the claims of which there are golden states, and the account of each of them.
var goldenCases = map[string]struct {
	account testbed.AccountSpec
	config  string
	// before is applied first, to get an import into the state.
	before string
}{
	"plain": {account: testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, config: claim("blue", "ga-1")},
	"full": {account: testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, config: claim("blue", "ga-1",
		`owner = "pipeline-7"`, `cluster_name = "c-1"`, `binding_name = "aws-1"`, `on_destroy = "return_to_pool"`,
		`platform_region = "cf-eu10"`, `hyperscaler_region = "eu-central-1"`, `timeouts = { create = "3m", delete = "4m" }`)},
	"eu-access": {account: testbed.AccountSpec{Name: "azure-1", HyperscalerType: "azure", EUAccess: true},
		config: claim("blue", "ga-1", `plan = "azure"`, `platform_region = "cf-ch20"`)},
	"shared": {account: testbed.AccountSpec{Name: "shared-1", HyperscalerType: "aws", Shared: true}, config: onTrial()},
	"imported": {account: testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"}, config: claim("blue", "ga-1"),
		before: "import {\n  to = hap_credentials_binding_claim.blue\n  id = \"ga-1/aws-1/blue\"\n}\n"},
}

// goldenAccount is what a golden state's account has: its tenant, and the text of the claim's record.
type goldenAccount struct {
	Tenant string `json:"tenant,omitempty"`
	Record string `json:"record,omitempty"`
}

// F30: the states that each release has written are read by this one: nothing to change, nothing to warn of, nothing
// written. A destroy then ends the claim as its on_destroy says.
func TestF30GoldenStates(t *testing.T) {
	t.Parallel()
	acceptance(t)
	if *update {
		for name := range goldenCases {
			writeGolden(t, name)
		}
	}
	states, err := filepath.Glob(filepath.Join("testdata", "states", "*", "*.tfstate"))
	if err != nil || len(states) < len(goldenCases) {
		t.Fatalf("golden states: %v (%v)", states, err)
	}
	for _, path := range states {
		t.Run(filepath.Base(filepath.Dir(path))+" "+filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			readGolden(t, strings.TrimSuffix(path, ".tfstate"))
		})
	}
}

func readGolden(t *testing.T, path string) {
	t.Helper()
	golden, known := goldenCases[filepath.Base(path)]
	if !known {
		t.Fatalf("no configuration for %s", path)
	}
	s := newStage(t)
	var on goldenAccount
	if err := json.Unmarshal(readFile(t, path+".account.json"), &on); err != nil {
		t.Fatal(err)
	}
	spec := golden.account
	spec.Tenant = on.Tenant
	if on.Record != "" {
		spec.Annotations = map[string]string{keyOf(t, s, on.Record): on.Record}
	}
	account := s.Account(t, spec)
	c := s.configure(t, golden.config)
	state := reviveState(t, readFile(t, path+".tfstate"), append(c.program(t), s.Name, goldenNamespace, string(account.UID), goldenUID))
	if err := os.WriteFile(filepath.Join(c.Folder, "terraform.tfstate"), state, 0o600); err != nil {
		t.Fatal(err)
	}
	before := s.versions(t)
	result := c.Run(t, "plan", "-detailed-exitcode")
	if result.ExitCode != 0 {
		t.Errorf("exit code %d, want 0 for nothing to change:\n%s", result.ExitCode, result.Output)
	}
	if n := strings.Count(result.Output, "Warning: "); n != strings.Count(result.Output, "Warning: Provider development overrides") {
		t.Errorf("warnings:\n%s", result.Output)
	}
	c.apply(t)
	s.unwritten(t, before)

	c.destroy(t)
	c.wantState(t)
	want := map[string]string{"plain": "true", "eu-access": "true", "imported": "true"}[filepath.Base(path)]
	if got := s.dirt(t, account.Name); got != want {
		t.Errorf("destroyed, the account has dirty=%q, want %q", got, want)
	}
	if records := s.records(t, account.Name); len(records) > 0 {
		t.Errorf("destroyed, the account bears %v", records)
	}
}

// keyOf is the annotation key of a record in the namespace of the stage.
func keyOf(t *testing.T, s stage, text string) string {
	t.Helper()
	var record account.Record
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		t.Fatal(err)
	}
	return record.Identity(s.Name).Key()
}

// writeGolden makes a claim with the provider of this source tree and keeps its state and its account.
func writeGolden(t *testing.T, name string) {
	t.Helper()
	golden := goldenCases[name]
	s := newStage(t, golden.account)
	c := s.configure(t, golden.config)
	if golden.before != "" {
		c.write(t, "", golden.config, golden.before)
	}
	c.apply(t)
	account := s.GetAccount(t, golden.account.Name)
	on := goldenAccount{Tenant: account.Labels["tenantName"]}
	for _, key := range s.records(t, account.Name) {
		on.Record = account.Annotations[key]
	}
	text, err := json.MarshalIndent(on, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	state := embalmState(t, readFile(t, filepath.Join(c.Folder, "terraform.tfstate")),
		append(c.program(t), s.Name, goldenNamespace, string(account.UID), goldenUID))
	path := filepath.Join("testdata", "states", goldenRelease, name)
	writeFile(t, path+".account.json", append(text, '\n'))
	writeFile(t, path+".tfstate", state)
}

// program returns what a state says of the program that wrote it, and the words for it in a golden state.
func (c configuration) program(t *testing.T) []string {
	t.Helper()
	first, _, _ := strings.Cut(c.Run(t, "version").Stdout, "\n")
	name, version, found := strings.Cut(first, " v")
	if !found {
		t.Fatalf("the program calls itself %q", first)
	}
	return []string{"registry." + strings.ToLower(name) + "." + map[string]string{"OpenTofu": "org", "Terraform": "io"}[name], goldenHost,
		`"terraform_version": "` + version + `"`, `"terraform_version": "` + goldenProgram + `"`}
}

// embalmState replaces the words of a run, also in what the provider keeps privately: that is written as plain text.
func embalmState(t *testing.T, state []byte, words []string) []byte {
	t.Helper()
	return rewritePrivate(t, state, func(private string) any {
		var plain map[string][]byte
		text, err := base64.StdEncoding.DecodeString(private)
		if err == nil {
			err = json.Unmarshal(text, &plain)
		}
		if err != nil {
			t.Fatalf("private state %q: %v", private, err)
		}
		texts := map[string]string{}
		for key, value := range plain {
			texts[key] = string(value)
		}
		return texts
	}, words)
}

// reviveState is the way back, with the same words.
func reviveState(t *testing.T, state []byte, words []string) []byte {
	t.Helper()
	back := slices.Clone(words)
	slices.Reverse(back)
	return rewritePrivate(t, []byte(strings.NewReplacer(back...).Replace(string(state))), func(texts map[string]any) any {
		plain := map[string][]byte{}
		for key, value := range texts {
			text, _ := value.(string)
			plain[key] = []byte(text)
		}
		text, err := json.Marshal(plain)
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(text)
	}, nil)
}

// rewritePrivate rewrites the private state of each instance of a resource, and then replaces words.
func rewritePrivate[From any](t *testing.T, state []byte, rewrite func(From) any, replace []string) []byte {
	t.Helper()
	var document map[string]any
	decoder := json.NewDecoder(bytes.NewReader(state))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	resources, _ := document["resources"].([]any)
	for _, resource := range resources {
		r, _ := resource.(map[string]any)
		instances, _ := r["instances"].([]any)
		for _, instance := range instances {
			i, _ := instance.(map[string]any)
			if private, ok := i["private"].(From); ok {
				i["private"] = rewrite(private)
			}
		}
	}
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.NewReplacer(replace...).Replace(string(text)) + "\n")
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
