terraform {
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

locals {
  landscape = {
    purposes = {
      platform   = {}
      onboarding = { traits = [{ trait = "cluster.openmcp.cloud/workerless", optional = true }] }
      workload   = { traits = [{ trait = "kubernetes.io/apis/compute" }] }
      mcp        = { dedicated = true, traits = [{ trait = "cluster.openmcp.cloud/workerless", optional = true }] }
    }
    profiles = [
      {
        name     = "aws"
        provider = "gardener"
        traits   = ["infrastructure/vendor/aws", "kubernetes.io/apis/compute"]
        versions = [{ version = "1.19.2", deprecated = true }, { version = "1.20.1" }, { version = "1.20.3" }]
      },
      {
        name     = "aws-workerless"
        provider = "gardener"
        traits   = ["infrastructure/vendor/aws", "cluster.openmcp.cloud/workerless"]
        versions = [{ version = "1.20.3" }]
      },
    ]
    clusters = [
      {
        namespace = "landscape"
        name      = "workload-1"
        profile   = "aws"
        version   = "1.20.3"
        purposes  = ["workload"]
        grants    = [{ request = "team-a/controller", prefix = "foo-bar-" }]
      },
    ]
    equivalences = [["cluster.openmcp.cloud/workerless", "foo.bar.baz/nodeless"]]
  }

  requests = {
    shared    = { namespace = "team-b", name = "controller", purposes = ["workload"], prefix = "foob-" }
    colliding = { namespace = "team-c", name = "controller", purposes = ["workload"], prefix = "foo-" }
    dedicated = { namespace = "team-b", name = "mcp", purposes = ["mcp"], kubernetes_version = "1.20" }
    other_name = {
      namespace = "team-b"
      name      = "nodeless"
      purposes  = ["platform"]
      traits    = [{ trait = "foo.bar.baz/nodeless" }]
    }
    either = {
      namespace = "team-b"
      name      = "either"
      purposes  = ["platform"]
      traits    = [{ any_of = ["infrastructure/vendor/aws", "infrastructure/vendor/gcp"] }]
    }
    denied = {
      namespace = "team-b"
      name      = "gcp"
      purposes  = ["workload"]
      traits    = [{ trait = "infrastructure/vendor/gcp" }]
    }
  }

  decisions = { for name, request in local.requests : name => provider::hap::schedule_cluster(request, local.landscape) }
}

# The shared cluster, with the proposed prefix: foob- and foo-bar- do not collide.
output "shared" {
  value = "${local.decisions.shared.decision} ${local.decisions.shared.cluster.name}, prefix ${local.decisions.shared.prefix}"
}

# The same cluster. A random prefix is null here and drawn when the grant is written:
# "random: the proposal foo- collides with foo-bar-, which is granted to team-a/controller"
output "colliding" {
  value = local.decisions.colliding.prefix_rule
}

# A cluster of its own, workerless because that was possible, without a prefix: create aws-workerless 1.20.3
output "dedicated" {
  value = "${local.decisions.dedicated.decision} ${local.decisions.dedicated.profile} ${local.decisions.dedicated.version}"
}

# create aws-workerless: the profile has the trait under its other name.
output "other_name" {
  value = "${local.decisions.other_name.decision} ${local.decisions.other_name.profile}"
}

# create aws: one of the two is enough.
output "either" {
  value = "${local.decisions.either.decision} ${local.decisions.either.profile}"
}

# deny UnsupportedTrait: No deployed profile meets the trait infrastructure/vendor/gcp, and no shared Cluster fits.
output "denied" {
  value = "${local.decisions.denied.decision} ${local.decisions.denied.reason}"
}

# Why each cluster and profile was taken or not.
output "candidates" {
  value = { for c in local.decisions.denied.candidates : c.name => c.reason }
}
