// Package functions holds the functions of the provider. All are pure: no connection, no provider configuration.
package functions
