package continuous

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// positions returns the layers of positions 0 … upTo according to the ladders, and fails if a position appears twice.
func positions(t *testing.T, steps []ladder, upTo int) map[int]int {
	t.Helper()
	out := map[int]int{}
	for _, s := range steps {
		for k := 0; (s.count == 0 || k < s.count) && s.j+k <= upTo; k++ {
			if layer, twice := out[s.j+k]; twice {
				t.Errorf("%v has position %d in the layers %d and %d", steps, s.j+k, layer, s.level+s.slope*k)
			}
			out[s.j+k] = s.level + s.slope*k
		}
	}
	return out
}

// The ladders give the layer of every number. withoutZero removes only the number 0.
func TestLaddersMatchLayers(t *testing.T) {
	const upTo = 12
	r := rand.New(rand.NewPCG(119, 1))
	alone := 0
	for trial := range 60 {
		v, radius := randomSet(r, 1+r.IntN(9), true)
		if trial%2 == 0 {
			radius = 0
		}
		q := must.For(scaledQuery(v, 3))(t)
		l := must.For(NewSequence(context.Background(), q, big.NewRat(int64(radius), 3)))(t)
		if !l.closed {
			t.Fatal("layers are not known")
		}
		delta := q.Sensitivity().Value
		for i, n := range l.nodes {
			at := new(big.Rat).SetFrac(n.at, l.denominator)
			got := positions(t, l.ladders[i][0], upTo)
			for j := range upTo + 1 {
				x := new(big.Rat).Mul(delta, big.NewRat(int64(j), 1))
				want, ok, err := l.Layer(x.Add(x, at))
				layer, in := got[j]
				if err != nil || in != ok || in && want.Cmp(big.NewInt(int64(layer))) != 0 {
					t.Fatalf("V = %v/3, δ = %d/3: %v is in layer %d (%v), want %v (%v), error %v", v, radius, x, layer, in, want, ok, err)
				}
			}
		}
		steps := l.ladders[0][0]
		if steps[0].count == 1 {
			alone++
		}
		all, rest := positions(t, steps, upTo), positions(t, withoutZero(steps), upTo)
		if _, in := rest[0]; in || all[0] != 0 || len(rest) != len(all)-1 {
			t.Errorf("V = %v/3: withoutZero of %v gives %v", v, steps, rest)
		}
		for j, layer := range rest {
			if all[j] != layer {
				t.Errorf("V = %v/3: withoutZero: position %d is in layer %d, want %d", v, j, layer, all[j])
			}
		}
	}
	// The first ladder has one position, several, or no end.
	for _, steps := range [][]ladder{{{0, 0, 0, 1}, {1, 1, 1, 0}}, {{0, 0, 1, 2}, {2, 1, 0, 1}, {3, 2, 1, 0}}, {{0, 0, 0, 3}, {3, 1, 1, 0}}, {{0, 0, 1, 0}}} {
		all, rest := positions(t, steps, upTo), positions(t, withoutZero(steps), upTo)
		delete(all, 0)
		if len(all) != len(rest) {
			t.Errorf("withoutZero of %v gives %v, want %v", steps, rest, all)
		}
		for j, layer := range all {
			if got, in := rest[j]; !in || got != layer {
				t.Errorf("withoutZero of %v gives %v, want %v", steps, rest, all)
			}
		}
	}
	if alone == 0 {
		t.Error("no case has a ladder with the number 0 alone")
	}
}

// Draw splits large requests into parts, and returns the draws of the parts in order.
func TestDrawsInParts(t *testing.T) {
	for _, n := range []int{0, 1, 1<<16 - 1, 1 << 16, 1<<16 + 1, 2 << 16, 2<<16 + 1} {
		drawn := 0
		got, err := Draw(t.Context(), n, nil, func(n int, _ rand.Source) ([]int, error) {
			if n > 1<<16 {
				t.Errorf("a part has %d draws", n)
			}
			out := make([]int, n)
			for i := range out {
				out[i] = drawn
				drawn++
			}
			return out, nil
		})
		if err != nil || len(got) != n || n > 0 && got[n-1] != n-1 {
			t.Errorf("%d draws are %d (%v)", n, len(got), err)
		}
	}
}

// With a grid, a discrete release is the multiple nearest to answer plus noise. Without one, it is answer plus noise.
func TestDiscreteReleasesOnGrids(t *testing.T) {
	q := linearOf(t, rats(t, "1", "1", "3", "3")...)
	m := must.For(NewGeometric(q, evidencetest.Epsilon(0.4)))(t)
	answer := big.NewRat(22, 7)
	plain := must.For(Release(context.Background(), m, answer, 200, nil, rand.NewPCG(3, 4)))(t)
	for _, grid := range []*big.Rat{big.NewRat(3, 1), big.NewRat(1, 4), big.NewRat(7, 2), big.NewRat(1, 1)} {
		got := must.For(Release(context.Background(), m, answer, 200, grid, rand.NewPCG(3, 4)))(t)
		for i, v := range got {
			ideal := new(big.Rat).Add(answer, big.NewRat(int64(math.Round(plain[i]-22./7)), 1))
			if off, _ := ideal.Float64(); off != plain[i] {
				t.Fatalf("draw %d is %v, want %v and a whole number", i, plain[i], answer)
			}
			at := new(big.Rat).SetFloat64(v)
			if !new(big.Rat).Quo(at, grid).IsInt() {
				t.Fatalf("%v is off the grid %v", v, grid)
			}
			off := at.Sub(at, ideal)
			if off.Abs(off).Mul(off, big.NewRat(2, 1)).Cmp(grid) > 0 {
				t.Fatalf("%v is released on the grid %v as %v", ideal, grid, v)
			}
		}
	}
}
