package garden

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Objects lists every object of the accounts' kind in the namespace, those without a hyperscaler type too, with their
// credentials' references and the age of the label dirty. It is the list for a survey of the whole pool; claims use
// [Garden.List], which is a fraction of it. Of Secrets nothing but the metadata is fetched.
func (g *Garden) Objects(ctx context.Context) ([]account.Object, error) {
	accept := kube.AcceptObject
	if g.kind.accept == kube.AcceptMetadata {
		accept = kube.AcceptMetadataList
	}
	return g.objectsOf(ctx, g.accounts, g.kind, accept, "")
}

// SiblingObjects lists the bindings of the other kinds for the age of their label dirty. Those that must not be listed, or whose kind is
// not there, are left out: an age is information.
func (g *Garden) SiblingObjects(ctx context.Context) (objects []account.Object, err error) {
	for _, kind := range bindingKinds {
		of := kinds[kind]
		if of.resource == g.kind.resource {
			continue
		}
		found, err := g.objectsOf(ctx, g.group(of), of, kube.AcceptObject, kind)
		if errors.As(err, new(*account.NoAPIError)) {
			continue
		}
		if _, err := forbidden(nil, err); err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

// objectsOf lists the objects of one kind; other is that kind where it is another one than the accounts'.
func (g *Garden) objectsOf(ctx context.Context, group *kube.Group, of kindOf, accept string, other Kind) ([]account.Object, error) {
	var objects []account.Object
	what := kube.Call{Verb: "list", Resource: of.resource, Namespace: g.namespace}
	err := group.List(ctx, what, metav1.ListOptions{}, func() { objects = nil },
		func(ctx context.Context, request *rest.Request) (string, error) {
			list, err := kube.Answer[runtime.Object](request.SetHeader("Accept", accept).Do(ctx))
			if err != nil {
				return "", err
			}
			page, next, err := g.objects(list, of, other)
			objects = append(objects, page...)
			return next, err
		})
	if err != nil {
		return nil, Translate(err)
	}
	return objects, nil
}

// objects reads one page of a list.
func (g *Garden) objects(list runtime.Object, of kindOf, other Kind) (page []account.Object, next string, err error) {
	about, err := meta.ListAccessor(list)
	if err != nil {
		return nil, "", fmt.Errorf("the server answers with a %T", list)
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, "", fmt.Errorf("the server answers with a %T", list)
	}
	for _, item := range items {
		found, credentials := of.read(item)
		if found == nil {
			return nil, "", fmt.Errorf("the server answers with a %T", item)
		}
		object := account.Object{Account: g.account(found, credentials, other)}
		object.Typed = !object.Sibling
		if object.Dirty != account.Clean {
			object.DirtySince = labelWritten(found, g.keys.Dirty)
		}
		page = append(page, object)
	}
	return page, about.GetContinue(), nil
}

// labelWritten returns when a manager that owns a label last wrote on the object, the earliest of several: a manager loses the
// label when another changes its value. Zero = the server does not say.
func labelWritten(object *metav1.ObjectMeta, key string) (at time.Time) {
	for _, manager := range object.ManagedFields {
		if manager.Time == nil || manager.FieldsV1 == nil {
			continue
		}
		var fields struct {
			Metadata struct {
				Labels map[string]json.RawMessage `json:"f:labels"`
			} `json:"f:metadata"`
		}
		if json.Unmarshal(manager.FieldsV1.Raw, &fields) != nil {
			continue
		}
		if _, owns := fields.Metadata.Labels["f:"+key]; owns && (at.IsZero() || manager.Time.Time.Before(at)) {
			at = manager.Time.Time
		}
	}
	return at
}

// All returns the six keys.
func (k LabelKeys) All() []string {
	return []string{k.HyperscalerType, k.TenantName, k.Shared, k.EUAccess, k.Dirty, k.Internal}
}
