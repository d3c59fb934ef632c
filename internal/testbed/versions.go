package testbed

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"
)

// GardenerVersion is what the running gardener-apiserver says of itself. One that was linked
// without a version ("v0.0.0-master...") is named by the module version it was built from.
func (g *Garden) GardenerVersion() string { return g.gardenerVersion }

// KubernetesVersion is what the running kube-apiserver says of itself.
func (g *Garden) KubernetesVersion() string { return g.kubernetesVersion }

func (g *Garden) askVersions(ctx context.Context) (err error) {
	if g.kubernetesVersion, err = askVersion(ctx, g.AdminConfig()); err != nil {
		return err
	}
	direct := g.AdminConfig()
	direct.Host = g.gardener.url()
	if direct.CAData, err = os.ReadFile(g.gardener.certs.CA); err != nil {
		return err
	}
	if g.gardenerVersion, err = askVersion(ctx, direct); err != nil {
		return err
	}
	if strings.HasPrefix(g.gardenerVersion, "v0.0.0-") {
		info, err := buildinfo.ReadFile(filepath.Join(g.options.Binaries, "gardener-apiserver"))
		if err != nil {
			return err
		}
		g.gardenerVersion = info.Main.Version
	}
	return nil
}

func askVersion(ctx context.Context, config *rest.Config) (string, error) {
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	restClient, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return "", err
	}
	body, err := restClient.Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", config.Host, err)
	}
	var info version.Info
	if err := json.Unmarshal(body, &info); err != nil {
		return "", fmt.Errorf("reading the version of %s: %w", config.Host, err)
	}
	return info.GitVersion, nil
}
