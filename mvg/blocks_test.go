package mvg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// turnedPairs returns I with each direction of a pair turned towards the other.
func turnedPairs(d int, pairs [][2]int, degrees []float64) *mat.Dense {
	w := eye(d)
	for k, p := range pairs {
		sin, cos := math.Sincos(degrees[k] * math.Pi / 180)
		w.Set(p[0], p[0], cos)
		w.Set(p[1], p[0], sin)
		w.Set(p[0], p[1], -sin)
		w.Set(p[1], p[1], cos)
	}
	return w
}

func directional(t *testing.T, variances []float64, directions *mat.Dense) Covariance {
	t.Helper()
	c, err := Directional(variances, directions)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Blocks set up and hidden by a common rotation are found, and nothing is coupled across.
func TestSharedBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(101, 102))
	for _, sizes := range [][]int{{1, 1, 1, 1}, {2, 3}, {1, 2, 4}, {3, 3, 2}, {6}} {
		n := 0
		for _, k := range sizes {
			n += k
		}
		axes := randomBasis(n, rng)
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
			return turn(out, axes)
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
		for _, m := range []*mat.SymDense{turn(f.p, basis), turn(f.q, basis)} {
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
	f := unitForms(directional(t, levels, eye(6)), directional(t, levels, turnedPairs(6, pairs, []float64{72, 80, 80})))
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
	part, whole := newLift(turn(f.p, basis), turn(f.q, basis), blockwise(of)), newLift(f.p, f.q, within{k: 6})
	if len(part.unknowns) > len(whole.unknowns)/2 {
		t.Errorf("%d unknowns of %d", len(part.unknowns), len(whole.unknowns))
	}
	if a, b := bound(part), bound(whole); math.Abs(a-b) > 1e-9*b {
		t.Errorf("bounds %v by blocks, %v by all entries", a, b)
	}
}

// Subspaces at equal angles: half-planes leave 1 %, and the compound 1e-4.
func TestReplacementOfEqualAngles(t *testing.T) {
	levels := []float64{1, 1, 1, 1, 1, 10, 10, 10, 10, 10}
	axes := turnedPairs(10, [][2]int{{0, 5}, {1, 6}, {2, 7}, {3, 8}, {4, 9}}, []float64{72, 80, 80, 80, 80})
	got, err := replaced(t.Context(), directional(t, levels, eye(10)), directional(t, levels, axes))
	if err != nil || !(got.lo > 1.0264984) || got.hi-got.lo > 1e-8*got.hi {
		t.Errorf("[%v, %v], %v", got.lo, got.hi, err)
	}
}

// A floor that P and Q share up to a small angle costs nothing.
func TestReplacementAboveANearFloor(t *testing.T) {
	for _, angle := range []float64{1e-9, 1e-6, 1e-5, 4e-5, 1e-4} {
		degrees := angle * 180 / math.Pi
		axes := turnedPairs(6, [][2]int{{0, 3}, {1, 4}, {2, 5}}, []float64{degrees, degrees, degrees})
		sigma := directional(t, []float64{1, 2, 3, 100, 100, 100}, eye(6))
		got, err := replaced(t.Context(), sigma, directional(t, []float64{3, 1, 2, 100, 100, 100}, axes))
		if err != nil || got.hi-got.lo > 1e-10*got.hi {
			t.Errorf("turned by %g: [%v, %v], %v", angle, got.lo, got.hi, err)
		}
	}
}

// What a climb of c·y returns is orthonormal, from frames that are nearly not a plane too.
func TestRitzClimbsAreOrthonormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(105, 106))
	for range 200 {
		d := 3 + rng.IntN(4)
		spread := func() []float64 {
			v := make([]float64, d)
			for i := range v {
				v[i] = math.Pow(10, 10*rng.Float64())
			}
			return v
		}
		f := unitForms(directional(t, spread(), eye(d)), directional(t, spread(), randomBasis(d, rng)))
		s := newRitz(f, leading(randomBasis(d, rng)))
		c := [4]float64{rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()}
		v := s.climb(c, leading(randomBasis(d, rng)))
		w := mat.NewDense(d, 2, nil)
		w.SetCol(0, v[0])
		w.SetCol(1, v[1])
		if got := skew(w); got > 1e-13 {
			t.Fatalf("order %d: off by %v", d, got)
		}
	}
}
