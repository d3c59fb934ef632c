package expect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// Error wants an error that contains these parts.
func Error(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not contain %q:\n%v", part, err)
		}
	}
}

// NothingLeft waits until no process names the folder and the folder is gone.
func NothingLeft(t testing.TB, dir string) {
	t.Helper()
	err := local.Poll(context.Background(), 2*time.Minute, func(context.Context) error {
		if found := ProcessesNaming(t, dir); len(found) > 0 {
			return fmt.Errorf("still running:\n%s", strings.Join(found, "\n"))
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s still exists", dir)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// ProcessesNaming lists the command lines that contain the text.
func ProcessesNaming(t testing.TB, text string) []string {
	t.Helper()
	var found []string
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		// A process that ended in the meantime has no command line any more.
		content, _ := os.ReadFile(path)
		if line := strings.ReplaceAll(string(content), "\x00", " "); strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	if len(paths) > 0 {
		return found
	}
	output, err := exec.CommandContext(t.Context(), "ps", "-axww", "-o", "command=").Output()
	if err != nil {
		t.Fatalf("listing the processes: %v", err)
	}
	for line := range strings.Lines(string(output)) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// Status wants a refusal with this code and reason.
func Status(t testing.TB, err error, code int32, reason metav1.StatusReason) {
	t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		t.Errorf("no status but %v", err)
		return
	}
	if got := status.Status(); got.Code != code || got.Reason != reason {
		t.Errorf("%d %s instead of %d %s: %s", got.Code, got.Reason, code, reason, got.Message)
	}
}

// Eventually waits for a condition; the test ends where it does not come true within a minute.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	err := local.Poll(t.Context(), time.Minute, func(context.Context) error {
		if condition() {
			return nil
		}
		return fmt.Errorf("not yet: %s", what)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Equal compares by reflect.DeepEqual.
func Equal(t testing.TB, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
