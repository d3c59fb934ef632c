package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// MarkAnnotation distinguishes a run that was cut short from another party: it holds a hash of what the configuration says of the object.
const MarkAnnotation = "hap-project.io/made-by"

// foundWithin is how old an object may be that a run which was cut short has left behind. An older one that says the same is more
// likely that of another state.
const foundWithin = 24 * time.Hour

// MarkOf is a hash of what a configuration says of an object. Two configurations that say the same of the same name are the same.
func MarkOf(parts ...any) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		text, _ := json.Marshal(part)
		texts[i] = string(text)
	}
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Marked are annotations with the mark of their configuration.
func Marked(annotations map[string]string, mark string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, annotations)
	all[MarkAnnotation] = mark
	return all
}

// Left reports whether a run that was cut short may have left an object behind: it has the mark of the configuration, is young, and stays.
func Left(live metav1.Object, mark string) bool {
	return live.GetAnnotations()[MarkAnnotation] == mark && live.GetDeletionTimestamp() == nil &&
		time.Since(live.GetCreationTimestamp().Time) <= foundWithin
}

// Make makes an object, or finds the one that this configuration has made in a run that was cut short: found says which. Where
// the answer to the write is lost, it reads what became of it. What another process of the same run has made it does not take.
func Make[S, T any](
	ctx context.Context, k *Kind[S, T], of Ref, mark string, create func(context.Context) (*object[S, T], error),
) (it *object[S, T], found bool, err error) {
	it, err = create(ctx)
	if r := Reason(err); r != kube.Exists && r != kube.UnknownOutcome {
		return it, false, err
	}
	found = Reason(err) == kube.Exists // otherwise it is this run's own
	var lost error                     // of a POST that may yet come
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), OwnTime)
	defer cancel()
	for range makeTries {
		if lost == nil && Reason(err) == kube.UnknownOutcome {
			lost = err
		}
		live, lookErr := k.Get(ctx, of)
		switch {
		case lookErr == nil && Left(live, mark) && (!found || !kube.MadeIn(k.client.Run, live.Annotations)):
			return live, found, nil
		case lookErr == nil:
			return nil, false, &ExistsError{Kind: k.name, Ref: of, Deleting: live.DeletionTimestamp != nil}
		case !IsGone(lookErr):
			return nil, false, AlsoLost(lost, err)
		}
		// What was sent may still come. Sending it again makes one object at most, and says so.
		it, err = create(ctx)
		if err == nil {
			return it, false, nil
		}
		if r := Reason(err); r != kube.Exists && r != kube.UnknownOutcome {
			break
		}
	}
	return nil, false, AlsoLost(lost, err)
}

// makeTries bounds how often a POST is sent again whose answer was lost.
const makeTries = 3

// Changed is a merge patch of a map: what is wanted now, and a null for what was wanted before.
func Changed(now, before map[string]string) map[string]any {
	patch := map[string]any{}
	for key := range before {
		patch[key] = nil
	}
	for key, value := range now {
		patch[key] = value
	}
	return patch
}
