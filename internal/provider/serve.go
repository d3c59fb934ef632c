package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// address is what users write as the source of the provider, with the registry.
const address = "registry.terraform.io/hap-project/hap"

// Serve serves the provider to the program that has started this process, until that program is done. With debug the process
// was started by a person: it prints how a CLI finds it, and ends at Ctrl-C. The version goes into the user agent.
func Serve(version string, debug bool) error {
	defer runtime.KeepAlive(makeRoom(os.Getenv))
	if debug { // it serves one run after the other
		server := protocol(version, account.Run{})
		return tf6server.Serve(address, server, tf6server.WithManagedDebug())
	}
	server := protocol(version, thisRun(os.Hostname, os.Getppid(), os.ReadFile))
	if logsWanted(os.Environ()) {
		return tf6server.Serve(address, server)
	}
	if err := silence(os.Setenv); err != nil {
		return err
	}
	journal.Silence()
	return tf6server.Serve(address, func() tfprotov6.ProviderServer { return quiet(server()) })
}

// room is how much garbage may be kept before it is collected, beside as much as is in use.
const room = 64 << 20

// makeRoom keeps the garbage of a short-lived process, for as long as the caller keeps what it returns alive. The collector
// begins when as much garbage as memory in use has come up, which is a few megabytes here, and took a sixth of the processor
// time. What it returns counts as memory in use and is none: nothing is ever written there, so the system gives no memory for it;
// but the collector begins that much later. A memory limit would do the same for a small landscape, and in one that does not fit
// into it have the collector run without end. The variables of the Go runtime, GOGC and GOMEMLIMIT, decide where they are set.
func makeRoom(getenv func(string) string) []byte {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return make([]byte, room)
}

// thisRun is the run that this process takes part in. Terraform and OpenTofu start a process for each provider block, and each of them has
// the program as its parent. The ID gives away neither the machine nor the process.
func thisRun(hostname func() (string, error), parent int, read func(path string) ([]byte, error)) account.Run {
	host, err := hostname()
	if err != nil || host == "" || parent <= 0 {
		return account.Run{}
	}
	start := started(parent, read)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", host, parent, start))
	run := account.Run{ID: hex.EncodeToString(sum[:8])}
	if start == "" { // another program may have had that number on this machine
		run.Began = time.Now()
	}
	return run
}

// started says when a process was started: the boot of the machine, and the ticks of its clock since then. Empty = not known, because the
// system is not Linux, or hides its processes.
func started(process int, read func(path string) ([]byte, error)) string {
	boot, err := read("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	status, err := read(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return ""
	}
	// The name of the program may have spaces and brackets in it; the fields after it are numbered from 3 on.
	const startTime = 22
	fields := strings.Fields(string(status[bytes.LastIndexByte(status, ')')+1:]))
	if len(fields) <= startTime-3 {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + fields[startTime-3]
}
