package garden

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

const secrets = "secrets"

// secretScheme is the only one that knows the content of a Secret, and only [Garden.Secret] uses it: no other
// request of this package can bring one home.
var (
	secretScheme = runtime.NewScheme()
	secretCodecs = serializer.NewCodecFactory(secretScheme)
)

func init() {
	if err := corev1.AddToScheme(secretScheme); err != nil {
		panic(fmt.Sprintf("garden: registering API types: %v", err)) // cannot happen: the types are compiled in
	}
}

// errNoSecret is the error of an answer that is no Secret. What could not be decoded may hold the credentials, and so
// may the decoder's complaint about it.
var errNoSecret = errors.New("the answer was no Secret")

// NotSecretError says that the credentials of an account are no Secret, so there is nothing to read.
type NotSecretError struct {
	Ref account.CredentialsRef
}

func (e *NotSecretError) Error() string {
	return fmt.Sprintf("the credentials are the %s %s/%s (%s), and not a Secret", e.Ref.Kind, e.Ref.Namespace, e.Ref.Name, e.Ref.APIVersion)
}

// SecretNotFoundError says that there is no such Secret.
type SecretNotFoundError struct {
	Ref account.CredentialsRef
}

func (e *SecretNotFoundError) Error() string {
	return fmt.Sprintf("there is no Secret %s in namespace %q", e.Ref.Name, e.Ref.Namespace)
}

// Secret reads the credentials that an account refers to. They are in no error and in no log.
//
// Errors: [NotSecretError], [SecretNotFoundError]; of package pool those of a read.
func (g *Garden) Secret(ctx context.Context, ref account.CredentialsRef) (map[string][]byte, error) {
	if ref.Kind != "Secret" || ref.APIVersion != "v1" {
		return nil, &NotSecretError{ref}
	}
	var secret corev1.Secret
	what := kube.Call{Verb: "get", Resource: secrets, Namespace: ref.Namespace, Name: ref.Name}
	err := kube.Read(ctx, what, func(ctx context.Context) error {
		answer := g.secrets.Request(what).Do(ctx)
		if err := answer.Error(); err != nil {
			return err
		}
		if err := answer.Into(&secret); err != nil {
			return errNoSecret
		}
		return nil
	})
	failed, ok := errors.AsType[*kube.Error](err)
	switch {
	case ok && failed.Reason == kube.NotFound:
		return nil, &SecretNotFoundError{ref}
	case err != nil:
		return nil, Translate(err)
	}
	return secret.Data, nil
}
