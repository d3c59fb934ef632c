package clusterrequest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// warnNotReady says what keeps a requested cluster from being ready, and how dependents are kept waiting.
func warnNotReady(diags *diag.Diagnostics, r *api.ClusterRequest, err error) {
	next := "the next apply waits on"
	if errors.As(err, new(*api.ShootRefusedError)) {
		next = family.MendTemplate
	}
	text := fmt.Sprintf("Request %s is granted: %s.\n\nThe request is kept, with ready = false; %s. What depends on the "+
		"cluster must not run: a postcondition with condition = self.ready in its lifecycle block fails the apply there.",
		r.Ref(), words.WithoutStop(err), next)
	if f := diagnose.Explain(err); f.Summary == diagnose.SummaryPlatformForbidden {
		text += "\n\n" + f.Remedy
	}
	diags.AddWarning(diagnose.SummaryClusterUnready, text)
}

// warnUnseen says that a request's Cluster was not seen.
func warnUnseen(diags *diag.Diagnostics, r *api.ClusterRequest, err error) {
	if api.IsGone(err) {
		next := "An apply shows the request to the scheduler again, which makes the Cluster anew, without what was in it."
		switch {
		case builtin.Serves(r):
			next = "An apply grants it one of that name again, which is made anew where there is none, without what was in it. The prefix may " +
				"be another."
		case api.LeftAlone(r):
			next = "The request bears " + api.OperationAnnotation + ": " + api.OperationIgnore + ", with which the scheduler leaves it " +
				"alone: without that annotation an apply has the Cluster made anew."
		}
		diags.AddWarning(diagnose.SummaryClusterLost, fmt.Sprintf("Request %s exists, and the Cluster %s that it held does not: "+
			"another party has deleted it. %s To be without it, destroy the request.", r.Ref(), r.Status.Cluster, next))
		return
	}
	f := diagnose.Explain(err)
	diags.AddWarning(f.Summary, fmt.Sprintf("Cluster %s of request %s was not read: %s. What the state has of it stays.\n\n%s",
		r.Status.Cluster, r.Ref(), f.Brief, f.Remedy))
}

// warnUnheld says that a request has lost the grant on its Cluster, which still exists.
func warnUnheld(diags *diag.Diagnostics, r *api.ClusterRequest) {
	diags.AddWarning(diagnose.SummaryGrantLost, fmt.Sprintf("Cluster %s still exists, and request %s does not hold it any more: another "+
		"party has taken the finalizer of the request off it, or has made it anew. An apply grants it to the request again, where it still "+
		"fits; the prefix may be another. A destroy of the request deletes the Cluster where it was granted to the request, and no other "+
		"request that was granted it lives: the plan says so.", r.Status.Cluster, r.Ref()))
}

// warnUnserved says that a handover was cut short, and that the built-in scheduler serves its request again.
func warnUnserved(diags *diag.Diagnostics, r *api.ClusterRequest) {
	diags.AddWarning(diagnose.SummaryUnserved, fmt.Sprintf("Request %s exists, and no scheduler serves it: its handover to the "+
		"openmcp-operator was cut short, and platform.scheduler of the provider block is \"builtin\". An apply has the built-in scheduler serve "+
		"it again, with the Cluster and the prefix that it has. Until then do not delete it by hand: without a finalizer it is gone at once, "+
		"and its Cluster %s stays held for ever.", r.Ref(), r.Status.Cluster))
}

// warnRefused says, in a plan, that a scheduler of another party has denied a request, and what the apply does about it.
func warnRefused(diags *diag.Diagnostics, state requestModel) {
	diags.AddWarning(diagnose.SummaryNotGranted, fmt.Sprintf("Request %s was denied, and its scheduler leaves it alone. This apply has it "+
		"looked at again (annotation %s: reconcile), and waits. Mend the cause first: otherwise it is denied again.", state.Ref(),
		api.OperationAnnotation))
}

// standing says of a denial that its request existed before: Terraform does not taint it.
func standing(err error) error {
	if denied, ok := errors.AsType[*builtin.DeniedError](err); ok {
		of := *denied
		of.Standing = true
		return &of
	}
	return err
}

