// Package provider is the Terraform side of hap: what the user writes, what a plan shows, what ends up in state, and how
// errors read. It decides nothing about accounts itself: rules say which pool, pool says which account.
package provider
