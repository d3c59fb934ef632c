package openmcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The labels by which the Gardener cluster provider finds the Shoot of a Cluster, its own or one that it adopts.
const (
	clusterNameLabel      = "gardener.clusters.openmcp.cloud/cluster-name"
	clusterNamespaceLabel = "gardener.clusters.openmcp.cloud/cluster-namespace"
)

// deletionConfirmation is what Gardener wants to see on a Shoot before it is deleted.
const deletionConfirmation = "confirmation.gardener.cloud/deletion"

// mergedAnnotation says of a Shoot which generation of the ProviderConfig was merged into it.
const mergedAnnotation = "testbed.hap-project.io/merged-generation"

// shootConfig is what of a ProviderConfig the provider goes by.
type shootConfig struct {
	Spec struct {
		ProviderRef struct {
			Name string `json:"name"`
		} `json:"providerRef"`
		Project       string        `json:"project"`
		ShootTemplate shootTemplate `json:"shootTemplate"`
	} `json:"spec"`

	generation string
	template   json.RawMessage // the spec of the Shoot
}

type shootTemplate struct {
	Metadata metav1.ObjectMeta    `json:"metadata"`
	Spec     gardencore.ShootSpec `json:"spec"`
}

func readConfig(object *unstructured.Unstructured) (config shootConfig, err error) {
	text, err := json.Marshal(object.Object)
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err != nil {
		return config, err
	}
	config.generation = strconv.FormatInt(object.GetGeneration(), 10)
	spec, _, err := unstructured.NestedMap(object.Object, "spec", "shootTemplate", "spec")
	if err == nil {
		config.template, err = json.Marshal(spec)
	}
	return config, err
}

// profileOf is the name of the profile that the provider publishes for a ProviderConfig.
func profileOf(config string) string { return Environment + "." + ProviderName + "." + config }

// offer publishes the profile of a ProviderConfig, and takes it back when that goes.
func (p *Provider) offer(ctx context.Context, object *unstructured.Unstructured) error {
	config, err := readConfig(object)
	if err != nil || config.Spec.ProviderRef.Name != ProviderName {
		return err
	}
	published := New("ClusterProfile", "", profileOf(object.GetName()))
	if object.GetDeletionTimestamp() != nil {
		if err := client.IgnoreNotFound(p.Platform.client.Delete(ctx, published)); err != nil {
			return err
		}
		return p.letGo(ctx, object)
	}
	if !slices.Contains(object.GetFinalizers(), providerFinalizer) {
		base := object.DeepCopy()
		object.SetFinalizers(append(object.GetFinalizers(), providerFinalizer))
		if err := p.Platform.client.Patch(ctx, object, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})); err != nil {
			return err
		}
	}
	if phase, _, _ := unstructured.NestedString(object.Object, "status", "phase"); phase == "Ready" {
		return nil
	}
	versions, err := p.versions(ctx, config.Spec.ShootTemplate.Spec)
	if err != nil {
		return err
	}
	published.Object["spec"] = map[string]any{
		"providerRef": map[string]any{"name": ProviderName}, "providerConfigRef": map[string]any{"name": object.GetName()},
		"supportedVersions": versions,
	}
	if err := p.platform().ensure(ctx, published); err != nil {
		return err
	}
	return p.tell(ctx, object, "Ready", nil)
}

// versions are those of the CloudProfile that a template names.
func (p *Provider) versions(ctx context.Context, spec gardencore.ShootSpec) ([]any, error) {
	var cloud gardencore.CloudProfile
	name := ptr.Deref(spec.CloudProfile, gardencore.CloudProfileReference{}).Name
	if err := p.Garden.Client().Get(ctx, client.ObjectKey{Name: name}, &cloud); err != nil {
		return nil, err
	}
	all := make([]any, len(cloud.Spec.Kubernetes.Versions))
	for i, one := range cloud.Spec.Kubernetes.Versions {
		all[i] = map[string]any{"version": one.Version}
	}
	return all, nil
}

// byShoot brings a Cluster one step further whose profile comes from a ProviderConfig: it has a Shoot. false = it comes from none.
func (p *Provider) byShoot(ctx context.Context, cluster *unstructured.Unstructured) (bool, error) {
	profile, _, _ := unstructured.NestedString(cluster.Object, "spec", "profile")
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(providerConfigKind)
	err := p.Platform.client.Get(ctx, client.ObjectKey{Name: profile[strings.LastIndex(profile, ".")+1:]}, object)
	if apierrors.IsNotFound(err) || err == nil && profile != profileOf(object.GetName()) {
		return false, nil
	}
	var config shootConfig
	if err == nil {
		config, err = readConfig(object)
	}
	if err != nil {
		return true, err
	}
	shoot, err := p.shootOf(ctx, cluster)
	switch {
	case err != nil:
		return true, err
	case cluster.GetDeletionTimestamp() != nil && shoot == nil:
		return true, p.letGo(ctx, cluster)
	case cluster.GetDeletionTimestamp() != nil:
		return true, p.takeDown(ctx, cluster, shoot)
	case !slices.Contains(cluster.GetFinalizers(), providerFinalizer):
		return true, p.hold(ctx, cluster, config.Spec.ShootTemplate.Spec.Kubernetes.Version)
	case shoot == nil:
		return true, p.makeShoot(ctx, cluster, config)
	case shoot.DeletionTimestamp == nil && shoot.Annotations[mergedAnnotation] != config.generation:
		return true, p.merge(ctx, shoot, config)
	}
	return true, p.tellShoot(ctx, cluster, shoot)
}

