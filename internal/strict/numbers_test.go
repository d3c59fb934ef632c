package strict

import (
	"reflect"
	"testing"
)

// A number of a text comes out as it was written, or is an error: never another one.
func TestRead_numbers(t *testing.T) {
	t.Parallel()
	const refused = "refused"
	for written, want := range map[string]any{
		"1": int64(1), "-7": int64(-7), "50.0": int64(50), "0x1f": int64(31), "1_000": int64(1000), "0.1": 0.1, "1.50": 1.5, "1e3": int64(1000), "0.0": int64(0),
		"9007199254740993":                     int64(9007199254740993), // 2^53 + 1
		"-9007199254740993":                    int64(-9007199254740993),
		"9223372036854775807":                  int64(9223372036854775807),
		"1e30":                                 1e30,
		"18446744073709551615":                 refused, // of 64 bits, and more than a server keeps
		"9223372036854775808":                  refused,
		"0xffffffffffffffff":                   refused,
		"20000000000000000000":                 2e19,
		"123456789012345678901234567890":       refused,
		"9007199254740993.0":                   refused,
		"0.1234567890123456789":                refused,
		"!!float 9007199254740993":             refused,
		"1e999":                                refused,
		"1e-999":                               refused,
		"1e-99999999999999999999":              refused,
		`"123456789012345678901234567890"`:     "123456789012345678901234567890",
		"!!str 123456789012345678901234567890": "123456789012345678901234567890",
	} {
		for form, text := range map[string]string{"YAML": "a:\n- b: " + written, "flow": `{"a": [{"b": ` + written + `}]}`} {
			var into struct {
				A []map[string]any `json:"a"`
			}
			read, problems := Read(text, &into, Source{})
			if want == refused {
				if len(problems) != 1 || problems[0].Path != "a[0].b" || read != nil {
					t.Errorf("%s: %s is read as %v, %v", form, written, read, problems)
				}
				continue
			}
			if whole := map[string]any{"a": []any{map[string]any{"b": want}}}; len(problems) > 0 || !reflect.DeepEqual(read, whole) {
				t.Errorf("%s: %s is read as %#v, %v", form, written, read, problems)
			}
		}
	}
}
