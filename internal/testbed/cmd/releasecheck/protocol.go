package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// protocolTimeout bounds the start of a provider.
	protocolTimeout = time.Minute
	// pluginCookie is what OpenTofu and Terraform set: without it a provider only says that it is a plugin.
	pluginCookie = "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
)

// protocol starts a provider as OpenTofu and Terraform do, and returns the version of the plugin protocol that it
// chooses from all there are. Its first line of output says it, as in "1|6|unix|/tmp/plugin|grpc|".
func protocol(ctx context.Context, provider string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, protocolTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, provider)
	cmd.Env = append(cmd.Environ(), pluginCookie, "PLUGIN_PROTOCOL_VERSIONS=5,6")
	output, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("starting %s: %w", filepath.Base(provider), err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed, or ended by itself; the line says which
	fields := strings.Split(strings.TrimSpace(line), "|")
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return "", fmt.Errorf("starting %s: %w", filepath.Base(provider), errors.Join(context.Cause(ctx), err))
	case len(fields) < 5:
		return "", fmt.Errorf("%s does not start as a plugin, it says %q", filepath.Base(provider), line)
	}
	return fields[1], nil
}
