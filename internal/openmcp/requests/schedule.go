package requests

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// SchedulerConfigError says what is wrong with the text of an operator's configuration.
type SchedulerConfigError struct{ Problems []strict.Problem }

func (e *SchedulerConfigError) Error() string {
	return "the operator's configuration is not right: " + strict.InLines(e.Problems)
}

// operatorConfig is the operator's configuration file. What is no business of its scheduler is not read.
type operatorConfig struct {
	Scheduler           *operator.Config `json:"scheduler,omitempty"`
	AccessRequest       map[string]any   `json:"accessRequest,omitempty"`
	ManagedControlPlane map[string]any   `json:"managedControlPlane,omitempty"`
	HelmDeployer        map[string]any   `json:"helmDeployer,omitempty"`
}

// ReadSchedulerConfig reads the scheduler's part of an operator's configuration file, YAML or JSON. It is strict, where the operator
// drops what it does not know.
//
// Errors: [*SchedulerConfigError].
func ReadSchedulerConfig(text string) (operator.Config, error) {
	var file operatorConfig
	written, problems := strict.Read(text, &file, strict.Source{
		Owner: "openmcp-operator v1.3.0", Shape: "it is no object with the key scheduler, as the operator's configuration file is",
		Nulls: true,
	})
	for i, p := range problems {
		if p.Near != "" && strings.EqualFold(p.Path[strings.LastIndexByte(p.Path, '.')+1:], p.Near) {
			problems[i] = strict.Problem{Path: p.Path,
				Text: fmt.Sprintf("the operator takes it for %s, because it does not heed capitals; write it so", p.Near)}
		}
	}
	if written != nil && file.Scheduler == nil {
		problems = append(problems, strict.Problem{Path: "scheduler",
			Text: "it is missing: scope, strategy, selectors and purposeMappings belong in it, as in the operator's configuration file"})
	}
	if len(problems) > 0 {
		return operator.Config{}, &SchedulerConfigError{problems}
	}
	if err := file.Scheduler.Check(); err != nil {
		return operator.Config{}, &SchedulerConfigError{[]strict.Problem{{Text: err.Error()}}}
	}
	return *file.Scheduler, nil
}

// Schedule says what the operator with this configuration does with a request, made or not, as the platform cluster is now. It
// writes nothing. Requests of other namespaces are not read, unless the provider's namespace is empty: then all are.
//
// Errors: those of [kube.Read].
func (o *Operator) Schedule(
	ctx context.Context, config operator.Config, w Wanted,
) (decision operator.Decision, err error) {
	request, landscape, err := o.scheduling(ctx, config, w)
	if err != nil {
		return operator.Decision{}, err
	}
	return operator.Schedule(request, landscape)
}

// scheduling is what the operator knows when a request comes.
func (o *Operator) scheduling(
	ctx context.Context, config operator.Config, w Wanted,
) (r operator.Request, l operator.Landscape, err error) {
	r = operator.Request{Ref: clusters.Ref(w.Ref), Purpose: w.Purpose, Labels: w.Labels,
		Ignored: w.Annotations[api.OperationAnnotation] == api.OperationIgnore}
	l = operator.Landscape{Config: config, AllRequests: o.objects.Namespace == ""}
	all, err := o.objects.Clusters.All(ctx)
	if err != nil {
		return r, l, err
	}
	for _, c := range all {
		l.Clusters = append(l.Clusters, SeenCluster(c))
	}
	in := w.Namespace
	if l.AllRequests {
		in = ""
	}
	requests, err := o.objects.Requests.All(ctx, in)
	for _, one := range requests {
		switch {
		case one.Ref() != w.Ref:
		case one.Spec.Purpose != w.Purpose || one.DeletionTimestamp != nil: // it goes, and this one comes in its place
			leave(&l, string(one.UID))
			continue
		default:
			r = standing(one)
		}
		l.Requests = append(l.Requests, operator.Holder{Ref: clusters.Ref(one.Ref()), UID: string(one.UID)})
	}
	return r, l, err
}

// standing is an existing request as the scheduler sees it, whatever a configuration says of it.
func standing(live *api.ClusterRequest) operator.Request {
	r := operator.Request{Ref: clusters.Ref(live.Ref()), UID: string(live.UID), Purpose: live.Spec.Purpose, Labels: live.Labels,
		Ignored: live.Annotations[api.OperationAnnotation] == api.OperationIgnore}
	if cluster := live.Status.Cluster; cluster != nil {
		r.Cluster = &clusters.Ref{Namespace: cluster.Namespace, Name: cluster.Name}
	}
	return r
}

// leave takes a request from the Clusters that it holds. One that goes with its last request is on its way out.
func leave(l *operator.Landscape, uid string) {
	for i := range l.Clusters {
		c := &l.Clusters[i]
		left := slices.DeleteFunc(slices.Clone(c.Tenants), func(one string) bool { return one == uid })
		if len(left) < len(c.Tenants) {
			c.Tenants = left
			c.Deleting = c.Deleting || len(left) == 0 && c.Labels[api.DeletedWithoutRequests] == "true"
		}
	}
}

// SeenCluster is a Cluster as the scheduler sees it.
func SeenCluster(c *api.Cluster) operator.Cluster {
	version := c.Labels[api.VersionLabel]
	if version == "" {
		version = c.Spec.Kubernetes.Version
	}
	return operator.Cluster{
		Ref: clusters.Ref(c.Ref()), Labels: c.Labels, Profile: c.Spec.Profile, Version: version, Tenancy: c.Spec.Tenancy,
		Purposes: slices.Clone(c.Spec.Purposes), Tenants: api.Tenants(c), Deleting: c.DeletionTimestamp != nil,
	}
}
