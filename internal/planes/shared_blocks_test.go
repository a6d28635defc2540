package planes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// Blocks set up and hidden by a common rotation are found, and nothing is coupled across.
func TestSharedBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(101, 102))
	for _, sizes := range [][]int{{1, 1, 1, 1}, {2, 3}, {1, 2, 4}, {3, 3, 2}, {6}} {
		n := 0
		for _, k := range sizes {
			n += k
		}
		axes := symmetric.RandomBasis(n, rng)
		draw := func() *mat.SymDense {
			out := mat.NewSymDense(n, nil)
			at := 0
			for _, k := range sizes {
				for i := range k {
					for j := i; j < k; j++ {
						out.SetSym(at+i, at+j, rng.NormFloat64())
					}
				}
				at += k
			}
			return symmetric.Turn(out, axes)
		}
		f := newForms(draw(), draw())
		basis, of := f.sharedBlocks()
		if len(sizes) == 1 {
			if basis != nil {
				t.Errorf("one block: found %v", of)
			}
			continue
		}
		if basis == nil {
			t.Fatalf("blocks %v: none found", sizes)
		}
		found := make([]int, of[n-1]+1)
		for _, b := range of {
			found[b]++
		}
		slices.Sort(found)
		want := slices.Clone(sizes)
		if slices.Sort(want); !slices.Equal(found, want) {
			t.Errorf("blocks of orders %v, want %v", found, want)
		}
		for _, m := range []*mat.SymDense{symmetric.Turn(f.p, basis), symmetric.Turn(f.q, basis)} {
			for i := range n {
				for j := range n {
					if of[i] != of[j] && math.Abs(m.At(i, j)) > 1e-12 {
						t.Errorf("blocks %v: an entry %v joins two", sizes, m.At(i, j))
					}
				}
			}
		}
	}
}

// On shared blocks the lift of their entries bounds as well as that of all.
func TestLiftOfSharedBlocks(t *testing.T) {
	pairs := [][2]int{{0, 3}, {1, 4}, {2, 5}}
	levels := []float64{1, 1, 1, 10, 10, 10}
	f := newForms(precision(levels, symmetric.Eye(6)), precision(levels, turnedPairs(6, pairs, []float64{72, 80, 80})))
	basis, of := f.sharedBlocks()
	if basis == nil {
		t.Fatal("no blocks")
	}
	bound := func(p *program) float64 {
		x, err := p.interior(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p.bound(x.y)
	}
	part, whole := newLift(symmetric.Turn(f.p, basis), symmetric.Turn(f.q, basis), sharedBlocksOnly(of)), newLift(f.p, f.q, leadingDirections{k: 6})
	if len(part.unknowns) > len(whole.unknowns)/2 {
		t.Errorf("%d unknowns of %d", len(part.unknowns), len(whole.unknowns))
	}
	if a, b := bound(part), bound(whole); math.Abs(a-b) > 1e-9*b {
		t.Errorf("bounds %v by blocks, %v by all entries", a, b)
	}
}
