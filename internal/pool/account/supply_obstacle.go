package account

import (
	"fmt"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Obstacle says what prevents a change by the pool's owner. That is another question than the [Class] of the account: its owner may change
// some accounts that no claim takes, and an account of any class may have records or quotas that prevent a change.
type Obstacle string

// The obstacles.
const (
	ObstacleTenant  Obstacle = "tenant"  // a Global Account holds the account
	ObstacleClaims  Obstacle = "claims"  // claims are on it
	ObstacleRecords Obstacle = "records" // records of claims lie on it that do not count any more
	// ObstacleUnreadable: records of claims lie on it that cannot be read, so that it is not known whether they count.
	ObstacleUnreadable Obstacle = "unreadable"
	ObstacleClusters   Obstacle = "clusters"  // clusters are on it
	ObstacleReleasing  Obstacle = "releasing" // a release is under way
	ObstacleDeleting   Obstacle = "deleting"  // it is being deleted
	ObstacleDirty      Obstacle = "dirty"     // it is marked dirty
	// ObstacleQuarantined: another party has put it aside, and the account that takes its place would be in circulation.
	ObstacleQuarantined Obstacle = "quarantined"
	// ObstacleUnwiped: this run has taken the Twin, which has the same credentials and is dirty or quarantined, out of the pool.
	ObstacleUnwiped  Obstacle = "unwiped"
	ObstacleUnmarked Obstacle = "unmarked" // it is marked dirty, and the Twin, which would be free without it, is not
	// ObstacleBroker: it is shared, and the broker, which reads no label to take it, may have chosen it for a cluster on its way.
	ObstacleBroker Obstacle = "broker"
	ObstacleShared Obstacle = "shared" // it is shared, and the broker does not read the label dirty of shared accounts
	// ObstacleQuotas: it has quotas, and its owner does not say whether the account that takes its place has them.
	ObstacleQuotas Obstacle = "quotas"
	// ObstacleUnclear: by labels or annotations that are not read it may be another Global Account's, shared, dirty or internal.
	ObstacleUnclear Obstacle = "unclear"
	// ObstacleLabelled: it is not made yet, and its credentials have the labels of an account that is not free.
	ObstacleLabelled Obstacle = "labelled"
	// ObstacleNamed: it is not made yet, and clusters name it: another party has deleted an account under them.
	ObstacleNamed Obstacle = "named"
)

// SupplyError says why the pool's owner must not change an account as it is, or take it out of the pool.
type SupplyError struct {
	Account  string
	Part     Part     // what was to be changed
	Obstacle Obstacle // what prevents it
	Twin     string   // the other binding of the credentials that prevents it; empty = the account itself does
	Tenant   string   // the Global Account of ObstacleTenant and ObstacleClaims
	Internal bool     // the account is internal: neither a destroyed claim nor the clean-up job ends what its tenant has of it
	// Claims are the names of the claims of ObstacleClaims, what the records of ObstacleRecords say, and the keys of ObstacleUnreadable.
	Claims []string
	Quotas []QuotaRef // those of ObstacleQuotas
	Doubts []string   // those of ObstacleUnclear, see [Account.Doubts]; what the labels of ObstacleLabelled say
	// Credentials are those of ObstacleLabelled.
	Credentials CredentialsRef
	Users       []User // those of ObstacleClusters and ObstacleNamed
	Counted     int    // how many clusters were last counted, where the Users were not read
	Err         error  // what ended the wait of ObstacleDeleting; nil = there was none
	Held        string // what keeps the account of ObstacleDeleting, see [Account]
}

func (e *SupplyError) Error() string {
	switch e.Obstacle {
	case ObstacleTenant:
		return fmt.Sprintf("%s is held by Global Account %s%s", e.bearer(), e.Tenant, e.what())
	case ObstacleClaims:
		return fmt.Sprintf("account %s bears %s of Global Account %s (%s)%s", e.Account, words.Count(len(e.Claims), "claim"), e.Tenant,
			strings.Join(e.Claims, ", "), e.what())
	case ObstacleRecords:
		return fmt.Sprintf("account %s bears %s that may count again (%s)%s", e.Account, words.Count(len(e.Claims), "record"),
			strings.Join(e.Claims, ", "), e.what())
	case ObstacleUnreadable:
		return (&UnreadableRecordError{Account: e.Account, Keys: e.Claims}).Error() + e.what()
	case ObstacleClusters:
		if len(e.Users) == 0 {
			return fmt.Sprintf("account %s has %s, as last counted%s", e.Account, words.Count(e.Counted, "cluster"), e.what())
		}
		return (&InUseError{Account: e.Account, Users: e.Users}).Error() + e.what()
	case ObstacleNamed:
		return fmt.Sprintf("clusters name account %s, which is not there (%s): made now it would be free under them, and any Global Account "+
			"could get it", e.Account, (&InUseError{Users: e.Users}).List())
	case ObstacleReleasing:
		return fmt.Sprintf("%s (label dirty=%s)%s", ClassReleasing.describe(e.bearer()), Releasing, e.what())
	case ObstacleDirty:
		return fmt.Sprintf("%s is marked dirty%s", e.bearer(), e.what())
	case ObstacleQuarantined:
		return fmt.Sprintf("account %s is quarantined (label dirty=%s), and not by this configuration: made anew it would be in circulation%s",
			e.Account, Quarantined, e.what())
	case ObstacleUnwiped:
		return fmt.Sprintf("account %s, which this run has taken out of the pool, was marked dirty or quarantined, and has the "+
			"same credentials: account %s would be free, with all that is in the cloud account", e.Twin, e.Account)
	case ObstacleUnmarked:
		return fmt.Sprintf("account %s is marked dirty, and %s, which has the same credentials, is not: without the account it would be free, "+
			"with all that is in the cloud account", e.Account, e.Twin)
	case ObstacleBroker:
		return fmt.Sprintf("account %s is shared, and the broker may have chosen it for a cluster that is still on its way: another tenant's "+
			"account would get that cluster%s", e.Account, e.what())
	case ObstacleQuotas:
		return fmt.Sprintf("account %s has %s (%s), and nothing says whether the account that takes its place has them, too%s", e.Account,
			words.Count(len(e.Quotas), "quota"), joined(e.Quotas), e.what())
	case ObstacleUnclear:
		return fmt.Sprintf("%s (%s)%s", ClassUnclear.DescribeAccount(e.Account), strings.Join(e.Doubts, ", "), e.what())
	case ObstacleLabelled:
		return fmt.Sprintf("the %s %s in namespace %q, the credentials of account %s, has labels of an account that is not free (%s): its "+
			"binding would be", e.Credentials.Kind, e.Credentials.Name, e.Credentials.Namespace, e.Account, strings.Join(e.Doubts, ", "))
	case ObstacleShared:
		return fmt.Sprintf("account %s is shared, and the broker puts clusters on a shared account whatever its label dirty says", e.Account)
	}
	text := ClassDeleting.DescribeAccount(e.Account)
	if e.Held != "" {
		text += ", " + e.Held
	}
	if e.Err == nil {
		return text + e.what()
	}
	return fmt.Sprintf("%s, and was not gone in time: %v", text, e.Err)
}

// joined lists quotas.
func joined(quotas []QuotaRef) string {
	names := make([]string, len(quotas))
	for i, q := range quotas {
		names[i] = q.String()
	}
	return strings.Join(names, ", ")
}

// what names the change.
func (e *SupplyError) what() string {
	if e.Part == PartWhole {
		return ""
	}
	if e.Twin != "" {
		return fmt.Sprintf(", and the %s of account %s cannot change", e.Part, e.Account)
	}
	return fmt.Sprintf(", and its %s cannot change", e.Part)
}

// bearer names the binding that prevents the change.
func (e *SupplyError) bearer() string {
	if e.Twin == "" {
		return "account " + e.Account
	}
	return e.Twin + ", which has the same credentials,"
}

// Unwrap returns what ended the wait.
func (e *SupplyError) Unwrap() error { return e.Err }
