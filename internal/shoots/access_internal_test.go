package shoots

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Of a kubeconfig that the Garden issues only its own content counts, up to a bound: no file of this machine is read for it, and it names
// no program.
func TestIssued(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("of-this-machine"), 0o600); err != nil {
		t.Fatal(err)
	}
	const data = "client-certificate-data: Yw==, client-key-data: aw=="
	for name, test := range map[string]struct {
		cluster, user string
		refused       error
	}{
		"a certificate":           {user: data},
		"a file with a token":     {user: data + ", tokenFile: " + file, refused: kube.ErrKubeconfigRefers},
		"a file with it":          {user: "client-certificate: " + file, refused: kube.ErrKubeconfigRefers},
		"a file with a key":       {user: "client-certificate-data: Yw==, client-key: " + file, refused: kube.ErrKubeconfigRefers},
		"a file of the authority": {cluster: ", certificate-authority: " + file, user: data, refused: kube.ErrKubeconfigRefers},
		"an auth provider":        {user: data + ", auth-provider: {name: oidc}", refused: kube.ErrKubeconfigRefers},
		"a program": {user: "exec: {command: kubectl, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}",
			refused: kube.ErrKubeconfigRefers},
		"aliases that expand": {user: data + ", as: x, as-groups: [&n " + strings.Repeat("x", 20_000) + strings.Repeat(", *n", 100) + "]",
			refused: kube.ErrKubeconfigUnreadable},
		"no YAML": {user: "{", refused: kube.ErrKubeconfigUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "{apiVersion: v1, kind: Config, current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}],\n" +
				"clusters: [{name: c, cluster: {server: \"https://elsewhere.example.com\"" + test.cluster + "}}],\n" +
				"users: [{name: u, user: {" + test.user + "}}]}"
			access, err := issued("blue", []byte(text), metav1.Time{})
			bad, is := errors.AsType[*KubeconfigError](err)
			switch {
			case test.refused == nil && (err != nil || access.Host == "" || string(access.Certificate) != "c" || string(access.Key) != "k"):
				t.Errorf("%v, host %q", err, access.Host)
			case test.refused != nil && (!is || bad.Name != "blue" || !errors.Is(err, test.refused) || len(access.Kubeconfig) > 0):
				t.Errorf("%v, a kubeconfig of %d bytes", err, len(access.Kubeconfig))
			}
		})
	}
}
