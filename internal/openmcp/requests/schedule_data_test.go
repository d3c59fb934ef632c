package requests_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// operatorModule is what the operator of the tests is built from.
const operatorModule = "github.com/openmcp-project/openmcp-operator"

// operatorsData is the folder in which the source of the operator keeps the landscapes of its scheduler's own tests.
func operatorsData(t *testing.T) string {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(root, "internal", "tools", "openmcp")
	command := exec.CommandContext(t.Context(), "go", "-C", tools, "mod", "download", "-json", operatorModule)
	output, err := command.Output()
	var module struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(output, &module)
	}
	if err != nil {
		t.Fatalf("where is the source of the operator? %v\n%s", err, output)
	}
	return filepath.Join(module.Dir, "internal", "controllers", "scheduler", "testdata")
}

// objectsIn reads the objects of a landscape, Clusters first, each kind by the names of its files.
func objectsIn(t *testing.T, folder string) (all []*unstructured.Unstructured) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "cluster", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %q, %v", folder, files, err)
	}
	slices.Sort(files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		object := &unstructured.Unstructured{}
		if err == nil {
			err = yaml.Unmarshal(text, &object.Object)
		}
		if err != nil {
			t.Fatal(err)
		}
		object.SetUID("") // the server gives it another
		all = append(all, object)
	}
	return all
}

// In the landscapes of its own tests, too, the operator does with each request what was foretold, and with a second one of the same kind.
func TestScheduleOfTheOperatorsOwnData(t *testing.T) {
	t.Parallel()
	r := newReplay(t)
	folders, err := filepath.Glob(filepath.Join(operatorsData(t), "test-*"))
	if err != nil || len(folders) < 6 {
		t.Fatalf("%d landscapes, %v", len(folders), err)
	}
	forecast := 0
	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join(folder, "config.yaml"))
		r.must(err)
		landscape, err := testbed.ReadLandscape(string(text))
		r.must(err)
		_, err = requests.ReadSchedulerConfig(string(text)) // as a user would hand it to the preview
		r.must(err)
		objects := objectsIn(t, folder)
		for _, purpose := range landscape.Purposes {
			r.house(purpose.Template.Metadata.Namespace)
		}
		var asked []requests.Wanted
		for _, object := range objects {
			r.house(object.GetNamespace())
			if object.GetKind() == "Cluster" {
				r.must(r.platform.Client().Create(t.Context(), object))
				continue
			}
			purpose, _, _ := unstructured.NestedString(object.Object, "spec", "purpose")
			asked = append(asked, requests.Wanted{
				Ref: api.Ref{Namespace: object.GetNamespace(), Name: object.GetName()}, Purpose: purpose,
				Labels: object.GetLabels(), Annotations: object.GetAnnotations(),
			})
		}
		r.run(landscape)
		for _, suffix := range []string{"", "-again"} {
			for _, w := range asked {
				w.Name += suffix
				r.request(w)
				forecast++
			}
		}
		r.clear()
	}
	t.Logf("%d foretold and met: %v", forecast, r.seen)
	if forecast < 30 {
		t.Errorf("%d were foretold", forecast)
	}
}

// house makes a namespace, where it is named and not there.
func (r *replay) house(name string) {
	r.t.Helper()
	if name == "" {
		return
	}
	namespace := testbed.New("Namespace", "", name)
	namespace.SetAPIVersion("v1")
	if err := r.platform.Client().Create(r.t.Context(), namespace); err != nil && !apierrors.IsAlreadyExists(err) {
		r.t.Fatal(err)
	}
}
