package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	"k8s.io/utils/ptr"
)

// claimPrefix is what the annotation of every claim begins with.
const claimPrefix = "hap-project.io/claim-"

// claim is what the provider records on an account.
type claim struct {
	Name          string `json:"name"`
	GlobalAccount string `json:"globalAccount"`
	Pool          string `json:"pool"`
	ClusterName   string `json:"clusterName"`
	Owner         string `json:"owner"`
	ClaimedAt     string `json:"claimedAt"`
}

// summary says in a few words who claimed what for, and how far that cluster is.
func (c claim) summary(clusters map[string]string) string {
	text := "claim " + c.Name
	if c.ClusterName != "" {
		text += " for cluster " + c.ClusterName
	}
	if state, exists := clusters[c.ClusterName]; exists {
		text += " (" + state + ")"
	}
	if c.Owner != "" {
		text += ", owner " + c.Owner
	}
	if c.ClaimedAt != "" {
		text += ", since " + c.ClaimedAt
	}
	return text
}

// clusters are those of the pool.
type clusters struct {
	number map[string]int    // by account
	states map[string]string // by name
}

// clustersOf sorts Shoots.
func clustersOf(shoots []gardencore.Shoot) clusters {
	all := clusters{number: map[string]int{}, states: map[string]string{}}
	for _, shoot := range shoots {
		all.number[ptr.Deref(shoot.Spec.CredentialsBindingName, "")]++
		all.states[shoot.Name] = "not begun"
		if last := shoot.Status.LastOperation; last != nil {
			all.states[shoot.Name] = fmt.Sprintf("%s %d %%", last.Type, last.Progress)
			if last.State == gardencore.LastOperationStateSucceeded && last.Type != gardencore.LastOperationTypeDelete {
				all.states[shoot.Name] = "runs Kubernetes " + shoot.Spec.Kubernetes.Version
			}
		}
	}
	return all
}

// printPool prints one line for every account, and one more for every further claim on it.
func printPool(out io.Writer, accounts []securityv1alpha1.CredentialsBinding, all clusters) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ACCOUNT\tHYPERSCALER TYPE\tGLOBAL ACCOUNT\tFLAGS\tCLUSTERS\tWHY")
	for _, account := range accounts {
		reasons := why(account, all.states)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\n",
			account.Name,
			account.Labels["hyperscalerType"],
			cmp.Or(account.Labels["tenantName"], "-"),
			cmp.Or(flags(account), "-"),
			all.number[account.Name],
			reasons[0])
		for _, reason := range reasons[1:] {
			fmt.Fprintf(table, "\t\t\t\t\t%s\n", reason)
		}
	}
	return table.Flush()
}

func flags(account securityv1alpha1.CredentialsBinding) string {
	var set []string
	for _, label := range []string{"shared", "euAccess", "dirty", "internal"} {
		switch value, present := account.Labels[label]; {
		case !present:
		case value == "true":
			set = append(set, label)
		default:
			set = append(set, label+"="+value)
		}
	}
	return strings.Join(set, ",")
}

// why says in what way the account is held or why it is not; it is never empty.
func why(account securityv1alpha1.CredentialsBinding, clusters map[string]string) []string {
	var reasons []string
	for key, value := range account.Annotations {
		if !strings.HasPrefix(key, claimPrefix) {
			continue
		}
		var c claim
		if err := json.Unmarshal([]byte(value), &c); err != nil {
			reasons = append(reasons, fmt.Sprintf("unreadable claim %s: %v", key, err))
			continue
		}
		text := c.summary(clusters)
		if c.GlobalAccount != account.Labels["tenantName"] {
			text += fmt.Sprintf(" (void: it is %s's)", c.GlobalAccount)
		}
		reasons = append(reasons, text)
	}
	if len(reasons) > 0 {
		slices.Sort(reasons)
		return reasons
	}
	labels := account.Labels
	switch _, dirty := labels["dirty"]; {
	case labels["shared"] == "true":
		return []string{"shared by all, never claimed"}
	case dirty:
		return []string{"given back, waits to be cleaned"}
	case labels["internal"] == "true":
		return []string{"kept back, never given out"}
	case labels["tenantName"] != "":
		return []string{"held, without a claim"}
	default:
		return []string{"free"}
	}
}
