package openmcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Platform is the API of openMCP on one platform cluster.
type Platform struct {
	namespace string
	requests  *kinds[RequestSpec, RequestStatus]
	clusters  *kind[ClusterSpec, ClusterStatus]
	accesses  *kinds[AccessSpec, AccessStatus]
	profiles  *kind[ProfileSpec, struct{}]
	configs   *kind[ProviderConfigSpec, Status]
	core      *kube.Group
	tenancies tenancies
	offered   offered
	builtin   builtin
}

// New returns the API of openMCP. Requests that name no namespace lie in this one; Clusters, profiles and configurations are read
// wherever they lie. It does not dial.
func New(config *rest.Config, namespace string) (*Platform, error) {
	client, err := kube.NewClient(config)
	if err != nil {
		return nil, err
	}
	p := &Platform{
		namespace: namespace,
		requests:  newKinds[RequestSpec, RequestStatus](kindRequest, clustersGroup, client),
		accesses:  newKinds[AccessSpec, AccessStatus](kindAccess, clustersGroup, client),
		builtin:   builtin{turn: newTurn()},
	}
	for _, open := range []func() error{
		func() (err error) {
			p.clusters, err = newKind[ClusterSpec, ClusterStatus](kindCluster, clustersGroup, client, "")
			return err
		},
		func() (err error) {
			p.profiles, err = newKind[ProfileSpec, struct{}](kindProfile, clustersGroup, client, "")
			return err
		},
		func() (err error) {
			p.configs, err = newKind[ProviderConfigSpec, Status](kindConfig, gardenerGroup, client, "")
			return err
		},
		func() (err error) {
			p.core, err = client.Group(corev1.SchemeGroupVersion, codecs.WithoutConversion())
			return err
		},
	} {
		if err := open(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Namespace returns the namespace of requests that name none.
func (p *Platform) Namespace() string { return p.namespace }

// markAnnotation distinguishes a run that was cut short from another party: it holds a hash of what the configuration says of the object.
const markAnnotation = "hap-project.io/made-by"

// foundWithin is how old an object may be that a run which was cut short has left behind. An older one that says the same is more
// likely that of another state.
const foundWithin = 24 * time.Hour

// markOf is a hash of what a configuration says of an object. Two configurations that say the same of the same name are the same.
func markOf(parts ...any) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		text, _ := json.Marshal(part)
		texts[i] = string(text)
	}
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// made makes an object, or finds the one that this configuration has made in a run that was cut short: found says which. Where
// the answer to the write is lost, it reads what became of it.
func made[S, T any](
	ctx context.Context, k *kind[S, T], of Ref, mark string, create func(context.Context) (*object[S, T], error),
) (it *object[S, T], found bool, err error) {
	it, err = create(ctx)
	if r := reason(err); r != kube.Exists && r != kube.UnknownOutcome {
		return it, false, err
	}
	found = reason(err) == kube.Exists // otherwise it is this run's own
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	for range makeTries {
		live, lookErr := k.get(ctx, of)
		switch {
		case lookErr == nil && live.Annotations[markAnnotation] == mark && live.DeletionTimestamp == nil &&
			time.Since(live.CreationTimestamp.Time) <= foundWithin:
			return live, found, nil
		case lookErr == nil:
			return nil, false, &ExistsError{Kind: k.name, Ref: of, Deleting: live.DeletionTimestamp != nil}
		case !IsGone(lookErr):
			return nil, false, err
		}
		// What was sent may still come. Sending it again makes one object at most, and says so.
		if it, err = create(ctx); reason(err) != kube.Exists && reason(err) != kube.UnknownOutcome {
			return it, false, err
		}
	}
	return nil, false, err
}

// makeTries bounds how often a POST is sent again whose answer was lost.
const makeTries = 3
