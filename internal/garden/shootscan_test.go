package garden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// The scan has to see in a list what the typed decoder sees in it, and must not take for a list what is none.

// shootList is a list as the API would send it; each Shoot has every field that there is.
func shootList(t testing.TB, shoots ...shootNames) *gardencore.ShootList {
	t.Helper()
	list := &gardencore.ShootList{
		TypeMeta: metav1.TypeMeta{APIVersion: "core.gardener.cloud/v1beta1", Kind: "ShootList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "17", Continue: "the-next-page", RemainingItemCount: new(int64(3))},
	}
	for _, names := range shoots {
		var shoot gardencore.Shoot
		fill(t, &shoot.ObjectMeta)
		fill(t, &shoot.Spec)
		fill(t, &shoot.Status)
		shoot.Name, shoot.Spec.CredentialsBindingName, shoot.Spec.SecretBindingName = names.name, nil, nil
		if !names.deleting {
			shoot.DeletionTimestamp = nil
		}
		if names.credentialsBinding != "" {
			shoot.Spec.CredentialsBindingName = &names.credentialsBinding
		}
		if names.secretBinding != "" {
			shoot.Spec.SecretBindingName = &names.secretBinding
		}
		list.Items = append(list.Items, shoot)
	}
	return list
}

// some are Shoots of all kinds: with either binding, without workers, and on their way out.
var some = []shootNames{
	{"blue", "account-1", "", false}, {"green", "", "old-account", true}, {"workerless", "", "", false}, {"red", "account-1", "", true},
	{strings.Repeat("n", 253), strings.Repeat("a", 253), "", false}, {"", "account-2", "", true},
}

func encode(t testing.TB, list *gardencore.ShootList) []byte {
	t.Helper()
	info, ok := k8sruntime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), k8sruntime.ContentTypeProtobuf)
	if !ok {
		t.Fatal("no serializer for protobuf")
	}
	encoded, err := k8sruntime.Encode(info.Serializer, list)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// typed is what the typed decoder sees in a page.
func typed(encoded []byte) (shootPage, *gardencore.ShootList, error) {
	var list gardencore.ShootList
	decoded, _, err := codecs.UniversalDeserializer().Decode(encoded, nil, &list)
	if err == nil && decoded != &list {
		err = fmt.Errorf("a %T", decoded)
	}
	return namesOf(&list), &list, err
}

// alone is for a page whose next one is not asked for.
func alone(string) {}

func TestScanReadsWhatTheTypedDecoderReads(t *testing.T) {
	t.Parallel()
	last := shootList(t, some[0])
	last.Continue = ""
	for name, list := range map[string]*gardencore.ShootList{
		"many": shootList(t, some...), "the last page": last, "none": shootList(t),
		"bare": {TypeMeta: last.TypeMeta, Items: make([]gardencore.Shoot, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := namesOf(list)
			inJSON, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			inProtobuf := encode(t, list)
			for how, body := range map[string]io.Reader{
				"protobuf": bytes.NewReader(inProtobuf), "protobuf byte by byte": iotest.OneByteReader(bytes.NewReader(inProtobuf)),
				"protobuf with EOF at once": iotest.DataErrReader(bytes.NewReader(inProtobuf)), "JSON": bytes.NewReader(inJSON),
			} {
				got, err := readShoots(body, alone)
				if err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				equal(t, how, got, want)
			}
		})
	}
	equal(t, "names", namesOf(shootList(t, some...)).Shoots, some)
}

// field encodes a length-delimited field.
func field(number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, bytesType), value)
}

