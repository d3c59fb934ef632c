import {
  to       = hap_gardener_provider_config.aws_blue
  identity = { name = "aws-blue" }
}
