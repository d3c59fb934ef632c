package provider

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// metadataOf awaits that a Cluster has these labels and annotations, and nothing of that kind beside them.
func metadataOf(cluster func() (labels, annotations map[string]string, err error), labels, annotations string) resource.TestCheckFunc {
	const prefix = "metadata.open-control-plane.io/"
	carried := func(all map[string]string) map[string]string {
		left := map[string]string{}
		for key, value := range all {
			if name, ok := strings.CutPrefix(key, prefix); ok {
				left[name] = value
			}
		}
		return left
	}
	return func(*terraform.State) error {
		return local.Poll(context.Background(), 20*time.Second, func(context.Context) error {
			l, a, err := cluster()
			if err != nil {
				return err
			}
			return acceptance.Equal("metadata", fmt.Sprint(carried(l), carried(a)), labels+" "+annotations)
		})
	}
}

// metadata returns what reads the labels and annotations of a Cluster.
func metadata(l acceptance.PlatformLandscape, name string) func() (labels, annotations map[string]string, err error) {
	return func() (map[string]string, map[string]string, error) {
		cluster, err := l.Live("Cluster", name)
		if err != nil || cluster == nil {
			return nil, nil, fmt.Errorf("%v, %w", cluster, err)
		}
		return cluster.GetLabels(), cluster.GetAnnotations(), nil
	}
}

// metadataConfig has labels and annotations of which one each goes on to an exclusive Cluster.
func metadataConfig(stage, note string) []string {
	return []string{
		fmt.Sprintf(`labels = { team = "blue", "metadata.open-control-plane.io/stage" = %q }`, stage),
		fmt.Sprintf(`annotations = { other = "x", "metadata.open-control-plane.io/note" = %q }`, note),
	}
}

// Labels and annotations of a request that change arrive at its exclusive Cluster, although the operator does not watch them.
// Another plan is empty.
func TestAccOperator_metadataOfTheCluster(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	exclusive := metadata(l, "mcp-"+operator.NameHash(l.Namespace, "one"))
	updated := resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: l.Provider() + acceptance.RequestOf("one", "mcp", metadataConfig("dev", "a")...), ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: metadataOf(exclusive, "map[stage:dev]", "map[note:a]"),
			}, {
				Config: l.Provider() + acceptance.RequestOf("one", "mcp", metadataConfig("live", "a")...), ConfigPlanChecks: updated,
				Check: metadataOf(exclusive, "map[stage:live]", "map[note:a]"),
			}, {
				Config: l.Provider() + acceptance.RequestOf("one", "mcp", metadataConfig("live", "b")...), ConfigPlanChecks: updated,
				Check: metadataOf(exclusive, "map[stage:live]", "map[note:b]"),
			}, { // what is taken out stays there
				Config: l.Provider() + acceptance.RequestOf("one", "mcp"), ConfigPlanChecks: updated,
				Check: metadataOf(exclusive, "map[stage:live]", "map[note:b]"),
			},
		},
	})
}

// The operator of v1.3.0 fails where the first annotation of an exclusive Cluster comes from an existing request: it is not asked to, and
// the apply says what to do. It does bring labels alone.
func TestAccOperator_metadataWithoutAnnotations(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	ear := acceptance.NewEar(nil)
	of := metadata(l, "mcp-"+operator.NameHash(l.Namespace, "one"))
	labels := metadataConfig("dev", "a")[0]
	reconcile := func(*terraform.State) error {
		request, err := l.Live("ClusterRequest", "one")
		if err != nil {
			return err
		}
		_, asked := request.GetAnnotations()["openmcp.cloud/operation"]
		return acceptance.Equal("asked", fmt.Sprint(asked), "false")
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RequestOf("one", "mcp")},
			{Config: l.Provider() + acceptance.RequestOf("one", "mcp", labels), Check: metadataOf(of, "map[stage:dev]", "map[]")},
			{
				Config: l.Provider() + acceptance.RequestOf("one", "mcp", metadataConfig("live", "a")...), ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: resource.ComposeTestCheckFunc(reconcile, metadataOf(of, "map[stage:dev]", "map[]")),
			},
		},
	})
	ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryUnreached, "annotations", "kubectl annotate clusterrequests")
}

// The built-in scheduler brings labels and annotations to an exclusive Cluster as the operator does: when it makes it, and when they
// change; to a shared one none.
func TestAccBuiltin_metadataOfTheCluster(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	own := func(dedicated bool, extra ...string) string {
		return l.Builtin() + l.Workerless() + requestsOn([]string{"one"}, append(extra, fmt.Sprintf("dedicated = %t", dedicated))...)
	}
	of := func() (labels, annotations map[string]string, err error) {
		all := stagedLandscape{platform: l.PlatformCluster}.of(t, "Cluster")
		if len(all) != 1 {
			return nil, nil, fmt.Errorf("there are %d Clusters", len(all))
		}
		return all[0].GetLabels(), all[0].GetAnnotations(), nil
	}
	updated := resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: own(true, metadataConfig("dev", "a")...), ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: metadataOf(of, "map[stage:dev]", "map[note:a]"),
			}, {
				Config: own(true, metadataConfig("live", "b")...), ConfigPlanChecks: updated,
				Check: metadataOf(of, "map[stage:live]", "map[note:b]"),
			},
			{Config: own(true), ConfigPlanChecks: updated, Check: metadataOf(of, "map[stage:live]", "map[note:b]")},
			{Config: l.Builtin() + l.Workerless()},
			{Config: own(false, metadataConfig("dev", "a")...), Check: metadataOf(of, "map[]", "map[]")},
			{Config: own(false, metadataConfig("live", "b")...), ConfigPlanChecks: updated, Check: metadataOf(of, "map[]", "map[]")},
		},
	})
}
