package garden

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// differs reports whether package pool and Kubernetes disagree on a label value other than the empty one, which
// package pool refuses on purpose.
func differs(value string) bool {
	kubernetes := len(validation.IsValidLabelValue(value)) == 0 && value != ""
	return kubernetes != (pool.CheckLabelValue(value) == nil)
}

func TestLabelValuesAreThoseOfKubernetes(t *testing.T) {
	t.Parallel()
	if pool.CheckLabelValue("") == nil {
		t.Error("the empty value passes")
	}
	good := strings.Split("a b y z A B Y Z 0 1 8 9", " ")
	inner := strings.Split("- _ .", " ")
	bad := []string{"/", ":", "@", "[", "`", "{", ",", "=", "!", "(", " ", "\t", "\n", "\r", "\x00", "\x7f", "\xff", "\xc3", "ä", "ａ", "🐟", "\u200b", "~", "+", "*", "%", "\"", "\\"}
	random := rand.New(rand.NewPCG(7, 63))
	valid, invalid := 0, 0
	var value strings.Builder
	for range 1_000_000 {
		value.Reset()
		length := random.IntN(6)
		if random.IntN(8) == 0 {
			length = 60 + random.IntN(8) // the limit is 63
		}
		spoiled := random.IntN(4) == 0
		for range length {
			from := good
			switch random.IntN(8) {
			case 0, 1:
				from = inner
			case 2:
				if spoiled {
					from = bad
				}
			}
			value.WriteString(from[random.IntN(len(from))])
		}
		if differs(value.String()) {
			t.Errorf("%q: %v, Kubernetes: %v", value.String(), pool.CheckLabelValue(value.String()), validation.IsValidLabelValue(value.String()))
		}
		if pool.CheckLabelValue(value.String()) == nil {
			valid++
		} else {
			invalid++
		}
	}
	if valid < 200_000 || invalid < 200_000 {
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
		if differs(value) {
			t.Errorf("%q: %v, Kubernetes: %v", value, pool.CheckLabelValue(value), validation.IsValidLabelValue(value))
		}
	})
}
