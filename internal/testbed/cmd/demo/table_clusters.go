package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// holds is what the finalizer of a request on its Cluster begins with.
const holds = "request.clusters.openmcp.cloud/"

// servers are the finalizers by which a scheduler serves a request.
var servers = map[string]string{"hap-project.io/builtin-scheduler": "the provider", "clusters.openmcp.cloud/request": "the operator"}

// printClusters prints one line for every Cluster, and one more for every further request that holds it.
func printClusters(out io.Writer, clusters, requests []unstructured.Unstructured, shoots []gardencore.Shoot) error {
	if len(clusters) == 0 {
		_, err := fmt.Fprintln(out, "There is no Cluster.")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLUSTER\tPHASE\tPROFILE\tSHOOT\tACCOUNT\tREQUESTS")
	for _, one := range clusters {
		phase, _, _ := unstructured.NestedString(one.Object, "status", "phase")
		profile, _, _ := unstructured.NestedString(one.Object, "spec", "profile")
		shoot, account := behind(one, shoots)
		held := holders(one, requests)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", one.GetName(), cmp.Or(phase, "-"), profile, shoot, account, held[0])
		for _, more := range held[1:] {
			fmt.Fprintf(table, "\t\t\t\t\t%s\n", more)
		}
	}
	return table.Flush()
}

// behind finds the Shoot of a Cluster, and its account.
func behind(cluster unstructured.Unstructured, shoots []gardencore.Shoot) (name, account string) {
	for _, shoot := range shoots {
		if openmcp.IsShootOf(&shoot, &cluster) {
			return shoot.Name, cmp.Or(ptr.Deref(shoot.Spec.CredentialsBindingName, ""), "none: no workers")
		}
	}
	return "-", "-"
}

// holders says which requests hold a Cluster, and who serves them; it is never empty.
func holders(cluster unstructured.Unstructured, requests []unstructured.Unstructured) (held []string) {
	for _, r := range requests {
		if !slices.Contains(cluster.GetFinalizers(), holds+string(r.GetUID())) {
			continue
		}
		purpose, _, _ := unstructured.NestedString(r.Object, "spec", "purpose")
		by := "no scheduler"
		for _, finalizer := range r.GetFinalizers() {
			by = cmp.Or(servers[finalizer], by)
		}
		held = append(held, fmt.Sprintf("%s, purpose %s, served by %s", r.GetName(), purpose, by))
	}
	if len(held) == 0 {
		return []string{"none"}
	}
	slices.SortFunc(held, strings.Compare)
	return held
}
