package shoots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// Fields that a newer Gardener has, and the types that are built into this provider do not know.

// Knows asks the server whether it knows all fields of a template: it decodes a Shoot of the name, strictly, and makes none. What else it
// may refuse about the Shoot does not count here. name is that of the Shoot; empty = it is not known yet.
//
// Errors: [*RefusedError] with the fields that the server does not know; those of [kube.Read] where it does not answer.
func (s *Shoots) Knows(ctx context.Context, name string, t Template) error {
	if name == "" {
		name = "template" // any name does: the server decodes a Shoot before it judges it
	}
	call := s.call("create", name)
	body, err := json.Marshal(s.named(name, t.named()))
	if err != nil { // what was decoded can be encoded
		return fmt.Errorf("encoding the template of Shoot %s: %w", name, err)
	}
	options := &metav1.CreateOptions{DryRun: dryRun.of(), FieldValidation: metav1.FieldValidationStrict}
	err = kube.Read(ctx, call, func(ctx context.Context) error {
		err := s.core.Request(call).VersionedParams(options, metav1.ParameterCodec).Body(body).Do(ctx).Error()
		if failed := apierrors.APIStatus(nil); errors.As(err, &failed) && strings.HasPrefix(failed.Status().Message, ofAdmission) {
			return nil
		}
		return err
	})
	if unknown := unknownFields(err); len(unknown) > 0 {
		return &RefusedError{Name: name, Problems: unknown, Err: err}
	}
	if reason(err) == kube.Exists || len(refusals(err)) > 0 {
		return nil // it has decoded the Shoot, and judged it
	}
	return err
}

// ofAdmission begins an error of the server after the decoding: Gardener's admission fails on a Shoot that is not complete.
const ofAdmission = "Internal error occurred: "

// unknownField is how an API server names a field that it does not know: where it decodes an object, and where it applies one.
var unknownField = regexp.MustCompile(`unknown field "([^"]+)"|\.(\S+): field not declared in schema`)

// unknownFields are the fields that a server says it does not know; none where the error is another one.
func unknownFields(err error) (found []Problem) {
	failed, ok := errors.AsType[*kube.Error](err)
	var answer apierrors.APIStatus
	if !ok || !errors.As(failed.Err, &answer) {
		return nil
	}
	for _, m := range unknownField.FindAllStringSubmatch(answer.Status().Message, -1) {
		found = append(found, strict.UnknownField(m[1]+m[2], reflect.TypeFor[gardencore.Shoot](), "Gardener"))
	}
	return found
}

// Whole reads the Shoot that was seen once more, with the fields that this provider's types do not know.
//
// Errors: [*GoneError]; those of [kube.Read].
func (s *Shoots) Whole(ctx context.Context, of Shoot) (Shoot, error) {
	call := s.call("get", of.Name)
	var text []byte
	err := kube.Read(ctx, call, func(ctx context.Context) (err error) {
		// As JSON: what the types do not know is lost where they decode it, and protobuf has no names for it.
		text, err = s.core.Request(call).SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx).Raw()
		return err
	})
	if err != nil {
		return Shoot{}, gone(of.Name, of.UID, err)
	}
	var live gardencore.Shoot
	var whole map[string]any
	if err := errors.Join(strict.Decode(text, &live), strict.Decode(text, &whole)); err != nil {
		return Shoot{}, fmt.Errorf("decoding Shoot %s: %w", of.Name, err)
	}
	if string(live.UID) != of.UID {
		return Shoot{}, &GoneError{Name: of.Name, UID: of.UID}
	}
	of = seen(&live)
	of.whole = whole
	return of, nil
}
