package garden

import (
	"bytes"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// What the scan takes, the typed decoder reads alike, or refuses because of a field that the scan does not look
// at; and what the typed decoder itself has written, the scan takes.
func FuzzReadShoots(f *testing.F) {
	f.Add(encode(f, shootList(f, some[0])))
	f.Add(encode(f, shootList(f)))
	f.Add(page(oneShoot, oneShoot))
	f.Add(page(text(900, "unknown"), protowire.AppendVarint(protowire.AppendTag(nil, 901, protowire.VarintType), 1<<63), oneShoot))
	f.Add(page(field(1, text(3, "next")), oneShoot))
	f.Add(page(field(2, join(field(1, text(1, "a")), field(1, text(2, "b")), field(2, text(13, "c")), field(2, text(23, "d"))))))
	f.Add(join(page(oneShoot), text(3, ""), text(4, "")))
	f.Add([]byte(`{"kind":"ShootList","apiVersion":"core.gardener.cloud/v1beta1","items":[{"metadata":{"name":"a"}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := readShoots(bytes.NewReader(body), alone)
		want, list, typedErr := typed(body)
		switch {
		case typedErr != nil:
		case err == nil && !reflect.DeepEqual(got, want):
			t.Errorf("got %+v, want %+v", got, want)
		case err != nil && bytes.Equal(encode(t, list), body):
			t.Errorf("%v, and the typed decoder finds %+v", err, want)
		}
	})
}
