// Package journal writes the log of the provider in parts with levels of their own: the Garden, the database, the pool.
package journal

import (
	"context"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// subsystem is a part of the log with a level of its own: the variable TF_LOG_PROVIDER_HAP_<NAME>, else that of the
// provider as a whole.
type subsystem string

// The subsystems.
const (
	// logGarden has each request to the Garden, and to the platform cluster: never of a header or a body.
	logGarden subsystem = "garden"
	// logDatabase has each query of the broker's database.
	logDatabase subsystem = "database"
	// logPool has what was decided, and what was written on which account.
	logPool subsystem = "pool"
	// logPlatform has what becomes of requests on the platform cluster of openMCP.
	logPlatform subsystem = "platform"
	// logShoots has how far Gardener is with the clusters.
	logShoots subsystem = "shoots"
)

// levelVariable is what the names of the variables begin with.
const levelVariable = "TF_LOG_PROVIDER_HAP"

// journal writes to one subsystem, without the secrets that it knows.
type journal struct {
	subsystem subsystem
	secrets   []string
}

// minSecret is the least length of a text that is masked: a shorter one would tear holes into all the rest.
const minSecret = 4

// silenced says that nothing is logged in this process; see [Silence].
var silenced bool

// Silence has this process log nothing, and not even write down what it would log. It is called before the provider is served.
func Silence() { silenced = true }

func newJournal(s subsystem, secrets ...string) journal {
	j := journal{subsystem: s}
	for _, secret := range secrets {
		if len(secret) >= minSecret {
			j.secrets = append(j.secrets, secret)
		}
	}
	return j
}

// fit makes what an entry says fit to be read: errors and names may be texts of a server.
func (f fields) fit() fields {
	for key, value := range f {
		if text, ok := value.(string); ok {
			f[key] = kube.Clean(text)
		}
	}
	return f
}

// on returns the context to write with. It is made for each entry: contexts come from the framework, one per call, and
// what runs in between knows nothing of logs.
func (j journal) on(ctx context.Context) context.Context {
	name := string(j.subsystem)
	ctx = tflog.NewSubsystem(ctx, name, tflog.WithLevelFromEnv(levelVariable, name), tflog.WithRootFields(),
		tflog.WithAdditionalLocationOffset(1))
	return tflog.SubsystemMaskLogStrings(ctx, name, j.secrets...)
}

// fields are what an entry says beside its message.
type fields map[string]any

func (j journal) trace(ctx context.Context, message string, f fields) {
	if silenced {
		return
	}
	tflog.SubsystemTrace(j.on(ctx), string(j.subsystem), kube.Clean(message), f.fit())
}

// inform writes what goes on while a user waits.
func (j journal) inform(ctx context.Context, message string, f fields) {
	if silenced {
		return
	}
	tflog.SubsystemInfo(j.on(ctx), string(j.subsystem), kube.Clean(message), f.fit())
}

// tell logs how something ended: a warning where it failed, else an entry at level debug.
func (j journal) tell(ctx context.Context, message string, f fields, err error) {
	if silenced {
		return
	}
	if err == nil {
		tflog.SubsystemDebug(j.on(ctx), string(j.subsystem), kube.Clean(message), f.fit())
		return
	}
	f["error"] = err.Error()
	tflog.SubsystemWarn(j.on(ctx), string(j.subsystem), kube.Clean(message), f.fit())
}
