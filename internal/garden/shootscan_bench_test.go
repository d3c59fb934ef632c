package garden

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// BenchmarkShoots reads one page of 500 Shoots, 17 kB each, once as a count does and once with the typed decoder.
func BenchmarkShoots(b *testing.B) {
	names := make([]shootNames, kube.PageSize)
	for i := range names {
		names[i] = shootNames{name: fmt.Sprintf("shoot-%03d", i), credentialsBinding: fmt.Sprintf("account-%02d", i%50)}
	}
	list := shootList(b, names...)
	missing := max(0, 17_000-len(encode(b, list))/kube.PageSize)
	for i := range list.Items {
		list.Items[i].Annotations["more"] = strings.Repeat("x", missing)
	}
	encoded := encode(b, list)
	for name, read := range map[string]func() (shootPage, error){
		"scanned": func() (shootPage, error) { return readShoots(bytes.NewReader(encoded), alone) },
		"decoded": func() (shootPage, error) {
			page, _, err := typed(encoded)
			return page, err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(encoded)))
			b.ReportAllocs()
			for b.Loop() {
				if page, err := read(); err != nil || len(page.Shoots) != kube.PageSize {
					b.Fatal(len(page.Shoots), err)
				}
			}
		})
	}
}
