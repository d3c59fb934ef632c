package shoot_test

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// accessBlock opens access to a cluster and has it echoed.
func accessBlock(attributes string) string {
	return fmt.Sprintf(`
ephemeral "hap_shoot_access" "a" {
  %s
}
provider "echo" {
  data = ephemeral.hap_shoot_access.a
}
resource "echo" "it" {}
`, attributes)
}

func echoed(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("echo.it", tfjsonpath.New("data").AtMapKey(attribute), check)
}

// The kubeconfig that Gardener issues leads into the cluster with the rights of its role, and its certificate ends when expires_at says.
func TestAccShootAccess_canBeUsed(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + acceptance.ShootOf(acceptance.TemplateWith())
	enters := func(s *terraform.State, role string) error {
		var found struct {
			Kubeconfig string    `json:"kubeconfig"`
			ExpiresAt  time.Time `json:"expires_at"`
			Key        string    `json:"client_key"`
		}
		if err := acceptance.FromEcho(s, &found); err != nil {
			return err
		}
		config, err := clientcmd.RESTConfigFromKubeConfig([]byte(found.Kubeconfig))
		if err != nil {
			return err
		}
		block, _ := pem.Decode(config.CertData)
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return err
		}
		if !certificate.NotAfter.Equal(found.ExpiresAt) || time.Until(found.ExpiresAt) > 21*time.Minute {
			return fmt.Errorf("the certificate ends at %v, expires_at says %v", certificate.NotAfter, found.ExpiresAt)
		}
		cluster, err := client.New(config, client.Options{})
		if err != nil {
			return err
		}
		var namespaces corev1.NamespaceList
		if err := cluster.List(t.Context(), &namespaces); err != nil || len(namespaces.Items) == 0 {
			return fmt.Errorf("%d namespaces: %w", len(namespaces.Items), err)
		}
		makes := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: l.Inside()}}
		may := "admin"
		if err := cluster.Create(t.Context(), makes, client.DryRunAll); apierrors.IsForbidden(err) {
			may = "viewer"
		} else if err != nil {
			return err
		}
		return errors.Join(acceptance.Equal("key", found.Key, string(config.KeyData)), acceptance.Equal("role", may, role))
	}
	var steps []resource.TestStep
	for _, role := range []string{"admin", "viewer"} {
		// An echo keeps what it was made with, so each role has one of its own.
		access := accessBlock(fmt.Sprintf("shoot_name = hap_shoot.one.access_name\n  role = %q\n  expiration = \"20m\"", role))
		steps = append(steps, resource.TestStep{
			Config: base + strings.ReplaceAll(access, `"it"`, fmt.Sprintf("%q", role)),
			Check:  func(s *terraform.State) error { return enters(s, role) },
		})
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Echoing, Steps: steps})
}

// A cluster that is not ready stops neither plan nor destroy: its access is null.
func TestAccShootAccess_notReady(t *testing.T) {
	t.Parallel()
	l := acceptance.WithGardenlet(t, acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}), func(s *gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Stuck: s.DeletionTimestamp == nil, Steps: 3}
	})
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + acceptance.ShootOf(acceptance.TemplateWith(), `timeouts = { create = "10s", update = "10s" }`) +
		accessBlock("shoot_name = hap_shoot.one.access_name")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		CheckDestroy:             l.NoShoot,
		Steps: []resource.TestStep{
			{
				Config: config, ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ShootValue("ready", knownvalue.Bool(false)), echoed("kubeconfig", knownvalue.Null()), echoed("expires_at", knownvalue.Null()),
				},
			},
		},
	})
}

// Wrong input is reported at the attribute.
func TestAccShootAccess_refused(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t)
	for name, test := range map[string]struct {
		attributes string
		summary    string
		words      []string
	}{
		"a cluster that is not there": {`shoot_name = "grey"`, "Cluster not found", []string{"shoot_name", "there is no Shoot grey in namespace " + l.Name,
			"Nothing was issued", "Check the name"}},
		"a name that none has": {`shoot_name = "a/b"`, "Invalid Attribute Value Match", []string{"shoot_name", "a/b"}},
		"a role that is none":  {"shoot_name = \"blue\"\n  role = \"owner\"", "Invalid Attribute Value Match", []string{"admin", "viewer"}},
		"too short":            {"shoot_name = \"blue\"\n  expiration = \"5m\"", "Invalid expiration", []string{"10m"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Echoing,
				Steps:                    []resource.TestStep{{Config: l.Provider() + accessBlock(test.attributes), ExpectError: acceptance.ErrorLike(test.summary, test.words...)}},
			})
		})
	}
}
