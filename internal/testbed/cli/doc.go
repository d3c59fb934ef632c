// Package cli runs Terraform or OpenTofu with the provider of this source tree, in a folder of its own: to the end
// ([CLI.Run]), or in the background ([CLI.Start]) to be interrupted or killed in a chosen moment.
package cli
