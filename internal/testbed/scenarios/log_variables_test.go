package scenarios

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// Each variable of Terraform's about logs does what it is documented for, and without any of them the provider logs nothing.
func TestLogVariables(t *testing.T) {
	t.Parallel()
	s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	const framework, protocol, own = "sdk.framework", "sdk.proto", "hap.pool"
	everything := []string{own, framework, protocol}
	for name, test := range map[string]struct {
		variables map[string]string
		want      []string
	}{
		"none":                  {nil, nil},
		"off":                   {map[string]string{"TF_LOG": "off"}, nil},
		"all":                   {map[string]string{"TF_LOG": "TRACE"}, everything},
		"as JSON":               {map[string]string{"TF_LOG": "JSON"}, everything},
		"less of all":           {map[string]string{"TF_LOG": "DEBUG"}, []string{own}}, // the others log a read at trace
		"of providers":          {map[string]string{"TF_LOG_PROVIDER": "TRACE"}, everything},
		"of the program alone":  {map[string]string{"TF_LOG_CORE": "TRACE"}, nil},
		"not of the SDK":        {map[string]string{"TF_LOG": "TRACE", "TF_LOG_SDK": "OFF"}, []string{own}},
		"not of the framework":  {map[string]string{"TF_LOG": "TRACE", "TF_LOG_SDK_FRAMEWORK": "OFF"}, []string{own, protocol}},
		"not of the protocol":   {map[string]string{"TF_LOG": "TRACE", "TF_LOG_SDK_PROTO": "OFF"}, []string{own, framework}},
		"not of this provider":  {map[string]string{"TF_LOG": "TRACE", "TF_LOG_PROVIDER_HAP": "OFF"}, []string{framework, protocol}},
		"warnings of it":        {map[string]string{"TF_LOG_PROVIDER": "TRACE", "TF_LOG_PROVIDER_HAP": "WARN"}, []string{framework, protocol}},
		"of the SDK, unshown":   {map[string]string{"TF_LOG_SDK": "TRACE"}, nil},
		"of one part, unshown":  {map[string]string{"TF_LOG_PROVIDER_HAP_POOL": "TRACE"}, nil},
		"what the protocol had": {map[string]string{"TF_LOG_SDK_PROTO_DATA_DIR": "data"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.configure(t, `data "hap_pool_status" "all" {}`)
			log, data := filepath.Join(t.TempDir(), "log"), filepath.Join(c.Folder, "data")
			if err := os.Mkdir(data, 0o700); err != nil {
				t.Fatal(err)
			}
			c.Setenv("TF_LOG_PATH", log)
			for variable, value := range test.variables {
				c.Setenv(variable, value)
			}
			c.apply(t)
			text, err := os.ReadFile(log)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			var named []string
			for _, part := range everything {
				if strings.Contains(string(text), part) {
					named = append(named, part)
				}
			}
			if !slices.Equal(named, test.want) {
				t.Errorf("parts that have entries: %q, want %q", named, test.want)
			}
			files, err := os.ReadDir(data)
			if _, wanted := test.variables["TF_LOG_SDK_PROTO_DATA_DIR"]; err != nil || wanted != (len(files) > 0) {
				t.Errorf("%d files of the protocol, %v", len(files), err)
			}
		})
	}
}
