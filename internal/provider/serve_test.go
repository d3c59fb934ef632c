package provider

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// Any variable about logs that is set keeps the logs, and so does one that is unknown here.
func TestLogsWanted(t *testing.T) {
	t.Parallel()
	for variable, wanted := range map[string]bool{
		"TF_LOG=TRACE": true, "TF_LOG=json": true, "TF_LOG=nonsense": true, "TF_LOG_PROVIDER=WARN": true, "TF_LOG_PROVIDER_HAP=DEBUG": true,
		"TF_LOG_PROVIDER_HAP_POOL=TRACE": true, "TF_LOG_SDK=TRACE": true, "TF_LOG_SDK_FRAMEWORK=ERROR": true, "TF_LOG_SDK_PROTO=TRACE": true,
		"TF_LOG_SDK_PROTO_DATA_DIR=/tmp": true, "TF_LOG_CORE=TRACE": true, "TF_LOG_PATH=/tmp/log": true, "TF_LOG_NEW=on": true,
		"TF_LOG=": false, "TF_LOG=off": false, "TF_LOG_PROVIDER=OFF": false, "TF_INPUT=0": false, "HOME=TF_LOG": false,
	} {
		if logsWanted([]string{"PATH=/bin", variable}) != wanted {
			t.Errorf("%s: wanted is %t", variable, !wanted)
		}
	}
	if !logsWanted([]string{"TF_LOG_CORE=off", "TF_LOG_PROVIDER=TRACE"}) || logsWanted(nil) {
		t.Error("each variable counts, and none is none")
	}
}

