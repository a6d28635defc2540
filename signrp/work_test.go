package signrp

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/internal/looks"
)

// An enumeration of the law of W is as long as the sums that it lists: for every coordinate those of the ones before times the values of an entry,
// for every column what there is so far times the products of one; it is taken at that length, and refused where a step less is left.
func TestStepsOfTheLawOfW(t *testing.T) {
	ctx := t.Context()
	u, v := []float64{0.5, 0.25, 1}, []float64{1, 0.5, 0.25}
	// What three entries ±1 and columns of them make, one after the other, by hand: sums 1, 2, 4 before each entry, of which 2 values go on; of 8
	// sums 4 products.
	for _, c := range []struct {
		w     *Projection
		u, v  []float64
		steps int
	}{
		{must(NewProjection(Rademacher, 3, 1, ProjectionOptions{Seed: 1})), u, v, 2*(1+2+4) + 1*4},
		// With 4 products of a column there are 10 of two, all different.
		{must(NewProjection(Rademacher, 3, 3, ProjectionOptions{Seed: 1})), u, v, 2*(1+2+4) + 4 + 4*4 + 10*4},
		// Sparse entries have three values each; of the nine sums of the first two, where v = 2u, seven differ, and of all 21 are 11 up to the sign.
		{must(NewProjection(Sparse, 3, 1, ProjectionOptions{Sparsity: 3, Seed: 1})), u, v, 3*(1+3+7) + 11},
		// Where s = 1 no entry is 0, and the value still counts.
		{must(NewProjection(Sparse, 3, 1, ProjectionOptions{Sparsity: 1, Seed: 1})), u, v, 3*(1+2+4) + 4},
		// Two bins of two of four: three ways to deal them (the first coordinate's bin has one more), two entries each, 2 products; then the other bin.
		{must(NewOPORP(ctx, 4, 2, 1)), []float64{0.5, 0.25, 1, 0.125}, []float64{1, 0.5, 0.25, 0.5}, 3*(2*(1+2)+1*2) + 3*(2*(1+2)+2*2)},
	} {
		for _, left := range []int{c.steps, c.steps - 1} {
			d := must(newCosine(c.w, c.u, c.v, new(big.Rat)))
			d.left = left
			m, err := d.law(ctx, c.w)
			if ok := left == c.steps; ok != (err == nil) || !ok && (m != nil || !errors.Is(err, errCosineWork)) || d.left > 0 {
				t.Errorf("%s W of %d × %d, %d steps at most: %v, %d are left, want %d steps", c.w.Kind(), c.w.P(), c.w.K(), left, err, d.left, c.steps)
			}
			// What there is no room for from the start is refused there: its first entry takes as many steps as it has values.
			first, whole := must(newCosine(c.w, c.u, c.v, new(big.Rat))), looks.After(ctx, math.MaxInt)
			first.left = 0
			values, _, _ := first.entries()
			if _, err := first.law(whole, c.w); !errors.Is(err, errCosineWork) || first.left != -len(values) || whole.Looks() != 0 {
				t.Errorf("%s W of %d × %d, no step: %v, %d are left and %d looks made", c.w.Kind(), c.w.P(), c.w.K(), err, first.left, whole.Looks())
			}
			for some := 1; some < c.steps; some += 3 {
				d := must(newCosine(c.w, c.u, c.v, new(big.Rat)))
				d.left = some
				if m, err := d.law(ctx, c.w); m != nil || !errors.Is(err, errCosineWork) {
					t.Errorf("%s W of %d × %d, %d steps at most: %v", c.w.Kind(), c.w.P(), c.w.K(), some, err)
				}
			}
		}
	}
}
