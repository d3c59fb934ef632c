package testbed

import "fmt"

// terraformConfig makes both CLIs take the provider from a folder, without `init`.
const terraformConfig = `provider_installation {
  dev_overrides {
    "registry.terraform.io/hap-project/hap" = %[1]q
    "registry.opentofu.org/hap-project/hap" = %[1]q
  }
  direct {}
}
`

// TerraformConfig is the text of a CLI configuration file (TF_CLI_CONFIG_FILE) under which Terraform
// and OpenTofu use the provider built in the given folder.
func TerraformConfig(folder string) []byte {
	return fmt.Appendf(nil, terraformConfig, folder)
}