// warnUnreached says that the operator does not bring labels and annotations of a request to its Cluster; nil = it does.
func warnUnreached(diags *diag.Diagnostics, r *api.ClusterRequest, c *api.Cluster) {
	if c == nil {
		return
	}
	diags.AddAttributeWarning(path.Root("annotations"), diagnose.SummaryUnreached, fmt.Sprintf("Request %s has annotations that go on to its "+
		"exclusive Cluster %s, and the Cluster has no annotation yet: openmcp-operator v1.3.0 fails at the first one, and brings the labels "+
		"neither. It was not asked to. Put any annotation on the Cluster, and have the operator look at the request again:\n\n"+
		"  kubectl annotate clusters.clusters.openmcp.cloud -n %s %s example.com/first=\n"+
		"  kubectl annotate clusterrequests.clusters.openmcp.cloud -n %s %s %s=%s", r.Ref(), c.Ref(), c.Namespace, c.Name, r.Namespace, r.Name,
		api.OperationAnnotation, api.OperationReconcile))
}

// warnPrefix says that a request has no prefix, or, once in a run, that prefixes were not compared.
func (r *requestResource) warnPrefix(diags *diag.Diagnostics, of *api.ClusterRequest, err error) {
	f := diagnose.Explain(err)
	if errors.As(err, new(*requests.PrefixError)) {
		diags.AddWarning(f.Summary, fmt.Sprintf("The prefix of request %s cannot be determined: %s.\n\n%s", of.Ref(), f.Brief, f.Remedy))
		return
	}
	if r.Backend.Ledger.First("prefix", f.Summary) {
		diags.AddWarning(f.Summary, fmt.Sprintf("The prefix of request %s was not compared with those of other requests: %s.\n\n%s",
			of.Ref(), f.Brief, f.Remedy))
	}
}

// reportProtected refuses to withdraw a request that is the last to hold its Cluster: by itself, or with others of this run. The guards are
// what is protected: this request, others, or the Cluster.
func reportProtected(diags *diag.Diagnostics, of api.Ref, guards []string, c *api.Cluster) {
	holds := ", and it is the last that holds Cluster " + c.Ref().String()
	if !slices.Equal(guards, []string{"request " + of.String()}) {
		holds = fmt.Sprintf(", and this run withdraws all requests that hold Cluster %s, request %s among them", c.Ref(), of)
	}
	family.ReportProtected(diags, holds, guards...)
}

// reportLeft says that a request which is being withdrawn stays on its protected Cluster: the others that held it have left it meanwhile.
func reportLeft(diags *diag.Diagnostics, of api.Ref, guards []string, c *api.Cluster) {
	diags.AddAttributeError(path.Root("deletion_protection"), diagnose.SummaryShootProtected, fmt.Sprintf("Request %s was withdrawn while "+
		"others held Cluster %s, and these have left it meanwhile: the Cluster would be deleted with it, and deletion_protection = true of "+
		"%s in the state guards that. The Cluster was not deleted, and the request stays on it; it is being deleted, and gets no other "+
		"Cluster. To keep the Cluster, have another request hold it, and run the same command again. To end both, write the resource with "+
		"deletion_protection = false, apply, and then destroy it.", of, c.Ref(), words.List(guards)))
}

// reportUnannounced refuses to withdraw a request that has become the last one on its Cluster since the plan.
func reportUnannounced(diags *diag.Diagnostics, of api.Ref, c *api.Cluster) {
	diags.AddError(diagnose.SummaryEndUnannounced, fmt.Sprintf("Request %s is the last that holds Cluster %s, and the plan does not say that "+
		"the Cluster goes: other requests held it then, or its label %s was another one. The Cluster would be deleted with the request, and "+
		"all that runs there would be lost. The request was not withdrawn. Plan again: the plan shows what goes. To keep the Cluster, have "+
		"another request hold it before.", of, c.Ref(), api.DeletedWithoutRequests))
}

// reportLeftUnannounced says that a request which is being withdrawn stays on its Cluster: the others that held it have left it meanwhile,
// and the plan has not said that it goes.
func reportLeftUnannounced(diags *diag.Diagnostics, of api.Ref, c *api.Cluster) {
	diags.AddError(diagnose.SummaryEndUnannounced, fmt.Sprintf("Request %s was withdrawn while others held Cluster %s, and these have left "+
		"it meanwhile: the Cluster would be deleted with the request, and the plan does not say so. The Cluster was not deleted, and the "+
		"request stays on it; it is being deleted, and gets no other Cluster. Plan again: the plan shows what goes. To keep the Cluster, have "+
		"another request hold it before.", of, c.Ref()))
}

