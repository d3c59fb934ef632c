package fault

import (
	"os"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// TestMain stops the shared PostgreSQL in the end.
func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }
