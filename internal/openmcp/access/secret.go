package access

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// The keys of the Secret that a granted AccessRequest names. Cluster providers publish the first two; the others may be there.
const (
	kubeconfigKey = "kubeconfig"
	expirationKey = "expirationTimestamp" // in seconds since 1970
	hostKey       = "host"
	tokenKey      = "token"
	authorityKey  = "ca.crt"
)

// Credentials is access to a Cluster. All but its end is secret.
type Credentials struct {
	Kubeconfig []byte
	ExpiresAt  time.Time // zero = the Secret does not say

	Host            string // the URL of the cluster's API server
	Token           string // empty = the user brings one, as with OIDC
	ServerAuthority []byte // in PEM; what the server's certificate is checked by
}

// SecretGoneError says that there is no Secret behind a granted AccessRequest.
type SecretGoneError struct {
	Request api.Ref
	Secret  string // its name; empty = the request names none
}

func (e *SecretGoneError) Error() string {
	if e.Secret == "" {
		return fmt.Sprintf("AccessRequest %s is granted, and names no Secret", e.Request)
	}
	return fmt.Sprintf("AccessRequest %s is granted, and its Secret %s is not there", e.Request, e.Secret)
}

// BadSecretError says that a key of a Secret cannot be used. It never has what the Secret holds.
type BadSecretError struct {
	Request     api.Ref
	Secret, Key string
	Absent      bool // the Secret has no such key
	Refers      bool // it refers to what is not in the Secret
}

func (e *BadSecretError) Error() string {
	what := "has a key %s that cannot be read"
	switch {
	case e.Absent:
		what = "has no key %s"
	case e.Refers:
		what = "has a key %s that refers to files or programs of the machine which reads it"
	}
	return fmt.Sprintf("Secret %s of AccessRequest %s "+what, e.Secret, e.Request, e.Key)
}

// ExpiredError says that access has ended.
type ExpiredError struct {
	Request api.Ref
	At      time.Time
}

func (e *ExpiredError) Error() string {
	return fmt.Sprintf("the access of AccessRequest %s ended at %s", e.Request, e.At.UTC().Format(time.RFC3339))
}

// errNoSecret is the error of an answer that is no Secret. What could not be decoded may hold the credentials, and so may the decoder's
// complaint about it.
var errNoSecret = errors.New("the answer was no Secret")

// IsUnusable reports whether an error says that there is an answer to an AccessRequest, and that it cannot be used.
func IsUnusable(err error) bool {
	return errors.As(err, new(*SecretGoneError)) || errors.As(err, new(*BadSecretError)) || errors.As(err, new(*ExpiredError))
}

// Read reads the Secret of a granted AccessRequest. Access that has ended comes back beside the error.
//
// Errors: [*SecretGoneError], [*BadSecretError], [*ExpiredError]; those of [kube.Read].
func (a *Accesses) Read(ctx context.Context, r *api.AccessRequest) (access Credentials, err error) {
	name := ""
	if r.Status.SecretRef != nil {
		name = r.Status.SecretRef.Name
	}
	if name == "" {
		return access, &SecretGoneError{Request: r.Ref()}
	}
	var secret *corev1.Secret
	call := kube.Call{Verb: "get", Resource: "secrets", Namespace: r.Namespace, Name: name}
	err = kube.Read(ctx, call, func(ctx context.Context) (err error) {
		answer := a.objects.Core.Request(call).Do(ctx)
		if err := answer.Error(); err != nil {
			return err
		}
		if secret, err = kube.Answer[*corev1.Secret](answer); err != nil {
			return errNoSecret
		}
		return nil
	})
	if api.Reason(err) == kube.NotFound {
		return access, &SecretGoneError{Request: r.Ref(), Secret: name}
	}
	if err != nil {
		return access, api.OfServer(err)
	}
	if access, err = published(secret.Data, len(r.Spec.OIDC) > 0); err != nil {
		if bad, ok := errors.AsType[*BadSecretError](err); ok {
			bad.Request, bad.Secret = r.Ref(), name
		}
		return Credentials{}, err
	}
	if !access.ExpiresAt.IsZero() && !time.Now().Before(access.ExpiresAt) {
		return access, &ExpiredError{Request: r.Ref(), At: access.ExpiresAt}
	}
	return access, nil
}

// published takes a Secret apart. What its kubeconfig lacks is searched beside it. With OIDC a program logs the user in.
func published(data map[string][]byte, oidc bool) (access Credentials, err error) {
	kubeconfig, there := data[kubeconfigKey]
	if !there {
		return access, &BadSecretError{Key: kubeconfigKey, Absent: true}
	}
	config, err := kube.Received(kubeconfig, oidc)
	if err != nil {
		return access, &BadSecretError{Key: kubeconfigKey, Refers: errors.Is(err, kube.ErrKubeconfigRefers)}
	}
	access = Credentials{Kubeconfig: kubeconfig, Host: config.Host, Token: config.BearerToken, ServerAuthority: config.CAData}
	if access.Host == "" {
		access.Host = string(data[hostKey])
	}
	if access.Token == "" {
		access.Token = string(data[tokenKey])
	}
	if len(access.ServerAuthority) == 0 {
		access.ServerAuthority = data[authorityKey]
	}
	text, there := data[expirationKey]
	if !there || len(text) == 0 {
		return access, nil
	}
	seconds, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return Credentials{}, &BadSecretError{Key: expirationKey}
	}
	access.ExpiresAt = time.Unix(seconds, 0)
	return access, nil
}

// accessPause is the pause between two reads of a Secret that cannot be used yet: only its reading is a right that users have.
const accessPause = time.Second

// AwaitUsable reads the Secret of a granted AccessRequest until it can be used, or the context ends. Where it ends within a read, one more
// read has a time of its own: that read says nothing of the Secret.
//
// Errors: those of [Read].
func (a *Accesses) AwaitUsable(ctx context.Context, r *api.AccessRequest) (access Credentials, err error) {
	for {
		access, err = a.Read(ctx, r)
		if err != nil && !IsUnusable(err) && ctx.Err() != nil {
			return a.lastRead(ctx, r)
		}
		if !IsUnusable(err) {
			return access, err
		}
		select {
		case <-time.After(accessPause):
		case <-ctx.Done():
			return access, err
		}
	}
}

// lastRead reads the Secret once more for a caller whose time is over.
func (a *Accesses) lastRead(ctx context.Context, r *api.AccessRequest) (Credentials, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), api.OwnTime)
	defer cancel()
	return a.Read(ctx, r)
}
