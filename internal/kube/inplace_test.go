package kube_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// A secret that is written where a path, or a command, belongs is shown by no error. The error names the setting.
func TestSecretInPlaceOfAPath(t *testing.T) {
	t.Parallel()
	const (
		token  = "eyJhbGciOiJSUzI1NiJ9.eyJwbGFudGVkIjp0cnVlfQ"
		random = "x7Kq2LmZ9aTb4RwE1cVn8YuP3sDf6GhJ5kQ0"
		pem    = "-----BEGIN PRIVATE KEY-----\nPLANTED\n-----END PRIVATE KEY-----\n"
	)
	key := base64.StdEncoding.EncodeToString([]byte(pem))
	kubeconfig := func(user string) string {
		return strings.Replace(twoContexts, "{token: s3cr3t-of-dev}", user, 1)
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(kubeconfig("{token: s3cr3t-of-dev}")))
	raw := func(user string) kube.Settings { return kube.Settings{ConfigRaw: ptr(kubeconfig(user))} }
	inFile := func(user string) kube.Settings {
		return kube.Settings{ConfigPath: ptr(write(t, "kubeconfig", kubeconfig(user)))}
	}
	program := "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: \"no-such-program --token " + random + "\"}}"

	for name, tt := range map[string]struct {
		settings kube.Settings
		env      []string
		setting  string
		secret   string
		word     string
	}{
		"config_path, a kubeconfig in base64": {settings: kube.Settings{ConfigPath: &encoded}, setting: "config_path", secret: encoded,
			word: "it reads like a kubeconfig in base64"},
		"config_paths, a kubeconfig in base64": {settings: kube.Settings{ConfigPaths: []string{encoded}}, setting: "config_paths", secret: encoded,
			word: "path 1 of 1 is not a path"},
		"KUBE_CONFIG_PATHS, a kubeconfig in base64": {env: []string{"KUBE_CONFIG_PATHS", encoded}, setting: "config_paths", secret: encoded,
			word: "KUBE_CONFIG_PATHS"},
		"config_path, a JSON Web Token": {settings: kube.Settings{ConfigPath: ptr(token)}, setting: "config_path", secret: token,
			word: "it reads like a token"},
		"config_path, a random token": {settings: kube.Settings{ConfigPath: ptr(random)}, setting: "config_path", secret: random,
			word: "the file that config_path names (36 characters, not shown"},
		"config_path, text that is too long": {settings: kube.Settings{ConfigPath: ptr(strings.Repeat("password", 100))}, setting: "config_path",
			secret: "passwordpassword", word: "800 characters"},
		"tokenFile, the token":                         {settings: raw("{tokenFile: " + token + "}"), setting: "config_raw", secret: token},
		"tokenFile of a file, the token":               {settings: inFile("{tokenFile: " + token + "}"), setting: "config_path", secret: token},
		"tokenFile of a file, a random token":          {settings: inFile("{tokenFile: " + random + "}"), setting: "config_path", secret: random},
		"client-key, the key in base64":                {settings: raw("{client-certificate-data: " + key + ", client-key: " + key + "}"), setting: "config_raw", secret: key},
		"client-key of a file, the key in base64":      {settings: inFile("{client-certificate-data: " + key + ", client-key: " + key + "}"), setting: "config_path", secret: key},
		"client-certificate, with the key in base64":   {settings: raw("{client-certificate: " + key + ", client-key-data: " + key + "}"), setting: "config_raw", secret: key},
		"command of a kubeconfig, with its arguments":  {settings: raw(program), setting: "config_raw", secret: random, word: "Arguments go to args"},
		"exec.command, with its arguments":             {settings: commanded("no-such-program --token " + random), setting: "exec.command", secret: random, word: "args"},
		"exec.command, a path in it and its arguments": {settings: commanded("/bin/sh -c " + random), setting: "exec.command", secret: random, word: "args"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := resolve(tt.settings, environment(tt.env...))
			problem, ok := errors.AsType[*kube.SettingError](err)
			if !ok {
				t.Fatalf("error = %v (%T), want a *SettingError", err, err)
			}
			if problem.Setting != tt.setting {
				t.Errorf("setting = %q, want %q", problem.Setting, tt.setting)
			}
			if !strings.Contains(err.Error(), tt.word) {
				t.Errorf("%q is missing in: %s", tt.word, err)
			}
			if shown := fmt.Sprintf("%v %+v %#v %v", err, err, err, errors.Unwrap(err)); strings.Contains(shown, tt.secret) {
				t.Errorf("the secret is shown: %s", shown)
			}
		})
	}
}

func commanded(command string) kube.Settings {
	return kube.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n"), Exec: &kube.Exec{Command: command}}
}

// What a program prints that is no ExecCredential is not quoted: it may have the token in the wrong field.
func TestOutputOfAProgramIsNotQuoted(t *testing.T) {
	t.Parallel()
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, configMap) })
	config.BearerToken = ""
	config.ExecProvider = printing(`printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",` +
		`"status":{"expirationTimestamp":"` + planted + `-in-the-wrong-field"}}'`)
	err := ask(t.Context(), mapsOf(t, config), "get")
	if err == nil || !strings.Contains(err.Error(), "no ExecCredential that can be read") {
		t.Fatalf("the error is %v", err)
	}
	noSecret(t, err.Error())
}
