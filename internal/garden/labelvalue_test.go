package garden

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// compare says whether package pool takes a value for the label value of a name, and whether Kubernetes does. The empty
// value is one for Kubernetes alone: no name. Packages pool and rules check with code of their own because they import no
// client of any kind; here it is held against the original.
func compare(value string) (ours, theirs bool) {
	return pool.CheckLabelValue(value) == nil, value != "" && len(validation.IsValidLabelValue(value)) == 0
}

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
			t.Errorf("%q: %v, Kubernetes: %v", value.String(), pool.CheckLabelValue(value.String()), validation.IsValidLabelValue(value.String()))
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

func FuzzCheckLabelValue(f *testing.F) {
	for _, seed := range []string{
		"", "a", "aws_cf-eu11", "a-", ".a", "a/b", "x,shared=true", "é", "\xff",
		strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 62) + "-",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if ours, theirs := compare(value); ours != theirs {
			t.Errorf("%q: %v, Kubernetes: %v", value, pool.CheckLabelValue(value), validation.IsValidLabelValue(value))
		}
	})
}
