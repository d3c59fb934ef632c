package openmcp_test

import (
	"fmt"
	"os"
	"testing"

	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := testbed.StopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}
