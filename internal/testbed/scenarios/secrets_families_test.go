package scenarios

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// No secret that a family has to do with comes out: neither in what is printed and logged, nor in a plan or a state, though the program and the
// provider log all they can: the tokens by which the servers are reached, the credentials of the accounts, and all that is issued.
func TestSecretsOfEachFamily(t *testing.T) {
	t.Parallel()
	rows := sampled(t, families())
	maps.Copy(rows, issuing())
	for name, f := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.begin(t, fault.ProxyOptions{}).keepsQuiet(t)
		})
	}
}

// keepsQuiet plays a life, and looks for secrets in all that it has said and left behind.
func (l life) keepsQuiet(t *testing.T) {
	t.Helper()
	trace := filepath.Join(l.folder, "trace")
	l.Setenv("TF_LOG", "TRACE")
	l.Setenv("TF_LOG_PROVIDER", "TRACE")
	l.Setenv("TF_LOG_PATH", trace)
	var said strings.Builder
	for i, p := range l.phases {
		if p.prepare != nil {
			p.prepare(t)
		}
		commands := [][]string{p.command}
		if p.command[0] == applying[0] {
			commands = [][]string{{"plan", "-out=saved"}, {"show", "-json", "saved"}, {"apply", "saved"}}
		}
		if i == 0 {
			commands = append([][]string{{"validate"}}, append(commands, []string{"refresh"}, []string{"show", "-json"})...)
		}
		for _, command := range commands {
			said.WriteString(l.succeeds(t, command...).Output)
		}
		p.check(t, past{})
	}
	all := l.tokens(t)
	if l.issued != nil {
		maps.Copy(all, l.issued(t))
	}
	all.keptQuiet(t, "the output", said.String())
	all.keptQuietInLog(t, trace)
	all.keptQuietIn(t, l.folder)
}

// tokens are those of the kubeconfig.
func (l life) tokens(t *testing.T) secrets {
	t.Helper()
	config, err := clientcmd.LoadFromFile(l.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	all := secrets{}
	for name, user := range config.AuthInfos {
		if len(user.Token) < 100 {
			t.Errorf("a token of %d characters: the test tests nothing", len(user.Token))
		}
		all["token of "+name] = user.Token
	}
	return all
}
