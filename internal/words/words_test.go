package words

import (
	"errors"
	"testing"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		Count(0, "live row"): "0 live rows",
		Count(1, "live row"): "1 live row",
		Count(2, "live row"): "2 live rows",
		Count(1, "try"):      "1 try",
		Count(2, "try"):      "2 tries",
		Count(2, "key"):      "2 keys",
		Verb(0, "belong"):    "belong",
		Verb(1, "belong"):    "belongs",
		Verb(1, "are"):       "is",
		Verb(2, "are"):       "are",
		Verb(1, "have"):      "has",
		Verb(2, "have"):      "have",

		List(nil):                                "",
		List([]string{"a"}):                      "a",
		List([]string{"a", "b"}):                 "a and b",
		List([]string{"a", "b", "c"}):            "a, b and c",
		First(2, nil):                            "",
		First(2, []string{"a", "b"}):             "a; b",
		First(2, []string{"a", "b", "c", "d"}):   "a; b; and 2 more",
		Numbers(map[string]int{}):                "",
		Numbers(map[string]int{"b": 1, "a": 20}): "a (20), b (1)",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A text begins with a capital, and an error's ends without a full stop.
func TestCapitalized(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "a cluster": "A cluster", "Cluster": "Cluster"} {
		if got := Capitalized(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := WithoutStop(errors.New("it is gone.")); got != "it is gone" {
		t.Errorf("got %q", got)
	}
	for text, want := range map[string]string{"it is gone.": "it is gone.", "it is gone": "it is gone.", "did you mean \"a\"?": "did you mean \"a\"?"} {
		if got := Ended(errors.New(text)); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}
