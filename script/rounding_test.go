package script

import (
	"math/big"
	"strings"
	"testing"
)

// The nearest whole number is at most ½ away, and even where two are.
func TestHalvesGoToEven(t *testing.T) {
	half := big.NewRat(1, 2)
	for den := int64(1); den <= 8; den++ {
		for num := int64(-40); num <= 40; num++ {
			q := big.NewRat(num, den)
			got := halfEven(q)
			away := new(big.Rat).Sub(q, new(big.Rat).SetInt(got))
			if c := away.Abs(away).Cmp(half); c > 0 || c == 0 && got.Bit(0) == 1 {
				t.Errorf("%v is rounded to %v", q, got)
			}
		}
	}
}

// A line of at most 200 bytes is shown whole, of a longer one what stands around the column.
func TestExcerpts(t *testing.T) {
	for n := range 500 {
		line := "  " + strings.Repeat("a", n)
		for _, column := range []int{0, 1, 150, n} {
			got := excerpt(line, column)
			if whole := len(line) <= 200; whole && got != strings.TrimSpace(line) || !whole && (!strings.Contains(got, "…") || len(got) > 200+2*len("…")) {
				t.Errorf("of %d bytes, column %d: %q", len(line), column, got)
			}
			if column >= 1 && column <= n {
				at := []byte(line)
				if at[column-1] = 'X'; !strings.Contains(excerpt(string(at), column), "X") {
					t.Errorf("of %d bytes, column %d is not shown: %q", len(line), column, excerpt(string(at), column))
				}
			}
		}
	}
}

// What nests too deeply has no text in JSON.
func TestJSONOfDeepLists(t *testing.T) {
	s := New(Vocabulary{})
	for depth, ok := range map[string]bool{"9000": true, "20000": false} {
		_, err := s.Exec(t.Context(), "a", "x = []\nfor i in range("+depth+"): x = [x]\njson.encode(x)\n")
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "x is nested more than 10000 deep") {
			t.Errorf("%s levels: %v", depth, err)
		}
	}
}