// shootOf is the Shoot that has the labels of a Cluster; nil = there is none.
func (p *Provider) shootOf(ctx context.Context, cluster client.Object) (*gardencore.Shoot, error) {
	var all gardencore.ShootList
	err := p.Garden.Client().List(ctx, &all, client.InNamespace(p.Garden.Name), client.MatchingLabels{
		clusterNameLabel: cluster.GetName(), clusterNamespaceLabel: cluster.GetNamespace(),
	})
	if err != nil || len(all.Items) == 0 {
		return nil, err
	}
	return &all.Items[0], nil
}

// IsShootOf reports whether a Shoot has the labels of a Cluster.
func IsShootOf(shoot *gardencore.Shoot, cluster client.Object) bool {
	return shoot.Labels[clusterNameLabel] == cluster.GetName() && shoot.Labels[clusterNamespaceLabel] == cluster.GetNamespace()
}

// shootName is the name of the Shoot that the provider makes for a Cluster: short, because Gardener allows 21 characters for it and the
// name of the project.
func shootName(namespace, name string) string {
	hash := sha256.Sum256([]byte(namespace + "/" + name))
	return "s-" + strings.ToLower(base32.StdEncoding.EncodeToString(hash[:5])) // five bytes are eight letters
}

// makeShoot makes the Shoot of a Cluster. What Gardener refuses is in the status of the Cluster.
func (p *Provider) makeShoot(ctx context.Context, cluster *unstructured.Unstructured, config shootConfig) error {
	if namespace := "garden-" + config.Spec.Project; namespace != p.Garden.Name {
		return p.notReady(ctx, cluster, fmt.Sprintf("the project %s is not served: this provider serves %s", config.Spec.Project, p.Garden.Name))
	}
	template := config.Spec.ShootTemplate
	shoot := &gardencore.Shoot{ObjectMeta: metav1.ObjectMeta{
		Namespace: p.Garden.Name, Name: shootName(cluster.GetNamespace(), cluster.GetName()), Annotations: template.Metadata.Annotations,
		Labels: map[string]string{clusterNameLabel: cluster.GetName(), clusterNamespaceLabel: cluster.GetNamespace()},
	}, Spec: template.Spec}
	for key, value := range template.Metadata.Labels {
		shoot.Labels[key] = value
	}
	metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, mergedAnnotation, config.generation)
	version, _, _ := unstructured.NestedString(cluster.Object, "spec", "kubernetes", "version")
	shoot.Spec.Kubernetes.Version = cmp.Or(version, shoot.Spec.Kubernetes.Version)
	err := p.Garden.Client().Create(ctx, shoot)
	if err != nil && !apierrors.IsAlreadyExists(err) {
		if told := p.notReady(ctx, cluster, err.Error()); told != nil {
			return told
		}
	}
	return err
}

// merge merges the template into a live Shoot, whatever that changes: also its account. Its version of Kubernetes stays.
func (p *Provider) merge(ctx context.Context, shoot *gardencore.Shoot, config shootConfig) error {
	version := shoot.Spec.Kubernetes.Version
	if err := json.Unmarshal(config.template, &shoot.Spec); err != nil {
		return err
	}
	shoot.Spec.Kubernetes.Version = version
	for key, value := range config.Spec.ShootTemplate.Metadata.Labels {
		metav1.SetMetaDataLabel(&shoot.ObjectMeta, key, value)
	}
	metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, mergedAnnotation, config.generation)
	return p.Garden.Client().Update(ctx, shoot)
}

func (p *Provider) notReady(ctx context.Context, cluster *unstructured.Unstructured, message string) error {
	return p.tell(ctx, cluster, "Not Ready", map[string]any{"conditions": []any{condition("False", message)}})
}

// tellShoot writes how far the Shoot of a Cluster is.
func (p *Provider) tellShoot(ctx context.Context, cluster *unstructured.Unstructured, shoot *gardencore.Shoot) error {
	last := shoot.Status.LastOperation
	switch {
	case shoot.DeletionTimestamp != nil:
		return p.notReady(ctx, cluster, "the Shoot "+shoot.Name+" is being deleted")
	case last == nil || last.State != gardencore.LastOperationStateSucceeded || shoot.Status.ObservedGeneration != shoot.Generation:
		return p.notReady(ctx, cluster, "the Shoot "+shoot.Name+" is being reconciled")
	}
	endpoints := make([]any, len(shoot.Status.AdvertisedAddresses))
	for i, one := range shoot.Status.AdvertisedAddresses {
		endpoints[i] = map[string]any{"name": "apiserver-" + one.Name, "url": one.URL}
	}
	return p.tell(ctx, cluster, "Ready", map[string]any{
		"conditions": []any{condition("True", "")}, "endpoints": endpoints, "apiServer": shoot.Status.AdvertisedAddresses[0].URL,
	})
}

// takeDown deletes the Shoot of a Cluster. The Cluster goes when the Shoot is gone.
func (p *Provider) takeDown(ctx context.Context, cluster *unstructured.Unstructured, shoot *gardencore.Shoot) error {
	if shoot.DeletionTimestamp == nil {
		base := shoot.DeepCopy()
		metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, deletionConfirmation, "true")
		if err := p.Garden.Client().Patch(ctx, shoot, client.MergeFrom(base)); err != nil {
			return err
		}
		if err := p.Garden.Client().Delete(ctx, shoot, client.Preconditions{UID: &shoot.UID}); err != nil {
			return err
		}
	}
	return p.tell(ctx, cluster, "In Deletion", map[string]any{"conditions": []any{
		condition("False", "the Shoot "+shoot.Name+" is being deleted"),
	}})
}
