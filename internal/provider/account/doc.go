// Package account is the resource hap_account and its list: the supply side of the pool. An account is put into the pool,
// correctly labelled, and taken out of it again; what tenants, claims and the broker write on it is left to them.
package account
