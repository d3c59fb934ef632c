package scenarios

import (
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// ending is a claim with this end, of a Global Account of its own.
func ending(label, mode string) string {
	return claim(label, "ga-"+label, fmt.Sprintf("on_destroy = %q", mode))
}

// F23: what a destroy leaves of the account, by on_destroy and by what the account has seen.
func TestF23DestroySemantics(t *testing.T) {
	t.Parallel()
	type left struct {
		tenant  bool // the Global Account still holds it
		dirty   string
		records int
	}
	expected := map[string]map[string]left{
		"mark_dirty":     {"used": {true, "true", 0}, "never": {true, "true", 0}, "others": {true, "", 1}},
		"return_to_pool": {"never": {false, "", 0}, "others": {true, "", 1}}, // used: see below
		"keep":           {"used": {true, "", 0}, "never": {true, "", 0}, "others": {true, "", 1}},
	}
	var accounts []testbed.AccountSpec
	var resources []string
	for mode, uses := range expected {
		for use := range uses {
			resources = append(resources, ending(mode+"_"+use, mode))
			accounts = append(accounts, testbed.AccountSpec{Name: fmt.Sprintf("aws-%d", len(accounts)), HyperscalerType: "aws"})
		}
	}
	s := newStage(t, accounts...)
	c := s.configure(t, resources...)
	c.apply(t)
	account := map[string]string{}
	for mode, uses := range expected {
		for use := range uses {
			label := mode + "_" + use
			account[label] = s.sole(t, "ga-"+label)
			switch use {
			case "used":
				s.Shoot(t, formerShoot(mode), account[label])
				s.DeleteShoot(t, formerShoot(mode))
			case "others":
				s.held(t, s.process(t, "beside"), protocol.ClaimRequest{Name: "beside", GlobalAccount: "ga-" + label, Target: awsPool})
			}
		}
	}
	c.destroy(t)
	c.wantState(t)
	for mode, uses := range expected {
		for use, want := range uses {
			label, tenant := mode+"_"+use, ""
			if want.tenant {
				tenant = "ga-" + label
			}
			s.wantLabels(t, account[label], tenant, want.dirty)
			if records := s.records(t, account[label]); len(records) != want.records {
				t.Errorf("%s, %s: records %v, want %d", mode, use, records, want.records)
			}
		}
	}
}

// formerShoot names the cluster that was there for a while.
func formerShoot(mode string) string {
	return map[string]string{"mark_dirty": "was-dirty", "keep": "was-kept"}[mode]
}

// What the Global Account held before may have been used before: it is not returned, and the destroy says what to do.
func TestF23HeldBeforeIsNotReturned(t *testing.T) {
	t.Parallel()
	s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-blue"})
	c := s.configure(t, ending("blue", "return_to_pool"))
	c.apply(t)
	before := s.versions(t)
	c.fails(t, destroying, "Account cannot be returned to the pool", "aws-1", "Nothing was written.", `on_destroy = "mark_dirty"`)
	s.unwritten(t, before)
	c.wantState(t, "blue")
}

// A cluster that any source knows of, also one that does not count, stops a destroy while it is there. A refresh that has seen it remembers
// it: what it has left on the account is unwiped.
func TestF23ClustersThatRefreshesHaveCounted(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{"counted": "both", "known to a source that does not count": "database"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCounted(t, awsAccounts(1)...)
			c := s.configure(t)
			c.write(t, s.by(source, ""), ending("blue", "return_to_pool"))
			c.apply(t)
			s.Shoot(t, "beside-keb", "aws-1")
			c.apply(t)
			c.fails(t, destroying, "Account", "aws-1")
			s.DeleteShoot(t, "beside-keb")
			c.apply(t)
			c.fails(t, destroying, "Account cannot be returned to the pool", "aws-1", "Nothing was written.")
			s.wantLabels(t, "aws-1", "ga-blue", "")
		})
	}
	t.Run("wanted only later", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, awsAccounts(1)...)
		c := s.configure(t, ending("blue", "mark_dirty"))
		c.apply(t)
		c.write(t, "", ending("blue", "return_to_pool"))
		c.apply(t)
		warns(t, c.apply(t), "Account cannot be returned to the pool", "aws-1")
		c.fails(t, destroying, "Account cannot be returned to the pool", "aws-1", "or may have been", "Nothing was written.")
		s.wantLabels(t, "aws-1", "ga-blue", "")
	})
}

// A state that was lost may have seen a cluster: the one that the claim is imported into does not return the account.
func TestF23ImportedClaimIsNotReturned(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(1)...)
	lost := s.configure(t, ending("blue", "return_to_pool"))
	lost.apply(t)
	s.Shoot(t, "was-there", "aws-1")
	lost.apply(t)
	s.DeleteShoot(t, "was-there")
	c := s.configure(t, ending("blue", "return_to_pool"), `import {
  to = hap_credentials_binding_claim.blue
  id = "ga-blue/aws-1/blue"
}`)
	c.apply(t)
	before := s.versions(t)
	c.fails(t, destroying, "Account cannot be returned to the pool", "aws-1", "or may have been")
	s.unwritten(t, before)
}
