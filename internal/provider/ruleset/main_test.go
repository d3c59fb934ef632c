package ruleset_test

import (
	"os"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

func TestMain(m *testing.M) { os.Exit(acceptance.Main(m, provider.NewServer)) }
