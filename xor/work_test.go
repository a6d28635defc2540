package xor

import (
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// The least work that a search needs to look at everything is the same number of
// multiplications everywhere: whoever gave it as a bound has the same answer again. Printed
// by this test. With one less the answer is an enclosure of that with all.
func TestLeastWorkThatSuffices(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 1))
	square, wide, free := ragged(rng, 3, 3, .7), ragged(rng, 2, 4, .4), ragged(rng, 1, 5, .7)
	objects := must.Be(NewBernoulli([][]float64{{.3, .7, -.2}, {.7, -.1, .4}, {-.2, .4, .2}}, map[Pair][][]float64{{I: 1, J: 3}: {{.5, 0, 0}, {0, 0, 0}, {0, 0, -.5}}}, 6))
	pattern := must.Be(ParseBits([][]float64{{1, 0, 1}, {0, 1, 0}, {0, 1, 0}}))
	double := must.Be(ParseBits([][]float64{{0, 0, 1}, {0, 0, 0}, {0, 1, 0}}))
	for i, c := range []struct {
		b    *Bernoulli
		nb   Neighbors
		want int
	}{
		{square, FlipBits(2), 249}, {square, FlipBits(3), 2064}, {square, FlipBits(5), 8112}, {square, FlipRows(1), 426}, {square, FlipPatterns(double, pattern), 183},
		{wide, FlipBits(4), 2750}, {wide, FlipBits(8), 9908}, {free, FlipBits(3), 326}, {free, FlipRows(1), 608}, {objects, FlipBits(4), 849}, {objects, FlipRows(1), 195},
	} {
		at := func(work int) Loss {
			return must.Be(must.Be(c.b.Under(c.nb, LossOptions{Work: float64(work)})).Loss(t.Context()))
		}
		least, most := 1, 1<<20
		for least < most {
			if mid := (least + most) / 2; at(mid).Complete {
				most = mid
			} else {
				least = mid + 1
			}
		}
		if least != c.want {
			t.Errorf("search %d needs %d multiplications, want %d", i, least, c.want)
		}
		whole := at(least)
		for _, work := range []int{least - 1, least / 2, least / 5, 1} {
			if got := at(work); got.Complete || got.Lo > whole.Hi || got.Hi < whole.Lo || got.Method == whole.Method {
				t.Errorf("search %d with %d of %d multiplications: %+v, want around %+v", i, work, least, got, whole)
			}
		}
	}
}

// A search that may go as deep as it must is complete; one level less and it is not, but
// bounds the same.
func TestSearchesAsDeepAsTheyMay(t *testing.T) {
	b := ragged(rand.New(rand.NewPCG(53, 2)), 2, 3, .5)
	search := func(deepest int) (*branch, *lossSearch) {
		s := &lossSearch{law: b, ctx: t.Context(), work: 1e9}
		c := must.Be(s.coupling([]int{0, 1, 2, 3, 4, 5}))
		w := newBranch(c, []int{0, 1, 2, 3, 4, 5}, 4, false)
		// A level takes its pulls, one for each bit, and four numbers for each candidate.
		if n := len(c.bits) + 4*len(w.candidates) + 1; w.deepest*n > 1<<26 || (w.deepest+1)*n <= 1<<26 {
			t.Errorf("%d levels of %d numbers", w.deepest, n)
		}
		w.deepest = deepest
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		return w, s
	}
	whole, s := search(3) // the last of four bits makes no level
	if s.gaveUp {
		t.Error("a search of four bits goes deeper than three levels")
	}
	want := whole.result(4)
	for deepest := range 3 {
		w, s := search(deepest)
		if got := w.result(4); !s.gaveUp || len(w.levels) > deepest+2 || got.value > want.value || got.most < want.value {
			t.Errorf("down to level %d: from %v to %v, want around %v", deepest, got.value, got.most, want.value)
		}
	}
}
