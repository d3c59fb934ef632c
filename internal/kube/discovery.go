package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// LostPathError says that a server answers as if it had no such resource, and its own lists of what it has do not confirm that.
type LostPathError struct {
	Resource schema.GroupVersionResource
	Err      error // what came back instead of a list; nil = the server lists the resource
}

func (e *LostPathError) Error() string {
	answer := "and lists the resource itself in " + pathOf(e.Resource.GroupVersion()) + ": something between here and the API server " +
		"does not lead to it"
	if e.Err != nil {
		answer = fmt.Sprintf("and what it has cannot be listed: %v", e.Err)
	}
	return fmt.Sprintf("the server answers 404 to a list of %s, %s", e.Resource.GroupResource(), answer)
}

// Unwrap returns what came back instead of a list.
func (e *LostPathError) Unwrap() error { return e.Err }

// Lacks confirms that a server does not have a resource, after an answer 404 that may be that of a gateway: it returns nil where the server
// lists its resources, or its groups, without it.
//
// Errors: [LostPathError] where the server has the resource, or does not say what it has; those of [Read].
func (g *Group) Lacks(ctx context.Context, resource schema.GroupVersionResource) error {
	group := resource.GroupVersion()
	var found metav1.APIResourceList
	err := g.discover(ctx, pathOf(group), &found)
	failed, answered := errors.AsType[*Error](err)
	switch {
	case err == nil && (found.Kind != "APIResourceList" || found.GroupVersion != group.String()):
		return &LostPathError{Resource: resource, Err: fmt.Errorf("%s answers with something else", pathOf(group))}
	case err == nil:
		if slices.ContainsFunc(found.APIResources, func(r metav1.APIResource) bool { return r.Name == resource.Resource }) {
			return &LostPathError{Resource: resource}
		}
		return nil
	case !answered || failed.Reason != NoAPI && failed.Reason != Forbidden && failed.Reason != Rejected:
		return err
	case failed.Reason != NoAPI:
		return &LostPathError{resource, err}
	}
	var groups metav1.APIGroupList
	if err := g.discover(ctx, "/apis", &groups); err != nil {
		return &LostPathError{resource, err}
	}
	has := func(known metav1.APIGroup) bool {
		return known.Name == group.Group && slices.ContainsFunc(known.Versions, func(v metav1.GroupVersionForDiscovery) bool {
			return v.Version == group.Version
		})
	}
	switch {
	case groups.Kind != "APIGroupList" || len(groups.Groups) == 0:
		return &LostPathError{resource, errors.New("/apis answers with something else")}
	case slices.ContainsFunc(groups.Groups, has):
		return &LostPathError{resource, failed.Err}
	}
	return nil
}

func pathOf(group schema.GroupVersion) string { return "/apis/" + group.String() }

// discover reads one of the lists in which a server says what it has.
func (g *Group) discover(ctx context.Context, path string, into any) error {
	call := Call{Verb: "get", Resource: path}
	return Read(ctx, call, func(ctx context.Context) error {
		body, err := g.client.Get().AbsPath(path).MaxRetries(0).SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx).Raw()
		if err != nil {
			return err
		}
		if err := json.Unmarshal(body, into); err != nil {
			return &ForeignAnswerError{Type: "no JSON"}
		}
		return nil
	})
}
