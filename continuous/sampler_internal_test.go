package continuous

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// positions returns the layer of each position 0 … upTo that the ladders contain. It fails the test if a position
// appears twice.
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
		v, radius := RandomSet(r, 1+r.IntN(9), true)
		if trial%2 == 0 {
			radius = 0
		}
		q := must.For(ScaledQuery(v, 3))(t)
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
	// In these cases the first ladder has one position, several positions, or no end.
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
