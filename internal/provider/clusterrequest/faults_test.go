package clusterrequest_test

import (
	"context"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// Without an operator a request is an error that says so, and leaves nothing. One that dies after its finalizer leaves a request that
// hangs in its deletion: it stays in the state, and goes once an operator runs again. A destroy without an operator waits, and says what
// for; the request goes with the next operator, and the next run finds none.
func TestAccClusterRequest_operatorDies(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnPlatform(t)
	start := func() {
		if err := l.StartOperator(context.Background(), testbed.Usual()); err != nil {
			t.Fatal(err)
		}
	}
	kill := func() {
		if err := l.KillOperator(); err != nil {
			t.Fatal(err)
		}
	}
	short := `timeouts = { create = "12s", delete = "8s" }`
	one := l.Provider() + acceptance.RequestOf("one", "mcp", short)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: one,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryNoScheduler, "no scheduler picked up ClusterRequest "+l.Namespace+"/one within",
					"The request was withdrawn", "Check that the openmcp-operator runs"),
			}, {
				PreConfig: func() {
					if err := l.None("ClusterRequest", "one"); err != nil {
						t.Error(err)
					}
					go seenAndLeft(l, "one") // as an operator does that dies after its first write
				},
				Config:      one,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryNotGranted, l.Namespace+"/one is not granted"),
			}, {
				PreConfig:         start,
				Config:            l.Provider() + acceptance.RequestOf("one", "mcp"),
				ConfigPlanChecks:  acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("ready", knownvalue.Bool(true))},
			}, {
				Config: l.Provider() + acceptance.RequestOf("one", "mcp", short),
			}, {
				PreConfig:   kill,
				Config:      l.Provider(),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryRequestStays, "until it is gone has ended", "that of the scheduler of openMCP"),
			}, {
				PreConfig: func() { // the deletion goes on without a run: the next one finds no request
					start()
					awaitNoRequests(t, l)
				},
				Config: l.Provider(),
				Check:  func(*terraform.State) error { return l.None("ClusterRequest", "one") },
			},
		},
	})
}

// awaitNoRequests waits until all requests and Clusters of the namespace are gone.
func awaitNoRequests(t *testing.T, l acceptance.PlatformLandscape) {
	t.Helper()
	if err := local.Poll(context.Background(), 3*time.Minute, func(context.Context) error { return l.NoRequests(nil) }); err != nil {
		t.Fatal(err)
	}
}

// seenAndLeft puts the scheduler's finalizer on a request as soon as it is there.
func seenAndLeft(l acceptance.PlatformLandscape, name string) {
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if request, err := l.Live("ClusterRequest", name); err == nil && request != nil {
			base := request.DeepCopy()
			request.SetFinalizers([]string{"clusters.openmcp.cloud/request"})
			if l.Client().Patch(context.Background(), request, client.MergeFrom(base)) == nil {
				return
			}
		}
	}
}

// A request that another party has given the annotation ignore hangs in its deletion, and the error says why.
func TestAccClusterRequest_ignoredInDeletion(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	mark := func(value any) {
		request, err := l.Live("ClusterRequest", "one")
		if err != nil || request == nil {
			t.Fatalf("%v, %v", request, err)
		}
		base := request.DeepCopy()
		annotations := request.GetAnnotations()
		delete(annotations, api.OperationAnnotation)
		if text, ok := value.(string); ok {
			annotations[api.OperationAnnotation] = text
		}
		request.SetAnnotations(annotations)
		if err := l.Client().Patch(context.Background(), request, client.MergeFrom(base)); err != nil {
			t.Fatal(err)
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		// The operator may let the request go before the last step reads it: then no destroy waits for its Cluster.
		CheckDestroy: func(*terraform.State) error { awaitNoRequests(t, l); return nil },
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RequestOf("one", "mcp", `timeouts = { delete = "`+acceptance.OperatorSees+`" }`)},
			{
				PreConfig: func() { mark("ignore") },
				Config:    l.Provider(),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryRequestStays, "openmcp.cloud/operation: ignore",
					"with which the scheduler never lets it go"),
			}, {
				PreConfig: func() { mark(nil) },
				Config:    l.Provider(),
			},
		},
	})
}

// A request that is gone leaves the state, and a cluster is requested again. One that another party has made under its name meanwhile is
// not taken for it: it is an error, and stays as it is.
func TestAccClusterRequest_goneByHand(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	config := l.Provider() + acceptance.RequestOf("one", "mcp")
	again := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionCreate)}}
	other := testbed.New("ClusterRequest", l.Namespace, "one")
	other.SetAnnotations(map[string]string{api.OperationAnnotation: api.OperationIgnore})
	other.Object["spec"] = map[string]any{"purpose": "mcp"}
	lose := func() {
		if err := l.Client().Delete(context.Background(), testbed.New("ClusterRequest", l.Namespace, "one")); err != nil {
			t.Fatal(err)
		}
		awaitNoRequests(t, l)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config},
			{PreConfig: lose, Config: config, ConfigPlanChecks: again},
			{
				PreConfig: func() {
					lose()
					if err := l.Client().Create(context.Background(), other); err != nil {
						t.Fatal(err)
					}
				},
				Config: config, ConfigPlanChecks: again,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryRequestExists, "there is a ClusterRequest "+l.Namespace+"/one already", "Nothing was written"),
			},
		},
	})
	if l.UID(t, "ClusterRequest", "one") != string(other.GetUID()) {
		t.Error("the request of the other party is another one")
	}
}
