package acceptance

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

// Echoing are the providers under test and one that puts what it is configured with into the state.
var Echoing = map[string]func() (tfprotov6.ProviderServer, error){
	"hap": Factories["hap"], "echo": echoprovider.NewProviderServer(),
}

// FromEcho reads what the echo provider was given.
func FromEcho(s *terraform.State, into any) error {
	for _, module := range s.Modules {
		for label, it := range module.Resources {
			if !strings.HasPrefix(label, "echo.") {
				continue
			}
			values := map[string]any{}
			for key, value := range it.Primary.Attributes {
				if name, inside := cutData(key); inside && value != "" {
					values[name] = value
				}
			}
			text, err := json.Marshal(values)
			if err != nil {
				return err
			}
			return json.Unmarshal(text, into)
		}
	}
	return errors.New("there is no echo")
}

func cutData(key string) (string, bool) {
	const prefix = "data."
	if len(key) <= len(prefix) || key[:len(prefix)] != prefix {
		return "", false
	}
	return key[len(prefix):], true
}
