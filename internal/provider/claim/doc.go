// Package claim is the resource hap_credentials_binding_claim and its list: an account of the pool, claimed for a Global
// Account and tracked for as long as the claim lives.
package claim
