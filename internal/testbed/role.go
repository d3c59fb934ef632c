package testbed

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// DocumentedRole is the Role that the documentation has users grant: examples/rbac/role.yaml.
func DocumentedRole(t testing.TB) []byte {
	t.Helper()
	return RoleExample(t, "role.yaml")
}

// RoleExample is a file of examples/rbac.
func RoleExample(t testing.TB, name string) []byte {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	role, err := os.ReadFile(filepath.Join(root, "examples", "rbac", name))
	if err != nil {
		t.Fatal(err)
	}
	return role
}
