package openmcp

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/version"
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
		LandscapeRef struct {
			Name string `json:"name"`
		} `json:"landscapeRef"`
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
	if name := config.Spec.LandscapeRef.Name; p.Landscape != "" && name != p.Landscape {
		return p.offersNothing(ctx, object, "LandscapeManagement", "UnknownLandscape", fmt.Sprintf("Landscape '%s' not found", name))
	}
	phase, _, _ := unstructured.NestedString(object.Object, "status", "phase")
	observed, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if phase == "Ready" && observed == object.GetGeneration() {
		return nil
	}
	versions, err := p.versions(ctx, config.Spec.ShootTemplate.Spec)
	if apierrors.IsNotFound(err) {
		return p.offersNothing(ctx, object, "CloudProfile", "UnknownCloudProfile", err.Error())
	}
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

// offersNothing says in the status of a ProviderConfig why there is no profile. One that was published before stays.
func (p *Provider) offersNothing(ctx context.Context, object *unstructured.Unstructured, kind, reason, message string) error {
	return p.tell(ctx, object, "Progressing", map[string]any{"conditions": []any{map[string]any{
		"type": kind, "status": "False", "reason": reason, "message": message, "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}}})
}

// versions are those of the CloudProfile that a template names, supported ones and deprecated ones, the newest first. What the template
// itself says makes no difference.
func (p *Provider) versions(ctx context.Context, spec gardencore.ShootSpec) ([]any, error) {
	var cloud gardencore.CloudProfile
	name := ptr.Deref(spec.CloudProfile, gardencore.CloudProfileReference{}).Name
	if err := p.Garden.Client().Get(ctx, client.ObjectKey{Name: name}, &cloud); err != nil {
		return nil, err
	}
	offered := slices.DeleteFunc(cloud.Spec.Kubernetes.Versions, func(v gardencore.ExpirableVersion) bool {
		return ptr.Deref(v.Classification, "") != gardencore.ClassificationSupported && !isDeprecated(v)
	})
	slices.SortStableFunc(offered, func(a, b gardencore.ExpirableVersion) int {
		if newer(a.Version, b.Version) {
			return -1
		}
		return 1
	})
	all := make([]any, len(offered))
	for i, one := range offered {
		all[i] = map[string]any{"version": one.Version, "deprecated": isDeprecated(one)}
	}
	return all, nil
}

func isDeprecated(v gardencore.ExpirableVersion) bool {
	return ptr.Deref(v.Classification, "") == gardencore.ClassificationDeprecated
}

// newer reports whether a version of Kubernetes comes after another one. What cannot be read comes first.
func newer(a, b string) bool {
	x, err := version.ParseGeneric(a)
	if err != nil {
		return false
	}
	y, err := version.ParseGeneric(b)
	return err != nil || y.LessThan(x)
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
	case cluster.GetLabels()[versionLabel] != shoot.Spec.Kubernetes.Version:
		return true, p.label(ctx, cluster, shoot.Spec.Kubernetes.Version)
	case shoot.DeletionTimestamp == nil && p.isBehind(shoot, cluster, config):
		return true, p.merge(ctx, shoot, cluster, config)
	}
	return true, p.report(ctx, cluster, shootReport{shoot: shoot})
}

// shootOf is the Shoot of a Cluster: the one that its status names, also where that is gone; where it names none, the one that has its
// labels, of which there must not be two (GetShoot of cluster-provider-gardener). Nil = there is none.
func (p *Provider) shootOf(ctx context.Context, cluster *unstructured.Unstructured) (*gardencore.Shoot, error) {
	name, _, _ := unstructured.NestedString(cluster.Object, "status", "providerStatus", "shoot", "metadata", "name")
	if name != "" {
		namespace, _, _ := unstructured.NestedString(cluster.Object, "status", "providerStatus", "shoot", "metadata", "namespace")
		var shoot gardencore.Shoot
		err := p.Garden.Client().Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &shoot)
		if apierrors.IsNotFound(err) {
			return nil, nil //nolint:nilnil // as documented
		}
		return &shoot, err
	}
	var all gardencore.ShootList
	err := p.Garden.Client().List(ctx, &all, client.InNamespace(p.Garden.Name), client.MatchingLabels{
		clusterNameLabel: cluster.GetName(), clusterNamespaceLabel: cluster.GetNamespace(),
	})
	switch {
	case err != nil || len(all.Items) == 0:
		return nil, err
	case len(all.Items) > 1:
		return nil, fmt.Errorf("found multiple shoots referencing cluster '%s'/'%s' in namespace '%s', there should never be more than one",
			cluster.GetNamespace(), cluster.GetName(), p.Garden.Name)
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

// makeShoot makes the Shoot of a Cluster: by the template alone, also its version of Kubernetes. What Gardener refuses is in the status of
// the Cluster. As soon as the Shoot is made the Cluster is ready, because no condition of the Shoot is there to fail.
func (p *Provider) makeShoot(ctx context.Context, cluster *unstructured.Unstructured, config shootConfig) error {
	if namespace := "garden-" + config.Spec.Project; namespace != p.Garden.Name {
		return p.report(ctx, cluster, shootReport{failing: metav1.Condition{
			Type: conditionShoot, Status: metav1.ConditionFalse, Reason: gardenProblem,
			Message: fmt.Sprintf("the project %s is not served: this provider serves %s", config.Spec.Project, p.Garden.Name),
		}})
	}
	template := config.Spec.ShootTemplate
	shoot := &gardencore.Shoot{ObjectMeta: metav1.ObjectMeta{
		Namespace: p.Garden.Name, Name: shootName(cluster.GetNamespace(), cluster.GetName()), Annotations: template.Metadata.Annotations,
		Labels: map[string]string{clusterNameLabel: cluster.GetName(), clusterNamespaceLabel: cluster.GetNamespace()},
	}, Spec: template.Spec}
	for key, value := range template.Metadata.Labels {
		shoot.Labels[key] = value
	}
	describe(shoot, cluster)
	metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, mergedAnnotation, config.generation)
	switch err := p.Garden.Client().Create(ctx, shoot); {
	case apierrors.IsAlreadyExists(err):
		return err
	case err != nil:
		if refusal := p.refused(ctx, cluster, shoot, err); refusal != nil {
			return refusal
		}
		return err
	}
	return p.report(ctx, cluster, shootReport{shoot: shoot})
}

// metadataPrefix begins the labels and annotations of a Cluster that its Shoot gets.
const metadataPrefix = "metadata.openmcp.cloud/"

// describe puts those labels and annotations of a Cluster on its Shoot that are meant for it, and the labels that name the Cluster. It
// takes none away.
func describe(shoot *gardencore.Shoot, cluster client.Object) {
	metav1.SetMetaDataLabel(&shoot.ObjectMeta, clusterNameLabel, cluster.GetName())
	metav1.SetMetaDataLabel(&shoot.ObjectMeta, clusterNamespaceLabel, cluster.GetNamespace())
	for key, value := range cluster.GetLabels() {
		if strings.HasPrefix(key, metadataPrefix) {
			metav1.SetMetaDataLabel(&shoot.ObjectMeta, key, value)
		}
	}
	for key, value := range cluster.GetAnnotations() {
		if strings.HasPrefix(key, metadataPrefix) {
			metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, key, value)
		}
	}
}

// isBehind reports whether the template, or what the Cluster says for it, is still to be merged into a Shoot.
func (p *Provider) isBehind(shoot *gardencore.Shoot, cluster client.Object, config shootConfig) bool {
	described := shoot.DeepCopy()
	describe(described, cluster)
	return shoot.Annotations[mergedAnnotation] != config.generation || !maps.Equal(described.Labels, shoot.Labels) ||
		!maps.Equal(described.Annotations, shoot.Annotations)
}

// merge merges the template into a live Shoot, whatever that changes: also its account. Of the versions of Kubernetes the newer one is
// taken.
func (p *Provider) merge(ctx context.Context, shoot *gardencore.Shoot, cluster client.Object, config shootConfig) error {
	live := shoot.Spec.Kubernetes.Version
	if err := json.Unmarshal(config.template, &shoot.Spec); err != nil {
		return err
	}
	if !newer(shoot.Spec.Kubernetes.Version, live) {
		shoot.Spec.Kubernetes.Version = live
	}
	for key, value := range config.Spec.ShootTemplate.Metadata.Labels {
		metav1.SetMetaDataLabel(&shoot.ObjectMeta, key, value)
	}
	describe(shoot, cluster)
	metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, mergedAnnotation, config.generation)
	return p.Garden.Client().Update(ctx, shoot)
}
