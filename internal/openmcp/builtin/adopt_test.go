package builtin_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
)

// labelled is a Shoot on an account that has the labels of each new Cluster; of account "" there is none.
type labelled struct {
	account string
	err     error
}

func (l labelled) Bound(context.Context, api.Ref) ([]configs.BoundShoot, error) {
	if l.account == "" {
		return nil, l.err
	}
	return []configs.BoundShoot{{Namespace: "garden-p", Name: "theirs", Bindings: configs.Bindings{Credentials: l.account}}}, l.err
}

// The built-in scheduler makes no Cluster that would adopt a Shoot and move it: it takes the profile of the Shoot's account, or denies the
// request. The preview says the same.
func TestBuiltin_adoptsOnItsAccount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		accounts map[string]string // by profile
		shoot    labelled
		want     string // the profile; empty = the request is denied
	}{
		"no Shoot":                {map[string]string{"a": "one"}, labelled{}, "a"},
		"on the account":          {map[string]string{"a": "one"}, labelled{account: "one"}, "a"},
		"on another account":      {map[string]string{"a": "one"}, labelled{account: "two"}, ""},
		"two profiles, one moves": {map[string]string{"a": "one", "b": "two"}, labelled{account: "two"}, "b"},
		"two profiles, both move": {map[string]string{"a": "one", "b": "two"}, labelled{account: "three"}, ""},
	} {
		for kind, request := range map[string]*builtin.ADRRequest{"shared": asked("work"), "dedicated": dedicated("work")} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				m := newMemory(t)
				for profile, account := range test.accounts {
					m.bind(t, profile, account)
				}
				p := m.in(t, "land")
				p.Requests.Accounts, p.Requests.Shoots = &limits{}, test.shoot
				foreseen, err := p.Requests.PreviewADR(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: "land", Name: "r"}, ADR: request})
				if err != nil || (foreseen.Action == clusters.Deny) != (test.want == "") || strings.TrimPrefix(foreseen.Profile, "test.gardener.") != test.want {
					t.Errorf("the preview says %s, profile %q, %v", foreseen.Action, foreseen.Profile, err)
				}
				_, err = tryGrant(t.Context(), p, "r", request)
				denied, is := errors.AsType[*builtin.DeniedError](err)
				if is != (test.want == "") || err != nil && !is {
					t.Errorf("%v", err)
				}
				if is && (denied.Reason != adr.ReasonNoAccount || !strings.Contains(denied.Message, "Shoot garden-p/theirs on CredentialsBinding")) {
					t.Errorf("%s: %s", denied.Reason, denied.Message)
				}
				want := []string{test.want}
				if got := m.profilesOf(t); !slices.Equal(got, slices.DeleteFunc(want, func(s string) bool { return s == "" })) {
					t.Errorf("Clusters of %q", got)
				}
			})
		}
	}
}

// A Cluster that was deleted under its request is made anew only where it moves no Shoot.
func TestBuiltin_madeAnewAdopts(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.bind(t, "a", "one")
	p := m.in(t, "land")
	p.Requests.Accounts = &limits{}
	r := grantedBy(t, p, "r", dedicated("work"))
	cluster, err := p.Objects.Clusters.Get(t.Context(), *r.Status.Cluster)
	if err == nil {
		cluster, err = p.Objects.Clusters.Merge(t.Context(), cluster, map[string]any{"metadata": map[string]any{"finalizers": []string{}}})
	}
	if err == nil {
		err = p.Objects.Clusters.Remove(t.Context(), cluster)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Requests.Shoots = labelled{account: "two"}
	if _, err := p.Requests.AwaitGranted(t.Context(), r, quiet); !errors.As(err, new(*builtin.DeniedError)) {
		t.Errorf("%v", err)
	}
	if got := m.profilesOf(t); len(got) > 0 {
		t.Errorf("Clusters of %q", got)
	}
}

// Where the Shoots cannot be read no Cluster is made. The preview goes by what it knows.
func TestBuiltin_shootsUnread(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.bind(t, "a", "one")
	p := m.in(t, "land")
	p.Requests.Accounts, p.Requests.Shoots = &limits{}, labelled{err: errKilled}
	if _, err := p.Requests.PreviewADR(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: "land", Name: "r"}, ADR: dedicated("work")}); err != nil {
		t.Errorf("%v", err)
	}
	if _, err := tryGrant(t.Context(), p, "r", dedicated("work")); !errors.Is(err, errKilled) {
		t.Errorf("%v", err)
	}
	if got := m.profilesOf(t); len(got) > 0 {
		t.Errorf("Clusters of %q", got)
	}
}
