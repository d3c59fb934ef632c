package access

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// The aliases of a kubeconfig that expand to gigabytes are not expanded.
func TestPublished_isBounded(t *testing.T) {
	t.Parallel()
	text := "users: &n " + strings.Repeat("x", 700_000) + "\nclusters: [a" + strings.Repeat(", *n", 5_000) + "]\n"
	access, err := published(map[string][]byte{kubeconfigKey: []byte(text)}, false)
	if bad, is := errors.AsType[*BadSecretError](err); !is || bad.Key != kubeconfigKey || len(access.Kubeconfig) > 0 {
		t.Errorf("%v, a kubeconfig of %d bytes", err, len(access.Kubeconfig))
	}
}

// Of a kubeconfig only the content of the Secret counts: no file of this machine is read for it, and it names no program but for OIDC.
func TestPublished_refersOutside(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("of-this-machine"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := &clientcmdapi.ExecConfig{Command: "kubectl", APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: "Never"}
	for name, test := range map[string]struct {
		user    clientcmdapi.AuthInfo
		cluster clientcmdapi.Cluster
		oidc    bool
		refused bool
	}{
		"a token":              {user: clientcmdapi.AuthInfo{Token: "t"}},
		"a file with a token":  {user: clientcmdapi.AuthInfo{TokenFile: file}, refused: true},
		"both":                 {user: clientcmdapi.AuthInfo{Token: "t", TokenFile: file}, refused: true},
		"a certificate":        {user: clientcmdapi.AuthInfo{ClientCertificate: file}, refused: true},
		"a key":                {user: clientcmdapi.AuthInfo{ClientKey: file}, refused: true},
		"an authority":         {cluster: clientcmdapi.Cluster{CertificateAuthority: file}, refused: true},
		"an auth provider":     {user: clientcmdapi.AuthInfo{AuthProvider: &clientcmdapi.AuthProviderConfig{Name: "oidc"}}, refused: true},
		"a program":            {user: clientcmdapi.AuthInfo{Exec: program}, refused: true},
		"a program, with OIDC": {user: clientcmdapi.AuthInfo{Exec: program}, oidc: true},
		"a file, with OIDC":    {user: clientcmdapi.AuthInfo{TokenFile: file}, oidc: true, refused: true},
	} {
		test.cluster.Server = "https://elsewhere.example.com"
		config := clientcmdapi.NewConfig()
		config.Clusters["c"], config.AuthInfos["u"] = &test.cluster, &test.user
		config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
		config.CurrentContext = "x"
		text, err := clientcmd.Write(*config)
		if err != nil {
			t.Fatal(err)
		}
		access, err := published(map[string][]byte{kubeconfigKey: text}, test.oidc)
		bad, is := errors.AsType[*BadSecretError](err)
		if is != test.refused || is && !bad.Refers || !is && err != nil || test.refused && (access.Token != "" || len(access.Kubeconfig) > 0) {
			t.Errorf("%s: %v, a token of %d bytes", name, err, len(access.Token))
		}
	}
}
