package connection

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// PreviewTimeout bounds a read that a plan can do without.
const PreviewTimeout = 10 * time.Second

// Previews are the reads that a plan can do without: after the first without an answer none of the same kind is tried again. The zero value
// is ready.
type Previews struct {
	mu     sync.Mutex
	failed map[Asked]*NotTriedError
}

// Asked is what a preview reads. One kind does not stop another.
type Asked string

// What previews read.
const (
	AskedPool     Asked = "pool"     // with its database, if it has one
	AskedGardener Asked = "gardener" // what is not in the pool
	AskedBound    Asked = "bound"    // the Shoots that have the labels of a Cluster: another right than that of a single Shoot
	// AskedPlatform is the platform cluster. Only a read without an answer stops others: what a user may read there differs from object to
	// object.
	AskedPlatform Asked = "platform"
)

// NotTriedError is the error of a read that was not tried, because an earlier one had failed.
type NotTriedError struct{ Earlier error }

func (e *NotTriedError) Error() string {
	return "an earlier read of this plan failed: " + e.Earlier.Error()
}

// Unwrap returns why the earlier read failed.
func (e *NotTriedError) Unwrap() error { return e.Earlier }

// Try makes a read, for [PreviewTimeout] at most, unless one of its kind has failed before.
//
// Errors: those of the read, and [NotTriedError].
func (p *Previews) Try(ctx context.Context, of Asked, read func(context.Context) error) error {
	p.mu.Lock()
	failed := p.failed[of]
	p.mu.Unlock()
	if failed != nil {
		return failed
	}
	ctx, cancel := context.WithTimeout(ctx, PreviewTimeout)
	defer cancel()
	err := read(ctx)
	if err != nil && stops(of, err) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.failed == nil {
			p.failed = map[Asked]*NotTriedError{}
		}
		p.failed[of] = &NotTriedError{err}
	}
	return err
}

// stops reports whether the error of a read says that another read of its kind gets no answer either.
func stops(of Asked, err error) bool {
	if of == AskedPlatform {
		return Unreachable(err)
	}
	return unanswered(err)
}

// Unusable reports whether an error says that the settings lead nowhere.
func Unusable(err error) bool {
	return errors.As(err, new(*kube.NotConfiguredError)) || errors.As(err, new(*kube.SettingError)) ||
		errors.As(err, new(*kebdb.NotConfiguredError)) || errors.As(err, new(*kebdb.SettingError))
}

// Unreachable reports whether the platform cluster has given no usable answer.
func Unreachable(err error) bool {
	failed, ok := errors.AsType[*kube.Error](err)
	return ok && failed.Reason == kube.Unreachable && errors.As(err, new(*api.ServerError))
}

// unanswered reports whether a read that failed has got no answer: neither the pool said no, nor are settings missing that will be known
// later.
func unanswered(err error) bool { return !refused(err) && !errors.As(err, new(*settings.UnknownError)) }

// refused reports whether the pool answered, with a no.
func refused(err error) bool {
	return errors.As(err, new(*account.ExhaustedError)) || errors.As(err, new(*account.GuardError)) || refusesMove(err) ||
		RefusesAccount(err) || RefusesShoot(err)
}

// refusesMove reports whether the pool answered to a claim that is to go to another binding, with a no.
func refusesMove(err error) bool {
	return errors.As(err, new(*protocol.MoveError)) || errors.As(err, new(*protocol.UnusableError)) || errors.As(err, new(*account.TakenError))
}

// RefusesAccount reports whether the pool answered to the owner of an account, with a no.
func RefusesAccount(err error) bool {
	return errors.As(err, new(*account.SupplyError)) || errors.As(err, new(*account.ExistsError)) ||
		errors.As(err, new(*account.NotFoundError)) || errors.As(err, new(*account.NoCredentialsError)) ||
		errors.As(err, new(*account.SameCredentialsError)) || errors.As(err, new(*account.OutsideUnseenError))
}

// RefusesShoot reports whether the pool or Gardener answered to who wants a cluster, with a no.
func RefusesShoot(err error) bool {
	return errors.As(err, new(*account.HostError)) || errors.As(err, new(*account.NotFoundError)) ||
		errors.As(err, new(*shoots.ExistsError)) || errors.As(err, new(*shoots.RefusedError)) || errors.As(err, new(*shoots.MovedError)) ||
		errors.As(err, new(*shoots.GoneError)) || errors.As(err, new(*shoots.TemplateError)) || errors.As(err, new(*settings.ChangedError))
}

// Unlooked reports whether a read has failed, or was not tried, without an answer: not where settings are missing that will be known
// later, or where the run was interrupted.
func Unlooked(err error) bool {
	return err != nil && unanswered(err) && !errors.Is(err, context.Canceled)
}
