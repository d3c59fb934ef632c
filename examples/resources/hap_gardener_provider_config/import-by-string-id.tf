import {
  to = hap_gardener_provider_config.aws_blue
  id = "aws-blue" # the name of the ProviderConfig
}
