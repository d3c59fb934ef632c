package words

import (
	"encoding/base64"
	"strings"
	"testing"
)

// A secret that is given in place of a path is recognised, also where it was joined to a folder. A path is shown.
func TestQuotesAsPath(t *testing.T) {
	t.Parallel()
	const (
		kubeconfig = "apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user: {token: s3cr3t}\n"
		inJSON     = `{"apiVersion":"v1","kind":"Config"}`
		key        = "-----BEGIN PRIVATE KEY-----\nPLANTED\n-----END PRIVATE KEY-----\n"
	)
	encode := base64.StdEncoding.EncodeToString
	for name, tt := range map[string]struct {
		value, noPath string
		quoted        bool
	}{
		"absolute path":              {"/home/runner/.kube/config", "", true},
		"home folder":                {"~/.kube/garden-eu1-k8s-prod2.yaml", "", true},
		"relative path":              {"secrets/client.key", "", true},
		"JSON of another kind":       {"{\"a\": 1}", "JSON", false},
		"names that are base64":      {"exec/ez12", "", true},
		"folder of a test":           {"/tmp/TestAccResolveTheRelativePathsOfAKubeconfig1234567890/001/config", "", true},
		"long path":                  {"/" + strings.Repeat("folder/", 60), "", false},
		"kubeconfig":                 {kubeconfig, "a kubeconfig", false},
		"kubeconfig in JSON":         {inJSON, "a kubeconfig", false},
		"kubeconfig in base64":       {encode([]byte(kubeconfig)), "a kubeconfig in base64", false},
		"JSON in base64":             {encode([]byte(inJSON)), "a kubeconfig in base64", false},
		"base64, unpadded, for URLs": {base64.RawURLEncoding.EncodeToString([]byte(kubeconfig)), "a kubeconfig in base64", false},
		"base64 in lines":            {encode([]byte(kubeconfig))[:40] + "\n" + encode([]byte(kubeconfig))[40:] + "\n", "a kubeconfig in base64", false},
		"key":                        {key, "a key or a certificate", false},
		"key in one line":            {strings.ReplaceAll(key, "\n", `\n`), "a key or a certificate", false},
		"key in base64":              {encode([]byte(key)), "a key or a certificate in base64", false},
		"key joined to a folder":     {"/etc/garden/" + encode([]byte(key)), "a key or a certificate in base64", false},
		"JSON Web Token":             {"eyJhbGciOiJSUzI1NiJ9.eyJwbGFudGVkIjp0cnVlfQ", "a token", false},
		"token joined to a folder":   {"/etc/garden/eyJhbGciOiJSUzI1NiJ9.eyJwbGFudGVkIjp0cnVlfQ", "a token", false},
		"random token":               {"ghp_x7Kq2LmZ9aTb4RwE1cVn8YuP3sDf6GhJ5kQ0", "", false},
		"lines":                      {"one\ntwo", "text of several lines", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := NoPath(tt.value); got != tt.noPath {
				t.Errorf("NoPath = %q, want %q", got, tt.noPath)
			}
			if got := QuotesAsPath(tt.value); got != tt.quoted {
				t.Errorf("QuotesAsPath = %v, want %v", got, tt.quoted)
			}
		})
	}
}
