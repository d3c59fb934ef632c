// Package inprocess goes through the steps of an acceptance test without a CLI. It reads the configuration, evaluates it, and asks the
// provider server by protocol 6 what Terraform and OpenTofu ask, in their order. A step takes milliseconds in place of seconds.
//
// It knows the part of the language that a test of the provider's answers needs: blocks of provider, resource, data, variable, locals,
// output and import, references, depends_on, functions, steps that import, and terraform_data for values that are known only after an
// apply. A test fails where it uses what the CLI itself does: blocks of moved, removed, lifecycle and ephemeral, count, for_each, lists,
// the state file, and printed output. Such a test calls resource.Test.
//
// With HAP_CLI=1 in the environment the same tests run with the CLI. That shows that both see the same.
package inprocess
