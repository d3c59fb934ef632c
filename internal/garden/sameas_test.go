package garden

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// A binding is one cloud account with those of the Secret that its annotation names, whatever its own credentials are.
func TestAccountOfASecretByAnnotation(t *testing.T) {
	t.Parallel()
	g := &Garden{keys: DefaultLabelKeys()}
	identity := &account.Credentials{Ref: account.CredentialsRef{Kind: "WorkloadIdentity", Namespace: "garden-a", Name: "aws-1-wi"}}
	for said, want := range map[string]account.CredentialsRef{
		"":                 identity.Ref,
		"aws-1":            {Kind: "Secret", Namespace: "garden-a", Name: "aws-1"},
		"garden-b/aws-1":   {Kind: "Secret", Namespace: "garden-b", Name: "aws-1"},
		"aws-1\n":          {Kind: "Secret", Namespace: "garden-a", Name: "aws-1"}, // as a block of YAML ends
		"garden-b / aws-1": {Kind: "Secret", Namespace: "garden-b", Name: "aws-1"},
	} {
		found := &metav1.ObjectMeta{Name: "aws-1-wi", Namespace: "garden-a", Annotations: map[string]string{}}
		if said != "" {
			found.Annotations[account.SameAnnotation] = said
		}
		a := g.account(found, identity, "")
		if key, known := a.CredentialsKey(); !known || key != want {
			t.Errorf("annotation %q: known by %v, want %v", said, key, want)
		}
		if a.Credentials.Ref != identity.Ref {
			t.Errorf("annotation %q: its own credentials are %v by now", said, a.Credentials.Ref)
		}
	}
}

// What can be no name of a Secret joins no accounts, and leaves in doubt which cloud account the binding leads into.
func TestAccountOfASecretByABadAnnotation(t *testing.T) {
	t.Parallel()
	g := &Garden{keys: DefaultLabelKeys()}
	for said, want := range map[string]string{
		"": `""`, " ": `""`, "/aws-1": `"/aws-1"`, "garden-a/": `"garden-a/"`, "a/b/c": `"a/b/c"`, "AWS_1": `"AWS_1"`, "aws-1 aws-2": `"aws-1 aws-2"`,
		"a\x1b[2J": "\"a\ufffd[2J\"", `"aws-1"`: `"\"aws-1\""`,
	} {
		a := g.account(&metav1.ObjectMeta{Name: "wi", Namespace: "garden-a", Annotations: map[string]string{account.SameAnnotation: said}}, nil, "")
		equal(t, said, []any{a.SameAs, a.SameAsUnread}, []any{account.CredentialsRef{}, want})
		equal(t, said, account.Classify(&a, account.Usage{}, ""), account.ClassUnclear)
	}
}
