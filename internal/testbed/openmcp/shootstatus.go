package openmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The status of a Cluster that has a Shoot, as cluster-provider-gardener v0.14.0 writes it.

// The phases.
const (
	phaseReady       = "Ready" // all conditions that there are hold
	phaseProgressing = "Progressing"
	phaseTerminating = "Terminating"
)

// The conditions of the cluster provider itself.
const (
	conditionMeta       = "Meta"
	conditionLandscape  = "LandscapeManagement"
	conditionConfigs    = "ClusterConfigurations"
	conditionShoot      = "ShootManagement"
	conditionFinalizers = "ForeignFinalizers"
)

// gardenProblem is the reason of a condition where the Garden has refused something.
const gardenProblem = "GardenClusterInteractionProblem"

// shootReport is what the status of a Cluster says of its Shoot.
type shootReport struct {
	shoot   *gardencore.Shoot // nil = there is none
	failing metav1.Condition  // the one that does not hold; without a type each holds
}

// conditions are those of the provider, and those of the Shoot, with the prefix "Gardener_".
func (r shootReport) conditions() (all []metav1.Condition) {
	for _, kind := range []string{conditionMeta, conditionLandscape, conditionConfigs, conditionShoot} {
		if kind != r.failing.Type {
			all = append(all, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: "Done"}) // the server wants some reason
		}
	}
	if r.failing.Type != "" {
		all = append(all, r.failing)
	}
	if r.shoot == nil {
		return all
	}
	for _, c := range r.shoot.Status.Conditions {
		status := metav1.ConditionStatus(c.Status)
		if c.Status == gardencore.ConditionProgressing {
			status = metav1.ConditionFalse
		}
		all = append(all, metav1.Condition{Type: "Gardener_" + string(c.Type), Status: status, Reason: c.Reason, Message: c.Message})
	}
	return all
}

// report writes the status of a Cluster that has a Shoot, unless it says so already.
func (p *Provider) report(ctx context.Context, cluster *unstructured.Unstructured, r shootReport) error {
	phase, conditions := phaseReady, r.conditions()
	if slices.ContainsFunc(conditions, func(c metav1.Condition) bool { return c.Status != metav1.ConditionTrue }) {
		phase = phaseProgressing
	}
	if cluster.GetDeletionTimestamp() != nil {
		phase = phaseTerminating
	}
	was, _, _ := unstructured.NestedMap(cluster.Object, "status")
	status := map[string]any{"phase": phase, "observedGeneration": cluster.GetGeneration(), "conditions": dated(conditions, was)}
	if r.shoot != nil {
		var endpoints []any
		for _, one := range r.shoot.Status.AdvertisedAddresses {
			endpoints = append(endpoints, map[string]any{"name": one.Name, "url": one.URL})
		}
		if len(endpoints) > 0 {
			status["endpoints"] = endpoints
		}
		template, err := manifest(r.shoot)
		if err != nil {
			return err
		}
		status["providerStatus"] = map[string]any{"shoot": template}
	}
	delete(was, "lastReconcileTime")
	if isSame(was, status) {
		return nil
	}
	base := cluster.DeepCopy()
	status["lastReconcileTime"] = time.Now().UTC().Format(time.RFC3339)
	cluster.Object["status"] = status
	return p.Platform.client.Status().Patch(ctx, cluster, client.MergeFrom(base))
}

// isSame reports whether two statuses are encoded alike.
func isSame(a, b map[string]any) bool {
	x, err := json.Marshal(a)
	y, other := json.Marshal(b)
	return err == nil && other == nil && bytes.Equal(x, y)
}

// dated are conditions with the times at which their status has changed, as objects.
func dated(conditions []metav1.Condition, was map[string]any) (all []any) {
	before, _, _ := unstructured.NestedSlice(was, "conditions")
	for _, c := range conditions {
		since := time.Now().UTC().Format(time.RFC3339)
		for _, one := range before {
			old, _ := one.(map[string]any)
			if old["type"] == c.Type && old["status"] == string(c.Status) {
				since = fmt.Sprint(old["lastTransitionTime"])
			}
		}
		all = append(all, map[string]any{
			"type": c.Type, "status": string(c.Status), "reason": c.Reason, "message": c.Message, "lastTransitionTime": since,
		})
	}
	return all
}

// manifest is what the status of a Cluster has of its Shoot: metadata and spec, without what is Gardener's own.
func manifest(shoot *gardencore.Shoot) (template map[string]any, err error) {
	of := gardencore.ShootTemplate{ObjectMeta: *shoot.ObjectMeta.DeepCopy(), Spec: *shoot.Spec.DeepCopy()}
	of.ManagedFields, of.ResourceVersion, of.UID, of.OwnerReferences, of.Finalizers = nil, "", "", nil, nil
	text, err := json.Marshal(of)
	if err == nil {
		err = json.Unmarshal(text, &template)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding Shoot %s: %w", shoot.Name, err)
	}
	if metadata, ok := template["metadata"].(map[string]any); ok && metadata["creationTimestamp"] == nil { // a merge patch would delete it
		delete(metadata, "creationTimestamp")
	}
	return template, nil
}

// refused writes that the Garden has refused the Shoot of a Cluster. The status names the Shoot all the same.
func (p *Provider) refused(ctx context.Context, cluster *unstructured.Unstructured, shoot *gardencore.Shoot, err error) error {
	shoot.Status = gardencore.ShootStatus{}
	return p.report(ctx, cluster, shootReport{shoot, metav1.Condition{
		Type: conditionShoot, Status: metav1.ConditionFalse, Reason: gardenProblem,
		Message: fmt.Sprintf("error creating or updating shoot '%s' in namespace '%s': %v", shoot.Name, shoot.Namespace, err),
	}})
}

// takeDown deletes the Shoot of a Cluster, once no other finalizer holds the Cluster. The Cluster goes when the Shoot is gone.
func (p *Provider) takeDown(ctx context.Context, cluster *unstructured.Unstructured, shoot *gardencore.Shoot) error {
	waiting := metav1.Condition{
		Type: conditionShoot, Status: metav1.ConditionFalse, Reason: "WaitingForDeletion", Message: "Waiting for shoot to be deleted",
	}
	others := slices.DeleteFunc(cluster.GetFinalizers(), func(f string) bool { return f == providerFinalizer })
	if len(others) > 0 {
		waiting.Type = conditionFinalizers
		waiting.Message = fmt.Sprintf("Waiting for foreign finalizers to be removed: %v", others)
		return p.report(ctx, cluster, shootReport{shoot, waiting})
	}
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
	return p.report(ctx, cluster, shootReport{shoot, waiting})
}
