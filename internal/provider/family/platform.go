package family

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// PlatformModel is the model of an object of the platform cluster.
type PlatformModel interface {
	Ref() api.Ref
	ObjectUID() string // empty = the state comes from an import
}

// Place says where an object of the platform cluster was made. What else is kept of a type embeds it.
type Place struct {
	Server string `json:"server"` // the API server
}

func (p Place) server() string { return p.Server }

// PlatformKind has the words for the objects of one type on the platform cluster, and how they are read.
type PlatformKind[L api.Object] struct {
	Kind string // what the API calls them
	Type string // their resource, such as hap_cluster
	Form string // what an import ID is, with an example

	// The summaries of what is said of an object that a run which was cut short has left, that leaves the state, and that two resources
	// want.
	Adopted, Lost, Twice string

	// Reads returns what reads an object by a list that others share, and what reads it by itself.
	Reads func(*openmcp.Platform) (recent, now PlatformRead[L])
	// Remove returns what ends an object and waits until it is gone; Removed says so in the log.
	Remove  func(*openmcp.Platform) PlatformRemove
	Removed string
}

// PlatformRead reads an object of the platform cluster.
type PlatformRead[L api.Object] func(context.Context, api.Ref) (L, error)

// PlatformRemove ends an object of the platform cluster, and waits until it is gone.
type PlatformRemove func(ctx context.Context, of api.Ref, uid string, tell func(string)) error

// OnPlatform has the hooks that all families of the platform cluster have alike.
type OnPlatform[M PlatformModel, P interface{ server() string }, L api.Object] struct {
	*Call
	Of  *PlatformKind[L]
	API *openmcp.Platform // nil before Connect or Observe

	used configs.BoundShoot // as in [Guarded]
}

// Connect makes the way to the platform cluster.
func (o *OnPlatform[M, P, L]) Connect() (err error) {
	o.API, err = o.Backend.Platform.API()
	return err
}

// Later reports whether the provider leads to a platform cluster only after an apply.
func (o *OnPlatform[M, P, L]) Later() bool { return o.Backend.Platform.Later() }

// Here is the place of what is made, or was just seen.
func (o *OnPlatform[M, P, L]) Here() Place { return Place{o.Backend.Platform.Server()} }

// Noted is an object for the ledger.
func (o *OnPlatform[M, P, L]) Noted(m M) ledger.Object {
	return ledger.Object{Type: o.Of.Type, ID: m.Ref().String(), UID: m.ObjectUID()}
}

// Object is an object of the state for the ledger.
func (o *OnPlatform[M, P, L]) Object(kept Kept[M, P]) ledger.Object { return o.Noted(kept.Model) }

// Identity is where the object lies.
func (o *OnPlatform[M, P, L]) Identity(kept Kept[M, P]) Identity {
	of := kept.Model.Ref()
	return Identity{"namespace": types.StringValue(of.Namespace), "name": types.StringValue(of.Name)}
}

// Attempt says what was tried, for a message.
func (o *OnPlatform[M, P, L]) Attempt(doing Doing, m M) string {
	name := m.Ref().String()
	if m.Ref().Name == "" {
		name = tfvalue.Name(types.StringUnknown())
	}
	return o.Backend.Platform.Attempt("%s %s %s", doing, o.Of.Kind, name)
}

// Report reports an error of an operation.
func (o *OnPlatform[M, P, L]) Report(doing Doing, m M, err error) {
	diagnose.Report(o.Diags, o.Attempt(doing, m), err)
}

// Clash reports what else a plan wants with an object; false = nothing.
func (o *OnPlatform[M, P, L]) Clash(clash ledger.Clash, m M) bool {
	return diagnose.ReportClash(o.Diags, clash, o.Noted(m), o.Of.Kind, o.Of.Twice)
}

// Gone says that an object leaves the state, or that there is none to import.
func (o *OnPlatform[M, P, L]) Gone(state Kept[M, P], err error) {
	if state.Model.ObjectUID() == "" {
		diagnose.ReportNoPlatformImport(o.Diags, o.Of.Kind, state.Model.Ref().String(), o.Of.Form)
		return
	}
	o.Diags.AddWarning(o.Of.Lost, words.Capitalized(words.WithoutStop(err))+". It is removed from the state; the next apply makes it again.")
}

// Found notes that a run which was cut short has made an object, and that this one has taken it into the state.
func (o *OnPlatform[M, P, L]) Found(found bool, made L, m M) {
	if found {
		o.Backend.Ledger.Adopt(string(made.GetUID()))
		diagnose.WarnAdopted(o.Diags, o.Of.Adopted, o.Of.Kind, m.Ref().String(), string(made.GetUID()))
	}
}

// Observe reads the object of a state, by its UID; a state from an import has none yet.
//
// Errors: those of [connection.Find].
func (o *OnPlatform[M, P, L]) Observe(ctx context.Context, state Kept[M, P], doing Doing) (live L, err error) {
	if at, guarded := any(state.Place).(Guarded); guarded {
		o.used = at.Used
		if doing != Reading { // the Cluster may be gone, and its Shoot unseen
			uses(o.Backend, at.Used)
		}
	}
	of := connection.Known{Kind: o.Of.Kind, Ref: state.Model.Ref(), UID: state.Model.ObjectUID(), Server: state.Place.server()}
	o.API, live, err = connection.Find(o.Backend.Platform, of, func(platform *openmcp.Platform, ref api.Ref) (L, error) {
		recent, now := o.Of.Reads(platform)
		if doing == Reading {
			return recent(ctx, ref)
		}
		return now(ctx, ref)
	})
	return live, err
}