// text encodes a field that holds a string.
func text(number protowire.Number, value string) []byte { return field(number, []byte(value)) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// page encodes a page by hand.
func page(list ...[]byte) []byte {
	return join(protobufMagic, field(1, listKind), field(2, join(list...)))
}

var (
	listKind = join(text(1, "core.gardener.cloud/v1beta1"), text(2, "ShootList"))
	oneShoot = field(2, join(field(1, text(1, "blue")), field(2, text(23, "account"))))
	// later are fields of every type that a later version may add.
	later = join(
		protowire.AppendVarint(protowire.AppendTag(nil, 900, protowire.VarintType), 1<<63),
		protowire.AppendFixed32(protowire.AppendTag(nil, 901, protowire.Fixed32Type), 7),
		protowire.AppendFixed64(protowire.AppendTag(nil, 902, protowire.Fixed64Type), 7),
		text(903, strings.Repeat("unknown", 30_000)),
		text(904, ""),
	)
)

// The next page is known before the first Shoot has come, so that it can be asked for while the Shoots come.
func TestScanTellsTheNextPageAhead(t *testing.T) {
	t.Parallel()
	list := shootList(t, some...)
	encoded, shoot := encode(t, list), encode(t, shootList(t, some[0]))
	var read, told int
	body := readerFunc(func(p []byte) (int, error) { // byte by byte
		if read == len(encoded) {
			return 0, io.EOF
		}
		p[0] = encoded[read]
		read++
		return 1, nil
	})
	_, err := readShoots(body, func(next string) {
		told = read
		equal(t, "next page", next, list.Continue)
	})
	if err != nil || told == 0 || told > len(shoot)/2 {
		t.Errorf("known after %d of %d bytes: %v", told, len(encoded), err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestScanSkipsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	encoded := join(protobufMagic, later, field(1, join(later, listKind, later)), later, field(2, join(
		later, field(1, join(later, text(3, "next"), later)), later,
		field(2, join(later, field(1, join(later, text(1, "blue"), later, field(9, later), later)), later,
			field(2, join(later, text(13, "old"), later, text(23, "account"), later)), later)),
		later,
	)), later, text(3, ""), later)
	want := shootPage{Continue: "next", Shoots: []shootNames{{"blue", "account", "old", true}}}
	got, err := readShoots(bytes.NewReader(encoded), alone)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "page", got, want)
	decoded, _, err := typed(encoded)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the typed decoder", decoded, want)
}

func TestScanRefusesWhatIsNoListOfShoots(t *testing.T) {
	t.Parallel()
	huge := func(size uint64) []byte { return protowire.AppendVarint(protowire.AppendTag(nil, 2, bytesType), size) }
	kind := func(version, kind string) []byte {
		return join(protobufMagic, field(1, join(text(1, version), text(2, kind))), field(2, oneShoot))
	}
	for name, body := range map[string][]byte{
		"a Status":                     kind("v1", "Status"),
		"a single Shoot":               kind("core.gardener.cloud/v1beta1", "Shoot"),
		"another version":              kind("core.gardener.cloud/v1", "ShootList"),
		"a list of other things":       kind("core.gardener.cloud/v1beta1", "SeedList"),
		"no kind":                      join(protobufMagic, field(2, oneShoot)),
		"the kind comes too late":      join(protobufMagic, field(2, oneShoot), field(1, listKind)),
		"two lists":                    join(page(oneShoot), field(2, oneShoot)),
		"an encoding":                  join(page(oneShoot), text(3, "gzip")),
		"a Shoot beyond the list":      join(protobufMagic, field(1, listKind), field(2, huge(100))),
		"a Shoot of 4 EB":              join(protobufMagic, field(1, listKind), huge(1<<62), huge(1<<61)),
		"a Shoot of 17 MiB":            page(huge(17<<20), make([]byte, 17<<20)),
		"a field beyond the Shoot":     page(field(2, huge(3))),
		"a length of -1":               page(huge(1<<64 - 1)),
		"a number without an end":      page(bytes.Repeat([]byte{0xff}, 20)),
		"a number cut by the list":     page([]byte{0x80}),
		"a group":                      page(protowire.AppendTag(nil, 9, protowire.StartGroupType)),
		"a field without a number":     page([]byte{0x02, 0x00}),
		"a field beyond all numbers":   page(protowire.AppendVarint(nil, (1<<32+2)<<3|2), []byte{0}),
		"a field of 8 bytes, 2 come":   page(protowire.AppendTag(nil, 9, protowire.Fixed64Type), []byte{1, 2}),
		"a page for a person":          []byte("<html>please log in</html>"),
		"JSON of another server":       []byte(`{"error":"no such cluster"}`),
		"JSON that is cut":             []byte(`{"error":"no such cluster"`),
		"JSON of nothing":              []byte(`{}`),
		"JSON that is null":            []byte(`null`),
		"a list without its kind":      []byte(`{"items":[]}`),
		"a Status in JSON":             []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":500}`),
		"another kind of list in JSON": []byte(`{"kind":"SeedList","apiVersion":"core.gardener.cloud/v1beta1","items":[]}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readShoots(bytes.NewReader(body), alone)
			if err == nil || kube.Transient(err) && name != "a Status in JSON" {
				t.Errorf("%+v, %v", got, err)
			}
			equal(t, "page", got, shootPage{})
		})
	}
}

// endless sends the same Shoots over and over, as many as asked for.
func endless(shoot []byte, shoots int) io.Reader {
	size := uint64(len(shoot)) * uint64(shoots) //nolint:gosec // a few thousand
	head := join(protobufMagic, field(1, listKind), protowire.AppendVarint(protowire.AppendTag(nil, 2, bytesType), size))
	parts := []io.Reader{bytes.NewReader(head)}
	for range shoots {
		parts = append(parts, bytes.NewReader(shoot))
	}
	return io.MultiReader(parts...)
}

// However large the Shoots are, what is kept of them is small: F18.
func TestScanNeedsLittleMemory(t *testing.T) { //nolint:paralleltest // no other test may allocate meanwhile
	const shoots, size = 5000, 17_000
	shoot := field(2, join(field(1, join(text(1, "blue"), text(12, strings.Repeat("x", size)))), field(2, text(23, "account"))))
	body := endless(shoot, shoots)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	page, err := readShoots(body, alone)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "Shoots", len(page.Shoots), shoots)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
		t.Errorf("%d Shoots of %d bytes: %d kB allocated", shoots, size, allocated>>10)
	}
}
