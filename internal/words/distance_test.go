package words

import "testing"

func TestDistance(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3},
		{"abc", "ab", 1}, {"abc", "xabc", 1}, {"abc", "axc", 1}, {"abc", "acb", 1},
		{"abcd", "badc", 2}, {"kitten", "sitting", 3}, {"gpc", "gcp", 1},
	}
	for _, tt := range tests {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
