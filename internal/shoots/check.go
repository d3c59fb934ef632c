package shoots

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Embedded templates: the Gardener cluster provider of openMCP makes Shoots of one that a ProviderConfig contains.

// oidcExtension is what each Shoot gets where a ProviderConfig names no extensions.
const oidcExtension = "shoot-oidc-service"

// CheckEmbedded has the server check a Shoot as the Gardener cluster provider would make it of a template in a ProviderConfig, with all of
// its admission, and makes none. extensions are those that each Shoot gets; nil = the cluster provider's own. The annotations that it adds
// are left out: whether the Garden takes them is no matter of the template. An admission that does not know the account yet is given a
// moment.
//
// Errors: [*RefusedError]; those of [kube.Read].
func (s *Shoots) CheckEmbedded(ctx context.Context, config string, template map[string]any, extensions []any) (err error) {
	object := clone(template)
	enforce(child(object, "spec"), extensions)
	for range makeTries {
		_, err = s.create(ctx, checkedName(config), object, dryRun)
		if !namesUnseen(err) || !kube.Sleep(ctx, makePause) {
			break
		}
	}
	if reason(err) == kube.Exists { // the server has judged it before
		return nil
	}
	if problems := refusals(err); len(problems) > 0 {
		return &RefusedError{Config: config, Problems: problems, Err: err}
	}
	return err
}

// enforce puts extensions into the spec of a Shoot, each in the place of one of its type.
func enforce(spec map[string]any, extensions []any) {
	if extensions == nil {
		extensions = []any{map[string]any{"type": oidcExtension}}
	}
	all, _ := spec["extensions"].([]any)
	for _, extension := range extensions {
		all = append(withoutType(all, typeOf(extension)), extension)
	}
	if len(all) > 0 {
		spec["extensions"] = all
	}
}

func withoutType(all []any, of string) (left []any) {
	for _, one := range all {
		if typeOf(one) != of {
			left = append(left, one)
		}
	}
	return left
}

func typeOf(extension any) string {
	object, _ := extension.(map[string]any)
	name, _ := object["type"].(string)
	return name
}

// checkedName is as long as the names that the Gardener cluster provider gives its Shoots: Gardener limits them together with the
// project's.
func checkedName(config string) string {
	hash := sha256.Sum256([]byte("check/" + config))
	return "s-" + strings.ToLower(base32.StdEncoding.EncodeToString(hash[:5])) // five bytes are eight letters
}
