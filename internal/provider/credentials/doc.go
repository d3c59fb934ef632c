// Package credentials is the ephemeral resource hap_credentials: the content of an account's Secret, for one run.
package credentials
