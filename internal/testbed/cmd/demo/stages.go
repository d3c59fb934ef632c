package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

const (
	stagesProject    = "clusters"
	requestNamespace = "team-a"
)

// stagesPool has two accounts, each with room for the two clusters that examples/cluster-landscape allows.
var stagesPool = []testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws"}, {Name: "aws-2", HyperscalerType: "aws"}}

// stagesCourse is how it goes with each cluster: there are several, one after the other.
var stagesCourse = gardenlet.Course{Steps: 4, Pace: 400 * time.Millisecond}

// stages is the second part of the demo: examples/cluster-landscape, one stage after the other.
type stages struct {
	*demo
	pool     *testbed.Namespace
	platform *openmcp.Platform
	tofu     *tofu
	operator *building // nil = it is built
	// background ends what plays the controllers: the gardenlet and the cluster provider.
	background []func()
	provider   *openmcp.Provider
	gardenlet  *gardenlet.Gardenlet
}

func (s *stages) steps() []step {
	name := s.program.Name
	return []step{
		{"Start a platform cluster beside the Garden, and fill a pool for clusters", s.start},
		{name + " apply: an account, the first cluster on it, and a request that the provider grants itself", s.stage("first")},
		{"The operator starts, and takes over: " + name + " apply -var stage=operator", s.operated("operator")},
		{"The account is full, and a second one is claimed: " + name + " apply -var stage=account", s.stage("account")},
		{"The next cluster comes to it, and the others stay: " + name + " apply -var stage=full", s.operated("full")},
		{name + " destroy: each step waits for the real object", s.destroy},
	}
}

func (s *stages) start(ctx context.Context) (err error) {
	if s.pool, err = s.garden.MakeNamespace(ctx, stagesProject); err != nil {
		return err
	}
	if err := s.pool.MakeAccounts(ctx, stagesPool...); err != nil {
		return err
	}
	if s.platform, err = openmcp.Start(ctx); err != nil {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: requestNamespace}}
	if err := s.platform.Client().Create(ctx, namespace); err != nil {
		return err
	}
	s.gardenlet = gardenlet.Of(s.pool)
	s.gardenlet.Course = func(*gardencore.Shoot) gardenlet.Course { return stagesCourse }
	s.provider = &openmcp.Provider{Platform: s.platform, Garden: s.pool}
	s.background = append(s.background, s.gardenlet.Start(ctx), s.provider.Start(ctx))
	if err := s.connect(ctx); err != nil {
		return err
	}
	fmt.Print("A platform cluster with the API of openMCP, and no operator yet. A stand-in for the Gardener cluster provider makes\n" +
		"and adopts Shoots in the Garden, where one for the gardenlet brings them up.\n\n")
	return s.show(ctx)
}

// connect makes the users of both connections, with the documented rights, and the folder of the configuration.
func (s *stages) connect(ctx context.Context) error {
	roles, err := rolesOf("role.yaml", "role-clusters.yaml")
	if err != nil {
		return err
	}
	user, err := s.pool.MakeUser(ctx, "landscape", roles)
	if err != nil {
		return err
	}
	kubeconfig, err := user.WriteKubeconfig()
	if err != nil {
		return err
	}
	if roles, err = rolesOf("platform.yaml", "platform-builtin.yaml", "platform-profiles.yaml", "platform-clusters.yaml"); err != nil {
		return err
	}
	member, err := s.platform.MakeUser(ctx, requestNamespace, "landscape", roles)
	if err != nil {
		return err
	}
	root, err := local.RepositoryRoot()
	if err != nil {
		return err
	}
	s.tofu, err = newTofu(s.garden, filepath.Join(root, "examples", "cluster-landscape"), s.program, s.binaries, map[string]string{
		"TF_VAR_garden_kubeconfig": kubeconfig, "TF_VAR_platform_kubeconfig": member.Kubeconfig, "TF_VAR_project": stagesProject,
		"TF_VAR_platform_namespace": requestNamespace, "TF_VAR_release_grace": "0s",
	})
	return err
}

// rolesOf reads files of examples/rbac.
func rolesOf(files ...string) ([]byte, error) {
	root, err := local.RepositoryRoot()
	if err != nil {
		return nil, err
	}
	var roles [][]byte
	for _, file := range files {
		role, err := os.ReadFile(filepath.Join(root, "examples", "rbac", file))
		if err != nil {
			return nil, err
		}
		roles = append(roles, role)
	}
	return bytes.Join(roles, []byte("\n---\n")), nil
}

// stage applies a stage, and shows what there is then. A second plan has to change nothing.
func (s *stages) stage(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := s.run(ctx, "apply", "-auto-approve", "-var", "stage="+name); err != nil {
			return err
		}
		if err := s.tofu.Follow(ctx, &bytes.Buffer{}, "plan", "-detailed-exitcode", "-var", "stage="+name); err != nil {
			return fmt.Errorf("a second plan is not empty: %w", err)
		}
		fmt.Print("\nA second plan: No changes.\n\n")
		return s.show(ctx)
	}
}

// operated starts the operator with the configuration of the landscape, and applies a stage.
func (s *stages) operated(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		var config bytes.Buffer
		if err := s.tofu.Follow(ctx, &config, "output", "-raw", "operator_config"); err != nil {
			return err
		}
		landscape, err := openmcp.ReadLandscape(config.String())
		if err != nil {
			return err
		}
		if err := s.operator.wait(ctx, os.Stdout); err != nil {
			return err
		}
		if err := s.platform.StartOperator(ctx, landscape); err != nil {
			return err
		}
		fmt.Printf("openmcp-operator runs with this configuration:\n\n%s", indented(config.String()))
		return s.stage(name)(ctx)
	}
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
}

func (s *stages) destroy(ctx context.Context) error {
	if err := s.run(ctx, "destroy", "-auto-approve", "-var", "stage=full"); err != nil {
		return err
	}
	fmt.Println()
	return s.show(ctx)
}

// run runs a command of the landscape. Where that fails, it says also what the played controllers have met.
func (s *stages) run(ctx context.Context, arguments ...string) error {
	err := s.tofu.run(ctx, arguments...)
	if err != nil && ctx.Err() == nil {
		err = errors.Join(err, s.gardenlet.Err(), s.provider.Err())
	}
	return err
}

// show shows the accounts, and the Clusters with the Shoots behind them and the requests that hold them.
func (s *stages) show(ctx context.Context) error {
	accounts, err := s.pool.ReadAccounts(ctx)
	if err != nil {
		return err
	}
	var shoots gardencore.ShootList
	if err := s.pool.Client().List(ctx, &shoots, client.InNamespace(s.pool.Name)); err != nil {
		return err
	}
	if err := printPool(os.Stdout, accounts, clustersOf(shoots.Items)); err != nil {
		return err
	}
	var found [2][]unstructured.Unstructured
	for i, kind := range []string{"Cluster", "ClusterRequest"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(openmcp.New(kind+"List", "", "").GroupVersionKind())
		if err := s.platform.Client().List(ctx, list); err != nil {
			return err
		}
		found[i] = list.Items
	}
	fmt.Println()
	return printClusters(os.Stdout, found[0], found[1], shoots.Items)
}

// stop ends what runs in the background, and the platform cluster.
func (s *stages) stop() error {
	for _, end := range s.background {
		end()
	}
	if s.platform == nil {
		return nil
	}
	return s.platform.Stop()
}
