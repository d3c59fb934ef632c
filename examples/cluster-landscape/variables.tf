# How far the landscape is. Apply it with one stage after the other; each adds to the one before.
variable "stage" {
  type        = string
  default     = "first"
  description = <<-EOT
    first:   an account, the first cluster on it, and a request that the provider itself grants: no operator runs yet.
    operator: the operator runs, with the output operator_config. It takes the request over, and serves two tenants more.
    account: the account is full. A second one is claimed for the same Global Account, with a profile of its own.
    full:    the operator runs with the output operator_config as it is now. The next cluster comes to the second account.
  EOT

  validation {
    condition     = contains(["first", "operator", "account", "full"], var.stage)
    error_message = "The stages are first, operator, account and full."
  }
}

# Two connections: the Garden has the accounts and the Shoots, the platform cluster the API of openMCP. Each is the path of a kubeconfig.
variable "garden_kubeconfig" {
  type = string
}

variable "platform_kubeconfig" {
  type = string
}

# The Gardener project of the accounts and the Shoots.
variable "project" {
  type    = string
  default = "my-project"
}

# The namespace of requests and Clusters on the platform cluster.
variable "platform_namespace" {
  type    = string
  default = "team-a"
}

# What the operator and the cluster provider run with: the first part of the name of each profile.
variable "environment" {
  type    = string
  default = "test"
}

# How long a release waits for clusters that may be on their way to the account. "0s" only where no party beside this configuration
# makes clusters there.
variable "release_grace" {
  type    = string
  default = "1m"
}
