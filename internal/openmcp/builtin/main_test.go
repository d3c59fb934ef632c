package builtin_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
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

// operatorTime bounds what the operator is waited for, and shortTime a wait that is in vain: a busy machine sees in it what there is to see.
const (
	operatorTime = 3 * time.Minute
	shortTime    = 6 * time.Second
)

// needsPlatform skips a test that needs a local platform cluster where none is wanted.
func needsPlatform(t *testing.T) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs a local platform cluster: set TF_ACC=1 (make testacc does)")
	}
}

// platform is openMCP in a namespace of its own, as an administrator sees it.
func platform(t *testing.T) (p *openmcp.Platform, namespace string) {
	t.Helper()
	needsPlatform(t)
	cluster := testbed.Shared(t)
	namespace = cluster.NewNamespace(t)
	p, err := openmcp.New(cluster.Config(), namespace)
	if err != nil {
		t.Fatal(err)
	}
	return p, namespace
}

func quiet(string) {}

// request makes a request, and waits until the operator has granted it.
func request(t *testing.T, p *openmcp.Platform, namespace, name, purpose string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	made, _, err := p.Requests.Make(ctx, builtin.Wanted{Ref: api.Ref{Namespace: namespace, Name: name}, Purpose: purpose})
	if err == nil {
		_, err = p.Requests.AwaitGranted(ctx, made, quiet)
	}
	if err != nil {
		t.Fatalf("requesting %s: %v", name, err)
	}
}