// warnEnds says which cluster goes with a request, and which Shoots are behind it.
func warnEnds(diags *diag.Diagnostics, r *api.ClusterRequest, c *api.Cluster, behind []string) {
	with := "is the last that holds"
	switch n := len(api.Tenants(c)); {
	case n > 1:
		with = fmt.Sprintf("is withdrawn with all %d that hold", n)
	case !api.Holds(c, r): // another party has taken its finalizer off
		with = "is withdrawn with all that were granted"
	}
	along := ""
	if len(behind) > 0 {
		along = " and " + words.List(behind)
	}
	diags.AddWarning(diagnose.SummaryClusterEnds, fmt.Sprintf("Request %s %s Cluster %s, whose label %s is \"true\": the scheduler deletes "+
		"the Cluster%s with it, and all that runs there is lost. Nothing of it has the annotation %s, which a hap_cluster or hap_shoot with "+
		"deletion_protection = true writes, also one of another state; an earlier release and an import write none.", r.Ref(), with, c.Ref(),
		api.DeletedWithoutRequests, along, kube.ProtectionAnnotation))
}

// warnVersion says that the Cluster of a request runs another version of Kubernetes than the one that is wanted: by the request itself, or
// of the operator, which wants what its configuration says. There a later patch is no difference.
func (r *requestResource) warnVersion(request *api.ClusterRequest, c *api.Cluster) {
	if asked, err := builtin.ADRRequestOf(request); err == nil {
		family.WarnVersion(r.Diags, path.Root("kubernetes_version_wanted"), c, asked.KubernetesVersion)
		return
	}
	wanted := c.Spec.Kubernetes.Version
	differs := family.RunsOther(c, wanted) && !adr.IsLaterPatch(c.Labels[api.VersionLabel], wanted)
	if differs && r.Backend.Ledger.First(diagnose.SummaryVersionOther, string(c.UID)) { // many requests may share the Cluster
		family.WarnVersion(r.Diags, path.Root("purpose"), c, wanted)
	}
}

// warnStays says that a request which was given up is still there.
func warnStays(diags *diag.Diagnostics, r *api.ClusterRequest, err error) {
	diags.AddWarning(diagnose.SummaryRequestStays, fmt.Sprintf("Request %s was not granted in time, so it was to be withdrawn: %s. It is "+
		"kept in the state, tainted: the next apply withdraws it, waits until it is gone, and makes another.", r.Ref(), words.WithoutStop(err)))
}

// warnKept says that a request which was to be given up is still there, and that it is not known whether it is granted.
func warnKept(diags *diag.Diagnostics, r *api.ClusterRequest, why, err error) {
	f := diagnose.Explain(err)
	diags.AddWarning(diagnose.SummaryNotGranted, fmt.Sprintf("%s. Request %s could not be withdrawn either: %s. It may be granted by now. "+
		"It is kept, with ready = false; the next apply waits on. What depends on the cluster must not run: a postcondition with condition = "+
		"self.ready in its lifecycle block fails the apply there.\n\n%s", words.Capitalized(words.WithoutStop(why)), r.Ref(), f.Brief, f.Remedy))
}

// warnNotInStatus says that a request of the built-in scheduler holds a Cluster, and that its status does not say so.
func warnNotInStatus(diags *diag.Diagnostics, r *api.ClusterRequest, why error) {
	if !builtin.Serves(r) {
		return
	}
	f := diagnose.Explain(why)
	diags.AddWarning(diagnose.SummaryNotInStatus, fmt.Sprintf("Request %s holds Cluster %s, and its status does not say so: %s. Others that "+
		"look at the request take it for one that is not granted; the next apply writes it.\n\n%s", r.Ref(), r.Status.Cluster, f.Brief, f.Remedy))
}

// warnUndecided says that it is not known whether a request of the built-in scheduler holds a Cluster.
func warnUndecided(diags *diag.Diagnostics, r *api.ClusterRequest, why error) {
	f := diagnose.Explain(why)
	diags.AddWarning(f.Summary, fmt.Sprintf("%s. Request %s is kept, with ready = false: withdrawn now, it could leave a grant behind that "+
		"comes late. What depends on the cluster must not run: a postcondition with condition = self.ready in its lifecycle block fails the "+
		"apply there.\n\n%s", words.Capitalized(words.WithoutStop(why)), r.Ref(), f.Remedy))
}
