package optimize

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// The contraction bounds ‖I − RK‖∞ for every K that rounds to the dense matrix, and
// by little more, however inexact R is.
func TestContractionBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 5))
	abs := func(v *big.Rat) *big.Rat { return new(big.Rat).Abs(v) }
	for trial := range 15 {
		n := 1 + rng.IntN(12)
		dense, inverse := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		scale := []float64{1, 1e-3, 1e8}[trial%3]
		for i := range n {
			for j := range n {
				dense.Set(i, j, rng.Float64())
				inverse.Set(i, j, scale*rng.NormFloat64())
				if trial%3 == 2 { // what cancels
					dense.Set(i, j, 1)
					inverse.Set(i, j, scale*float64(1-2*(j%2))*float64((n&^1-j)/max(n&^1-j, 1)))
				}
			}
		}
		k := &kernel{n: n}
		got, err := k.contraction(t.Context(), inverse, dense)
		if err != nil {
			t.Fatal(err)
		}
		worst, slack := new(big.Rat), new(big.Rat)
		for i := range n {
			row, size := new(big.Rat), new(big.Rat)
			for j := range n {
				v := new(big.Rat)
				if i == j {
					v.SetInt64(1)
				}
				for l := range n {
					p := new(big.Rat).Mul(new(big.Rat).SetFloat64(inverse.At(i, l)), new(big.Rat).SetFloat64(dense.At(l, j)))
					v.Sub(v, p)
					size.Add(size, abs(p))
				}
				row.Add(row, abs(v))
			}
			row.Add(row, size.Mul(size, new(big.Rat).SetFloat64(0x1p-53)))
			if row.Cmp(worst) > 0 {
				worst = row
			}
			if size.Cmp(slack) > 0 {
				slack = size
			}
		}
		least, _ := worst.Float64()
		rounding, _ := slack.Float64()
		if !(got >= least*(1-1e-15)) || !(got <= least*(1+1e-10)+float64(50*n*(n+4))*rounding) {
			t.Errorf("trial %d, %d datasets: %v, want at least %v", trial, n, got, least)
		}
	}
	if got, err := (&kernel{n: 2}).contraction(t.Context(), mat.NewDense(2, 2, []float64{1e300, 1e300, 1, 1}), mat.NewDense(2, 2, []float64{1, 1, 1, 1})); err != nil || got < 1e299 || math.IsNaN(got) {
		t.Errorf("%v, %v, want more than 10²⁹⁹", got, err)
	}
}

// Solutions on paths lie within what encloses them, on either side, and fill more than nothing of it:
// with w = e^{−ε} the inverse of the matrix w^|x−y| has three diagonals, so that the ends of the
// solution are 1/(1 + w), and all between (1 − w)/(1 + w), of which roundings of w are a large part
// where ε is small.
func TestKernelEnclosesPaths(t *testing.T) {
	one := big.NewRat(1, 1)
	var above, below int // of the middles of what encloses
	for n := 2; n < 6; n++ {
		var edges [][2]int
		for x := 1; x < n; x++ {
			edges = append(edges, [2]int{x - 1, x})
		}
		space := must.For(query.NewPathSpace(n, edges))(t)
		for _, part := range []int64{2, 3, 7, 1e3, 1e6 + 3, 1e9 + 7} { // e^ε = 1 + 1/part
			base := new(big.Rat).Add(one, big.NewRat(1, part))
			k := must.For(newKernel(t.Context(), space, must.For(evidence.LogEpsilon("ε", base))(t)))(t)
			got := must.For(k.enclose(t.Context()))(t)
			w := new(big.Rat).Inv(base)
			end := new(big.Rat).Inv(new(big.Rat).Add(one, w))
			for x, v := range got {
				want := end
				if x > 0 && x < n-1 {
					want = new(big.Rat).Mul(end, new(big.Rat).Sub(one, w))
				}
				if sign, _ := interval.Rat(want).Sub(v).Sign(); sign != 0 {
					t.Errorf("%d datasets at e^ε = %v: %v encloses %v", n, base, v, want.FloatString(90))
				}
				lo, _ := v.Lower().MidFloat(600).Rat(nil)
				hi, _ := v.Upper().MidFloat(600).Rat(nil)
				width := new(big.Rat).Sub(hi, lo)
				if lo.Cmp(want) > 0 || hi.Cmp(want) < 0 || width.Cmp(big.NewRat(1, 1<<60)) > 0 {
					t.Errorf("%d datasets at e^ε = %v: %v to %v, want %v", n, base, lo.FloatString(90), hi.FloatString(90), want.FloatString(90))
				}
				switch lo.Add(lo, hi).Cmp(new(big.Rat).Add(want, want)) {
				case 1:
					above++
				case -1:
					below++
				}
			}
		}
	}
	if above == 0 || below == 0 {
		t.Errorf("%d middles above the solution, %d below: want some of both", above, below)
	}
}
