package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// clusterWatch follows the Clusters of a stage.
type clusterWatch struct {
	mu    sync.Mutex
	asked bool            // from now on Clusters are asked to go
	named map[string]bool // the Clusters that the status of a request has named
	wrong []string
}

// watchClusters follows the Clusters of the stage to the end of the test, and fails it where one went unasked, or had more requests than
// its tenancy allows. One that no status has named yet may go with a request that is given up in the moment of its grant.
func (s platformStage) watchClusters(t *testing.T) *clusterWatch {
	t.Helper()
	api, err := dynamic.NewForConfig(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	w := &clusterWatch{named: map[string]bool{}}
	var following sync.WaitGroup
	var stops []func()
	for name, see := range map[string]func(watch.Event){"clusters": w.see, "clusterrequests": w.seeRequest} {
		resource := schema.GroupVersionResource{Group: "clusters.openmcp.cloud", Version: "v1alpha1", Resource: name}
		events, err := api.Resource(resource).Namespace(s.namespace).Watch(context.Background(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		stops = append(stops, events.Stop)
		following.Go(func() {
			for event := range events.ResultChan() {
				see(event)
			}
		})
	}
	t.Cleanup(func() {
		for _, stop := range stops {
			stop()
		}
		following.Wait()
		for _, wrong := range slices.Compact(w.wrong) {
			t.Error(wrong)
		}
	})
	return w
}

// tenancies are how many requests a Cluster of a purpose may have at once; none = any number.
var tenancies = map[string]int{"mcp": 1, "workload": 2}

// seeRequest notes which Cluster the status of a request names.
func (w *clusterWatch) seeRequest(event watch.Event) {
	request, ok := event.Object.(*unstructured.Unstructured)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if name, _, _ := unstructured.NestedString(request.Object, "status", "cluster", "name"); name != "" {
		w.named[name] = true
	}
}

func (w *clusterWatch) see(event watch.Event) {
	cluster, ok := event.Object.(*unstructured.Unstructured)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if goes := event.Type == watch.Deleted || cluster.GetDeletionTimestamp() != nil; goes && !w.asked && w.named[cluster.GetName()] {
		w.wrong = append(w.wrong, fmt.Sprintf("Cluster %s was deleted, and nothing asked for it", cluster.GetName()))
	}
	requests := 0
	for _, finalizer := range cluster.GetFinalizers() {
		if strings.HasPrefix(finalizer, "request.") {
			requests++
		}
	}
	purposes, _, _ := unstructured.NestedStringSlice(cluster.Object, "spec", "purposes")
	for _, purpose := range purposes {
		if most := tenancies[purpose]; most > 0 && requests > most {
			w.wrong = append(w.wrong, fmt.Sprintf("Cluster %s of purpose %s has %d requests", cluster.GetName(), purpose, requests))
		}
	}
}

// mayLose says whether Clusters are asked to go from now on. What has begun to go before was not.
func (s platformStage) mayLose(t *testing.T, asked bool) {
	t.Helper()
	s.clusters.mu.Lock()
	defer s.clusters.mu.Unlock()
	if asked && !s.clusters.asked {
		for _, cluster := range s.live(t, ownKind) {
			if cluster.GetDeletionTimestamp() != nil {
				t.Errorf("Cluster %s is being deleted, and nothing asked for it", cluster.GetName())
			}
		}
	}
	s.clusters.asked = asked
}
