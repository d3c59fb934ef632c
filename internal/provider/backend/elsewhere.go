package backend

import (
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
)

// server is the API server that the provider talks to, as far as it is known.
func (b *Backend) Server() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.host
}

// sameServer is an error where the account was last seen behind another API server: that it is not here says nothing.
func (b *Backend) SameServer(was string) error {
	if now := b.Server(); was != "" && now != "" && was != now {
		return &OtherServerError{claim: was, provider: now}
	}
	return nil
}

// otherServerError says that an account was not found, and was last seen behind another API server.
type OtherServerError struct{ claim, provider string }

func (e *OtherServerError) Error() string {
	return fmt.Sprintf("there is no such account behind %s, and the claim was last seen behind %s", e.provider, e.claim)
}

// otherKindError says that a claim was made on an object of another kind than the provider's accounts are.
type OtherKindError struct{ Claim, Provider garden.Kind }

func (e *OtherKindError) Error() string {
	return fmt.Sprintf("the claim was made on a %s, and the provider's pool.kind is %s", e.Claim, e.Provider)
}

// elsewhereError says that a claim was made in another namespace than the provider's.
type ElsewhereError struct{ Claim, Provider string }

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("the claim was made in namespace %s, and the provider's namespace is %s", e.Claim, e.Provider)
}
