# the name of the ProviderConfig
terraform import hap_gardener_provider_config.aws_blue aws-blue
