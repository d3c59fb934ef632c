package acceptance

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// OlderLandscape is a landscape whose accounts are of another kind, or labelled in another way. The user has the Role
// that is documented for that kind, and nothing else.
type OlderLandscape struct {
	Landscape
	// Kind of the accounts.
	Kind string
	// Keys of the labels, by the key that is usual.
	Keys map[string]string
	// Block is the attribute pool of the provider.
	Block string
}

// Labelling is a way to label accounts, as the provider block has it and as the accounts have it.
type Labelling struct {
	settings string
	Keys     map[string]string
}

// Labellings are the ways to label accounts.
var Labellings = map[string]Labelling{
	"camel": {"", nil},
	"kebab": {`label_scheme = "kebab"`, map[string]string{"hyperscalerType": "hyperscaler-type", "tenantName": "tenant-name"}},
	"own": {
		`label_keys = { hyperscaler_type = "example.com/type", tenant_name = "held-by", shared = "for-all", dirty = "unclean" }`,
		map[string]string{"hyperscalerType": "example.com/type", "tenantName": "held-by", "shared": "for-all", "dirty": "unclean"},
	},
}

// NewOlderLandscape makes a namespace with a pool of these accounts, of this kind and with these labels.
func NewOlderLandscape(t *testing.T, kind string, as Labelling, accounts ...testbed.AccountSpec) OlderLandscape {
	t.Helper()
	l := NewLandscape(t)
	for _, a := range accounts {
		a.Kind, a.Keys = kind, as.Keys
		l.Accounts(t, a)
	}
	l.User = l.ServiceAccount(t, "older", testbed.DocumentedRoleOf(t, kind))
	l.Kubeconfig = l.User.Kubeconfig(t)
	return OlderLandscape{l, kind, as.Keys, fmt.Sprintf("pool = {\n kind = %q\n %s\n}", kind, as.settings)}
}

// OwnLabels are the labels of an account of any kind but Gardener's.
func (l OlderLandscape) OwnLabels(t *testing.T, name string) map[string]string {
	t.Helper()
	labels := l.GetObject(t, l.Kind, name).GetLabels()
	maps.DeleteFunc(labels, func(key, _ string) bool { return strings.Contains(key, "gardener.cloud/") })
	return labels
}

// Key is the key of a label here.
func (l OlderLandscape) Key(usual string) string {
	if own, ok := l.Keys[usual]; ok {
		return own
	}
	return usual
}

// PutShoot makes a cluster on an account, as Shoots of its time name it: a Secret by the SecretBinding that refers to it.
func (l OlderLandscape) PutShoot(t *testing.T, name, account string) {
	t.Helper()
	if l.Kind == testbed.Secret {
		l.Accounts(t, testbed.AccountSpec{Name: account + "-binding", Kind: testbed.SecretBinding, Secret: account})
		l.ShootBy(t, name, testbed.SecretBinding, account+"-binding")
		return
	}
	l.ShootBy(t, name, l.Kind, account)
}

// RecordsOn returns how many claim records are on an account.
func (l OlderLandscape) RecordsOn(t *testing.T, accountName string) int {
	t.Helper()
	n := 0
	for key := range l.GetObject(t, l.Kind, accountName).GetAnnotations() {
		if strings.HasPrefix(key, account.AnnotationPrefix) {
			n++
		}
	}
	return n
}

// NoCredential looks for the content of the Secrets in the state.
func NoCredential(s *terraform.State) error {
	for name, r := range s.RootModule().Resources {
		for attribute, value := range r.Primary.Attributes {
			if strings.Contains(value, testbed.Credential) {
				return fmt.Errorf("%s.%s holds the credential", name, attribute)
			}
		}
	}
	return nil
}