// Delete ends the object, and waits until it is gone.
func (o *OnPlatform[M, P, L]) Delete(ctx context.Context, state Kept[M, P], _ L) error {
	m := state.Model
	err := o.Of.Remove(o.API)(ctx, m.Ref(), m.ObjectUID(), o.Tell(ctx, m))
	o.Log(ctx, o.Of.Removed, m, err)
	return err
}

// Log notes what came of something.
func (o *OnPlatform[M, P, L]) Log(ctx context.Context, what string, m M, err error) {
	journal.LogRequest(ctx, what, m.Ref().String(), err)
}

// Tell notes how far an object has come.
func (o *OnPlatform[M, P, L]) Tell(ctx context.Context, m M) func(string) {
	return journal.TellRequest(ctx, m.Ref().String())
}

// PlanMade plans where an object lies that is to be made, as far as the platform cluster is known, and notes it. false = there is no way to
// the platform cluster yet, or another resource of the plan wants the object.
func (o *OnPlatform[M, P, L]) PlanMade(plan *M, configured, name types.String, namespace, id *types.String) bool {
	if o.Later() {
		return false
	}
	if err := o.Connect(); err != nil {
		diagnose.ReportUnlooked(o.Diags, o.Backend, o.Of.Type, fmt.Sprintf("%s %s %s", Planning, o.Of.Kind, tfvalue.Name(name)), err)
		return false
	}
	if configured.IsNull() { // otherwise it is configured, and may be known only after an apply
		o.Put(namespace)
	}
	if !tfvalue.Known(name, *namespace) {
		return true
	}
	*id = types.StringValue((*plan).Ref().String())
	return !o.Clash(o.Backend.Ledger.Plan(o.Noted(*plan), o.Anew), *plan)
}

// PlanSuccessor refuses to plan an object in the place of another one where the server would not take it, or another party's object has its
// name: the apply would end the predecessor, and could not make the object then. check has the server check the creation; mark is that of
// the configuration. What this plan destroys keeps no name, nor does what a run of this configuration has left that was cut short.
//
// Errors: those of the check that say nothing of the object.
func (o *OnPlatform[M, P, L]) PlanSuccessor(
	ctx context.Context, plan M, predecessor Guarded, mark string, check func(context.Context) error,
) error {
	of := plan.Ref()
	if predecessor.UID == "" || of.Name == "" || of.Namespace == "" {
		return nil
	}
	err := check(ctx)
	switch api.Reason(err) {
	case kube.Exists:
		if predecessor.Ref() != of {
			return o.planName(ctx, plan, mark)
		}
		return nil
	case kube.Rejected, kube.Denied, kube.Forbidden, kube.NotFound: // for NotFound it is the namespace
		o.Report(Planning, plan, err)
		return nil
	}
	return err
}

// planName refuses to plan an object whose name another object has.
//
// Errors: those of the read.
func (o *OnPlatform[M, P, L]) planName(ctx context.Context, plan M, mark string) error {
	_, now := o.Of.Reads(o.API)
	live, err := now(ctx, plan.Ref())
	switch {
	case api.IsGone(err):
		return nil
	case err != nil:
		return err
	case api.Left(live, mark):
		return nil
	}
	if ends, _ := o.Backend.Ledger.AwaitDestroyed(ctx, o.Noted(plan)); !ends {
		o.Report(Planning, plan, &api.ExistsError{Kind: o.Of.Kind, Ref: plan.Ref(), Deleting: live.GetDeletionTimestamp() != nil})
	}
	return nil
}

// Put puts an object into the provider's namespace where the configuration names none.
func (o *OnPlatform[M, P, L]) Put(namespace *types.String) {
	if namespace.IsUnknown() || namespace.IsNull() {
		*namespace = types.StringValue(o.API.Objects.Namespace)
	}
}

// Import takes an identity or <namespace>/<name>; a name alone is one in the provider's namespace, or lies in none.
func (o *OnPlatform[M, P, L]) Import(id string, by Identity) Identity {
	_, namespaced := by["namespace"]
	if namespace, name, both := strings.Cut(id, "/"); both && namespaced {
		by = Identity{"namespace": types.StringValue(namespace), "name": types.StringValue(name)}
	} else if id != "" {
		by["name"] = types.StringValue(id)
	}
	if err := o.Connect(); err != nil { // also where settings are known only after an apply: there is nothing to read yet
		diagnose.Report(o.Diags, o.Backend.Platform.Attempt("Importing %s %s", o.Of.Kind, by["name"].ValueString()), err)
		return nil
	}
	if namespace := by["namespace"]; namespaced && namespace.IsNull() {
		o.Put(&namespace)
		by["namespace"] = namespace
	}
	for key, part := range by {
		if text := part.ValueString(); !kube.IsName(text) || key == "namespace" && !kube.IsLabelName(text) {
			of := api.Ref{Namespace: by["namespace"].ValueString(), Name: by["name"].ValueString()}
			o.Diags.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf("%q is no %s. The import ID is %s.", of, o.Of.Kind, o.Of.Form))
			return nil
		}
	}
	return by
}
