package prompt

import "testing"

// The parent's number follows the program's name, which may contain brackets, blanks and newlines.
func TestListedParent(t *testing.T) {
	for stat, want := range map[string]int{
		"42 (bash) S 7 42 42 34816": 7, "42 (a) S 3) R 12 1": 12, "42 (a\nb) c) S 5 1\n": 5, "1 (init) S 0 1": 0,
		"42 (bash) S": -1, "42 (bash)": -1, "42 (bash) S x": -1, "": -1,
	} {
		got, err := listedParent(stat)
		if want < 0 && (err == nil || got != 0) || want >= 0 && (err != nil || got != want) {
			t.Errorf("%q has the parent %d, %v, want %d", stat, got, err, want)
		}
	}
}
