package backend

import (
	"fmt"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
)

// SameServer returns an error where the account was last seen behind another API server: that it is not here says nothing.
func (c *Connection) SameServer(was string) error {
	if now := c.Server(); was != "" && now != "" && was != now {
		return &OtherServerError{Claim: was, Provider: now}
	}
	return nil
}

// OtherServerError says that an account was not found, and was last seen behind another API server.
type OtherServerError struct{ Claim, Provider string }

func (e *OtherServerError) Error() string {
	return fmt.Sprintf("there is no such account behind %s, and the claim was last seen behind %s", e.Provider, e.Claim)
}

// OtherKindError says that a claim was made on an object of another kind than the provider's accounts are.
type OtherKindError struct{ Claim, Provider garden.Kind }

func (e *OtherKindError) Error() string {
	return fmt.Sprintf("the claim was made on a %s, and the provider's pool.kind is %s", e.Claim, e.Provider)
}

// OtherKeysError says that a claim was made by other label keys than the provider's, and that its account is not the claim's by those.
type OtherKeysError struct {
	Account         string
	Claim, Provider garden.LabelKeys
}

// Error names the keys of both.
func (e *OtherKeysError) Error() string {
	return fmt.Sprintf("account %s is not the claim's by the labels %s of the provider; the claim was made by the labels %s",
		e.Account, strings.Join(e.Provider.All(), ", "), strings.Join(e.Claim.All(), ", "))
}

// NamespaceError says that a claim was made in another namespace than the provider's.
type NamespaceError struct{ Claim, Provider string }

func (e *NamespaceError) Error() string {
	return fmt.Sprintf("the claim was made in namespace %s, and the provider's namespace is %s", e.Claim, e.Provider)
}

// AccountElsewhereError says that an account was put somewhere else than the provider leads to.
type AccountElsewhereError struct {
	// What differs: the namespace, pool.kind or the API server.
	What string
	// Account is that of the account, Provider that of the provider.
	Account, Provider string
}

// Error names both.
func (e *AccountElsewhereError) Error() string {
	return fmt.Sprintf("the %s of the account is %s, and the provider's is %s", e.What, e.Account, e.Provider)
}

// ShootElsewhereError says that a cluster was made somewhere else than the provider leads to.
type ShootElsewhereError struct {
	What            string // what differs: the namespace or the API server
	Shoot, Provider string // that of the cluster, and that of the provider
}

// Error names both.
func (e *ShootElsewhereError) Error() string {
	return fmt.Sprintf("the %s of the cluster is %s, and the provider's is %s", e.What, e.Shoot, e.Provider)
}
