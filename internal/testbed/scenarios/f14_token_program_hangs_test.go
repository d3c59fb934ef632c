package scenarios

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// A program for tokens that never ends must not hold an operation beyond its timeout.
func TestF14TokenProgramHangs(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(1)...)
	program := filepath.Join(t.TempDir(), "token")
	if err := local.WriteProgram(program, "#!/bin/sh\nexec sleep 30\n"); err != nil {
		t.Fatal(err)
	}
	c := s.configure(t)
	settings := s.connection(t) + fmt.Sprintf("\n    exec = { command = %q }\n  }", program)
	c.write(t, settings, claim("blue", "ga-1", allIn(connectTimeout)))
	began := time.Now()
	// The plan's read, the apply's read, the claim.
	c.fails(t, applying, "Garden not reachable", "no answer to")
	if took := time.Since(began); took > 2*previewPatience+connectTimeout+deadlineSlack+startSlack {
		t.Errorf("the apply took %s", took)
	}
	s.wantWrites(t, "without a token", 0)
}
