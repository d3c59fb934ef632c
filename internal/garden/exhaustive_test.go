//go:build !race

package garden

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Tests that try very many inputs one after the other are here: the race detector has nothing to find in them, and takes ten times as
// long.

func TestLabelValuesAreThoseOfKubernetes(t *testing.T) {
	t.Parallel()
	good := strings.Split("a b y z A B Y Z 0 1 8 9", " ")
	inner := strings.Split("- _ .", " ")
	bad := []string{"/", ":", "@", "[", "`", "{", ",", "=", "!", "(", " ", "\t", "\n", "\r", "\x00", "\x7f", "\xff", "\xc3",
		"ä", "ａ", "🐟", "\u200b", "~", "+", "*", "%", "\"", "\\"}
	random := rand.New(rand.NewPCG(7, 63))
	valid, invalid := 0, 0
	var value strings.Builder
	for range 1_000_000 {
		value.Reset()
		length := random.IntN(6)
		if random.IntN(50) == 0 {
			length = 60 + random.IntN(8) // the limit is 63
		}
		spoiled := random.IntN(4) == 0
		for range length {
			from := good
			switch random.IntN(8) {
			case 0:
				from = inner
			case 1:
				if spoiled {
					from = bad
				}
			}
			value.WriteString(from[random.IntN(len(from))])
		}
		ours, theirs := compare(value.String())
		if ours != theirs {
			t.Errorf("%q: %v, Kubernetes: %v", value.String(), account.CheckLabelValue(value.String()), validation.IsValidLabelValue(value.String()))
		}
		if ours {
			valid++
		} else {
			invalid++
		}
	}
	if min(valid, invalid) < 100_000 {
		t.Errorf("%d valid, %d invalid: too few of one kind to say anything", valid, invalid)
	}
}

// Half a page is no page, wherever it ends; where the whole list has come, it does not matter what is lost after it.
func TestScanOfHalfAPage(t *testing.T) {
	t.Parallel()
	list := shootList(t, some[:2]...)
	encoded, want := encode(t, list), namesOf(list)
	whole := 0
	for n := range encoded {
		got, err := readShoots(bytes.NewReader(encoded[:n]), alone)
		switch {
		case err == nil:
			equal(t, "page", got, want)
			whole++
		case !errors.Is(err, io.ErrUnexpectedEOF) || !kube.Transient(err):
			t.Fatalf("%d of %d bytes: %v", n, len(encoded), err)
		}
		_, err = readShoots(io.MultiReader(bytes.NewReader(encoded[:n]), iotest.ErrReader(io.ErrClosedPipe)), alone)
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Fatalf("the connection breaks after %d of %d bytes: %v", n, len(encoded), err)
		}
	}
	// What follows the list are two empty fields of two bytes each.
	if whole > 2 {
		t.Errorf("%d beginnings of %d bytes pass for the whole", whole, len(encoded))
	}
}
