package cli

import "fmt"

// configTemplate makes both CLIs take the provider from a folder, without `init`.
const configTemplate = `provider_installation {
  dev_overrides {
    "registry.terraform.io/hap-project/hap" = %[1]q
    "registry.opentofu.org/hap-project/hap" = %[1]q
  }
  direct {}
}
`

// Config is the text of a CLI configuration file (TF_CLI_CONFIG_FILE) under which Terraform
// and OpenTofu use the provider built in the given folder.
func Config(folder string) []byte {
	return fmt.Appendf(nil, configTemplate, folder)
}

// mirrorTemplate makes both CLIs install providers from a folder, and from nowhere else.
const mirrorTemplate = `provider_installation {
  filesystem_mirror {
    path = %q
  }
}
`

// MirrorConfig is the text of a CLI configuration file under which `init` installs the provider from a filesystem mirror.
func MirrorConfig(folder string) []byte {
	return fmt.Appendf(nil, mirrorTemplate, folder)
}

// besideTemplate makes both CLIs install the provider from a folder, and all others from where they come.
const besideTemplate = `provider_installation {
  filesystem_mirror {
    path    = %q
    include = ["registry.opentofu.org/hap-project/hap", "registry.terraform.io/hap-project/hap"]
  }
  direct {
    exclude = ["registry.opentofu.org/hap-project/hap", "registry.terraform.io/hap-project/hap"]
  }
}
`

// BesideConfig is the text of a CLI configuration file under which `init` installs the provider from a filesystem mirror, and any other
// provider from its registry.
func BesideConfig(folder string) []byte {
	return fmt.Appendf(nil, besideTemplate, folder)
}
