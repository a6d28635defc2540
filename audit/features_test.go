package audit

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// The lowest bit is the largest power of two that divides a number, checked by exact halving or doubling until the
// number is odd. A tuple has the least lowest bit of its items.
func TestLowestBitDivides(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 1))
	for range 2000 {
		v := math.Ldexp(float64(rng.Int64N(1<<53)-1<<52), rng.IntN(2000)-1074)
		if rng.IntN(3) == 0 {
			v = float64(rng.IntN(2000)-1000) / 64
		}
		want := without
		if v != 0 && !math.IsInf(v, 0) {
			q, _ := new(big.Float).SetFloat64(v).Rat(nil)
			n := int(q.Num().TrailingZeroBits()) - int(q.Denom().TrailingZeroBits())
			want = strconv.Itoa(n)
		}
		text := spelled(v)
		if got := lowestBit(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if got := lowestBit("(" + text + ", 0, \"0.5\", no)"); got != want {
			t.Errorf("%s in a tuple: %s, want %s", text, got, want)
		}
	}
	if got := lowestBit("(0.75, 3, 0.5)"); got != "-2" {
		t.Errorf("lowest bit of (0.75, 3, 0.5): %s, want -2", got)
	}
}

// A tuple is split into its items. Other text is not split.
func TestItemsOfTuples(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 2))
	pieces := []string{"1", "-2.5", "below", `"a, b"`, `"(\""`, "'['", "(1, 2)", `((), ["x"])`}
	for range 500 {
		items := make([]string, 1+rng.IntN(4))
		for i := range items {
			items[i] = pieces[rng.IntN(len(pieces))]
		}
		got, ok := itemsOf(Tuple(items))
		if !ok || fmt.Sprint(got) != fmt.Sprint(items) || len(got) != len(items) {
			t.Errorf("%q: %q, %t", items, got, ok)
		}
	}
	for text, want := range map[string]int{"()": 0, "[]": 0, "(1,)": 1, "[1, 2]": 2, "": -1, "(": -1, "1, 2": -1, "(1, 2]": -1, "(1), (2)": -1, "(\"a)": -1, "((1)": -1} {
		if items, ok := itemsOf(text); ok != (want >= 0) || ok && len(items) != want {
			t.Errorf("%q: %q, %t", text, items, ok)
		}
	}
}

// The test compares the features of a few outputs. Integers and words have none, ungrouped fractions have the lowest
// bit, and tuples have one per item up to the eighth. Outputs in the testing half have no influence.
func TestFeaturesOfOutputs(t *testing.T) {
	of := func(grouped bool, labels ...string) map[string]func(string) string {
		d := &drawn{labels: append(labels, "(1, 2, 3, 4, 5.5)"), tallies: [][]tally{{}}}
		for i := range labels {
			d.tallies[0] = append(d.tallies[0], tally{output: i, score: 1})
		}
		d.tallies[0] = append(d.tallies[0], tally{output: len(labels), confirm: 1})
		all := make(map[string]func(string) string)
		for _, f := range d.features(grouped) {
			all[f.name] = f.of
		}
		return all
	}
	for _, c := range []struct {
		grouped bool
		labels  []string
		want    int
	}{{false, []string{"1", "2", "x"}, 0}, {false, []string{"1.5"}, 1}, {true, []string{"1.5"}, 0}, {false, []string{"(1, 2)"}, 6},
		{false, []string{"(1, 2)", "(0.5)"}, 7}, {false, []string{"(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)"}, 3 + 8 + 7}} {
		if got := of(c.grouped, c.labels...); len(got) != c.want {
			t.Errorf("%v: %d features, want %d", c.labels, len(got), c.want)
		}
	}
	all := of(false, "(1, 1, 1.5)")
	for name, want := range map[string][4]string{
		"number of items": {"3", "2", "1", without}, "number of different items": {"2", "2", "1", without}, "sum of items": {"3.5", "-1", "0", without},
		"item 1": {"1", "-1", "x", without}, "item 3": {"1.5", without, without, without}, "item 2 - item 1": {"0", without, without, without},
		"item 3 - item 2": {"0.5", without, without, without}, "lowest bit (log2)": {"-1", "0", without, "-2"},
	} {
		for i, label := range []string{"(1, 1, 1.5)", "(-1, y)", "(x)", "0.25"} {
			if got := all[name](label); got != want[i] {
				t.Errorf("%s of %s: %q, want %q", name, label, got, want[i])
			}
		}
	}
}
