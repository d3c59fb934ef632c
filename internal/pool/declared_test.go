package pool

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// A declaration that a binding leads into the cloud account of a Secret joins accounts. It takes no binding away from its own credentials.
func TestDeclarationJoinsAndNeverParts(t *testing.T) {
	t.Parallel()
	t.Run("one of two bindings of a WorkloadIdentity is declared", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, anAccount("a", ofIdentity("w"), sameAsSecret("secret-a"), heldBy("ga-1"), bearing("ga-1", "first", newly)),
			anAccount("b", ofIdentity("w")))
		_, err := w.pool().Claim(t.Context(), request("ga-2", "first"))
		wantError[*account.ExhaustedError](t, err)
		w.wantWrites(t)
	})
	t.Run("the clusters of its own Secret are on it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, anAccount("a", withSecret("secret-1"), sameAsSecret("secret-2"), heldBy("ga-1"), bearing("ga-1", "first", newly)),
			sibling("x", "secret-1"), anAccount("c", withSecret("secret-2")))
		w.counter.add("SecretBinding x", "blue")
		_, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", account.MarkDirty))
		equal(t, "users", len(as[*account.InUseError](t, err).Users), 1)
		w.wantWrites(t)
	})
}

// ofIdentity gives an account the credentials of a WorkloadIdentity.
func ofIdentity(name string) func(*account.Account) {
	return func(a *account.Account) {
		a.Credentials = &account.Credentials{ProviderType: "aws", Ref: account.CredentialsRef{
			APIVersion: "security.gardener.cloud/v1alpha1", Kind: "WorkloadIdentity", Namespace: namespace, Name: name,
		}}
	}
}

// A claim that is on its way from one binding to another has its record on both, and reserves one place.
func TestHalfMovedClaimReservesOnePlace(t *testing.T) {
	t.Parallel()
	onBoth := []func(*account.Account){withSecret("s"), heldBy("ga-1"), bearing("ga-1", "first", newly, forCluster("blue"))}
	w := newWorld(t, anAccount("a", onBoth...), anAccount("b", onBoth...))
	s, err := w.pool().Inspect(t.Context(), "ga-1", aws, "first", "a", w.at("a").UID)
	equal(t, "reserved, error", []any{s.Reserved, err}, []any{1, nil})
}

// The old binding was deleted and made anew for another Global Account: the claim moves into no account that is in conflict.
func TestMoveFromABindingThatWasMadeAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, old(heldBy("ga-2")), anAccount("a"), sibling2(heldBy("ga-1")))
	req := w.moveOf()
	req.UID = "another"
	if _, err := w.pool().Move(t.Context(), req); err == nil {
		t.Error("the claim has moved")
	}
	w.wantWrites(t)
}