// The variables of the protocol's server, the framework and the provider are set, those of terraform-plugin-log.
func TestSilence(t *testing.T) {
	t.Parallel()
	set := map[string]string{}
	setenv := func(name, value string) error {
		set[name] = value
		return nil
	}
	if err := silence(setenv); err != nil {
		t.Fatal(err)
	}
	want := []string{"TF_LOG_PROVIDER_HAP", "TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"}
	if got := slices.Sorted(maps.Keys(set)); !slices.Equal(got, want) || set[want[0]] != "OFF" {
		t.Errorf("set %v", set)
	}
	broken := errors.New("no")
	if err := silence(func(string, string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}

// A claim is made without a line in the log. That there would be many otherwise is what the first half shows.
func TestQuiet_logsNothing(t *testing.T) {
	t.Parallel()
	loud, silent := acceptance.NewSession(t, acceptance.NewFakeGarden(3)), acceptance.NewSession(t, acceptance.NewFakeGarden(3))
	silent.Server = quiet(silent.Server)
	if n := logged(loud); n == 0 {
		t.Error("the log is empty without it")
	}
	if n := logged(silent); n > 0 {
		t.Errorf("%d bytes of log", n)
	}
}

// logged makes a claim with the loggers of a protocol's server, and returns how many bytes they have written.
func logged(s *acceptance.Session) int {
	var log bytes.Buffer
	s.Ctx = tfsdklogtest.RootLogger(tflogtest.RootLogger(s.Ctx, &log), &log)
	var claim acceptance.Standing
	var planned *tfprotov6.PlanResourceChangeResponse
	s.Validate(1)()
	s.Plan(1, claim, &planned)()
	s.Apply(1, planned, &claim)()
	s.Upgrade(claim)()
	s.Read(&claim)()
	return log.Len()
}

// What a call's context holds goes when the call has ended. The framework keeps each context until the process ends.
func TestQuiet_keepsNoContext(t *testing.T) {
	t.Parallel()
	s := acceptance.NewSession(t, acceptance.NewFakeGarden(1))
	s.Server = quiet(s.Server)
	type key struct{}
	held := new([1 << 10]byte)
	kept := weak.Make(held)
	s.Ctx = context.WithValue(t.Context(), key{}, held)
	s.Validate(1)()
	s.Ctx = t.Context()
	if runtime.GC(); kept.Value() != nil {
		t.Error("the context of a call is kept after its end")
	}
	runtime.KeepAlive(s)
}

// stopped is a server that waits in its calls until it is asked to stop.
type stopped struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
}

func (stopped) ReadDataSource(ctx context.Context, _ *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// Ctrl-C reaches a call, with its reason.
func TestQuiet_passesTheEndOn(t *testing.T) {
	t.Parallel()
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := quiet(stopped{}).ReadDataSource(ctx, nil); !errors.Is(err, why) {
		t.Errorf("the call ended with %v", err)
	}
}

// The quiet server offers what the other one does: the protocol's server looks for lists beside the rest.
func TestQuiet_offersTheSame(t *testing.T) {
	t.Parallel()
	server := NewServer("test", os.Getenv)
	if _, ok := quiet(server).(interface {
		tfprotov6.ProviderServer
		tfprotov6.ListResourceServer
	}); !ok {
		t.Error("the quiet server offers no lists")
	}
	want, err := server.GetMetadata(t.Context(), &tfprotov6.GetMetadataRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Actions) > 0 || len(want.StateStores) > 0 {
		t.Error("there are actions or state stores now: the quiet server has to hand them on")
	}
}

// All processes that one program starts take part in one run, and those of another program do not, although it has the same number.
func TestThisRun(t *testing.T) {
	t.Parallel()
	host := func() (string, error) { return "runner", nil }
	const boot, status = "/proc/sys/kernel/random/boot_id", "/proc/7/stat"
	linux := func(id, ticks string) func(string) ([]byte, error) {
		files := map[string]string{boot: id + "\n", status: "7 (a) 1 2 (b) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0 " + ticks + " 11 12"}
		return func(path string) ([]byte, error) { return []byte(files[path]), nil }
	}
	hidden := func(string) ([]byte, error) { return nil, os.ErrNotExist }

	first := thisRun(host, 7, linux("boot-1", "4711"))
	if first.ID == "" || !first.Began.IsZero() {
		t.Fatalf("the run is %+v", first)
	}
	if again := thisRun(host, 7, linux("boot-1", "4711")); again != first {
		t.Errorf("a second process is of run %+v, the first of %+v", again, first)
	}
	for name, other := range map[string]account.Run{
		"started later":    thisRun(host, 7, linux("boot-1", "4712")),
		"another boot":     thisRun(host, 7, linux("boot-2", "4711")),
		"another machine":  thisRun(func() (string, error) { return "other", nil }, 7, linux("boot-1", "4711")),
		"start not known":  thisRun(host, 7, hidden),
		"another program":  thisRun(host, 8, hidden),
		"status cut short": thisRun(host, 7, func(string) ([]byte, error) { return []byte("7 (a) S 1"), nil }),
	} {
		if other.ID == "" || other.ID == first.ID {
			t.Errorf("%s: the run is %+v, as %+v is", name, other, first)
		}
	}
	if run := thisRun(host, 7, hidden); run.Began.IsZero() {
		t.Error("where the start of the program is not known, that of the process has to be")
	}
	for name, run := range map[string]account.Run{
		"no name": thisRun(func() (string, error) { return "", os.ErrNotExist }, 7, hidden), "no parent": thisRun(host, 0, hidden),
	} {
		if run != (account.Run{}) {
			t.Errorf("%s: the run is %+v", name, run)
		}
	}
	if start := started(os.Getpid(), os.ReadFile); runtime.GOOS == "linux" && len(strings.Fields(start)) != 2 {
		t.Errorf("this process was started at %q", start)
	}
}

// The variables of the Go runtime win.
func TestMakeRoom(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]int{"": room, "GOGC": 0, "GOMEMLIMIT": 0} {
		made := makeRoom(func(name string) string {
			if name == variable {
				return "100"
			}
			return ""
		})
		if len(made) != want {
			t.Errorf("with %q set: %d bytes, want %d", variable, len(made), want)
		}
	}
}
