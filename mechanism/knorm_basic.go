package mechanism

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/evidence"
)

// A basic mechanism has A_i = ∪ {R_0^y : d̄(x, y) ≤ i} (Wu et al., Corollary 1).
// For the K-norm mechanism A_i = F(x) + (i+1)K° and R_0^y = F(y) + K°, K° being K
// without its boundary. Where D = ℝⁿ the F(y) fill F(x) + iK, and
// iK + K° = (i+1)K° because K is convex: Proposition 6. Where D is a lattice the
// F(y) are points, and the sets F(y) + K° need not cover (i+1)K°.

// CheckBasic checks Proposition 6 for D = ℝⁿ by exact Minkowski sums: that the
// sum of iK and K is (i+1)K for i = 1 … upTo. It returns the first i at which it
// is not, and true where there is none.
func (k *KNorm) CheckBasic(upTo int) (i int, ok bool) {
	for i := 1; i <= upTo; i++ {
		scaled := make([]Point, len(k.corners))
		want := make([]Point, len(k.corners))
		for c, p := range k.corners {
			scaled[c] = p.times(big.NewRat(int64(i), 1))
			want[c] = p.times(big.NewRat(int64(i+1), 1))
		}
		if !slices.EqualFunc(minkowski(scaled, k.corners), hull(want), Point.equal) {
			return i, false
		}
	}
	return 0, true
}

// minkowski returns the corners of the sum of two convex sets given by theirs:
// the hull of all sums of corners.
func minkowski(a, b []Point) []Point {
	var sums []Point
	for _, p := range a {
		for _, q := range b {
			sums = append(sums, p.plus(q))
		}
	}
	return hull(sums)
}

// LatticeGap is a point r that shows that the K-norm mechanism is not basic on
// D = ℤⁿ: it lies in layer i of x = 0, yet in no R_0^y with d̄(0, y) ≤ i.
type LatticeGap struct {
	R     Point
	Layer int
	Norm  *big.Rat // ‖r‖_K, in [Layer, Layer + 1)
	Cases int      // points and datasets compared
}

// FindLatticeGap searches the points with coordinates of multiples of 1/m,
// m = 1 … finest, by ascending layer up to the given one. It returns false where
// it finds no gap, and an error wrapping evidence.ErrParameter where layer or
// finest is below 1.
func (k *KNorm) FindLatticeGap(ctx context.Context, layer, finest int) (LatticeGap, bool, error) {
	if layer < 1 || finest < 1 {
		return LatticeGap{}, false, fmt.Errorf("%w: layer = %d and finest = %d, want at least 1", evidence.ErrParameter, layer, finest)
	}
	cases := 0
	for i := 1; i <= layer; i++ {
		centres := k.images(i)
		for m := int64(1); m <= int64(finest); m++ {
			reach := new(big.Rat)
			for _, p := range k.corners {
				for _, v := range p {
					if a := new(big.Rat).Abs(v); a.Cmp(reach) > 0 {
						reach = a
					}
				}
			}
			reach.Mul(reach, big.NewRat(m*int64(i+1), 1))
			n := floor(reach).Int64()
			rows := n
			if k.dimension == 1 {
				rows = 0
			}
			for b := int64(0); b <= rows; b++ { // K is symmetric
				for a := -n; a <= n; a++ {
					r := Point{big.NewRat(a, m), big.NewRat(b, m)}
					norm := k.Norm(r)
					if floor(norm).Int64() != int64(i) {
						continue
					}
					if err := ctx.Err(); err != nil {
						return LatticeGap{}, false, err
					}
					cases += len(centres)
					if !slices.ContainsFunc(centres, func(c Point) bool { return k.Norm(r.minus(c)).Cmp(big.NewRat(1, 1)) < 0 }) {
						return LatticeGap{r, i, norm, cases}, true, nil
					}
				}
			}
		}
	}
	return LatticeGap{Cases: cases}, false, nil
}

// images returns F(y) for the y ∈ ℤⁿ with ‖y‖₁ ≤ i, without repeats.
func (k *KNorm) images(i int) []Point {
	seen := map[string]bool{}
	var out []Point
	front := []Point{{new(big.Rat), new(big.Rat)}}
	for step := 0; ; step++ {
		var next []Point
		for _, p := range front {
			if seen[p.String()] {
				continue
			}
			seen[p.String()] = true
			out = append(out, p)
			for _, c := range k.columns {
				next = append(next, p.plus(c), p.minus(c))
			}
		}
		if step == i {
			return out
		}
		front = next
	}
}
