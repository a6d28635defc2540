package signrp

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
)

// Angles with known values, for small angles and long vectors, and the estimate from signs counted by hand.
func TestAnglesByHand(t *testing.T) {
	for _, c := range []struct {
		u, v []float64
		want float64
	}{
		{[]float64{1, 0}, []float64{0, 1}, math.Pi / 2}, {[]float64{1, 0}, []float64{-1, 0}, math.Pi}, {[]float64{1, 1}, []float64{1, 1}, 0},
		{[]float64{1, 0, 0}, []float64{1, 1, 0}, math.Pi / 4}, {[]float64{1, 0}, []float64{1, 1e-9}, 1e-9}, {[]float64{1e-300, 0}, []float64{0, 1}, math.Pi / 2},
	} {
		if got, err := Angle(c.u, c.v); err != nil || math.Abs(got-c.want) > 1e-15*(1+c.want) {
			t.Errorf("angle of %v and %v: %g, %v, want %g", c.u, c.v, got, err, c.want)
		}
	}
	for _, c := range [][2][]float64{{{0, 0}, {1, 0}}, {{1, 0}, {0, 0}}, {{1}, {1, 0}}, {{}, {}}} {
		if got, err := Angle(c[0], c[1]); got != 0 || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("angle of %v and %v: %g, %v", c[0], c[1], got, err)
		}
	}
	// At e^{ε'} = 3 a sign flips with probability ¼. Two signs agree with probability ⅝P̂ + ⅜(1 − P̂), so P̂ = 4P −
	// 3/2.
	for agree, signs := range [][]int8{{1, 1, 1, 1}, {-1, 1, 1, 1}, {-1, -1, 1, 1}, {-1, -1, -1, 1}, {-1, -1, -1, -1}} {
		got, err := AngleEstimate(signs, []int8{-1, -1, -1, -1}, lnEps(t, 3, 1))
		if want := math.Pi * (1 - (4*float64(agree)/4 - 1.5)); err != nil || math.Abs(got-want) > 1e-14 {
			t.Errorf("%d of 4 signs agree: %g, %v, want %g", agree, got, err, want)
		}
	}
	for name, ask := range map[string]func() (float64, error){
		"lengths":     func() (float64, error) { return AngleEstimate([]int8{1}, []int8{1, 1}, eps(t, 1)) },
		"no signs":    func() (float64, error) { return AngleEstimate(nil, nil, eps(t, 1)) },
		"ε = 0":       func() (float64, error) { return AngleEstimate([]int8{1}, []int8{1}, evidence.Epsilon{}) },
		"ε next to 0": func() (float64, error) { return AngleEstimate([]int8{1}, []int8{1}, eps(t, 1e-80)) },
	} {
		if got, err := ask(); got != 0 || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %g, %v", name, got, err)
		}
	}
}

// The period satisfies its bound despite rounding. The variance of all but the largest coordinate is computed in
// rational arithmetic, also where it is only a few roundings of the largest square.
func TestPeriodsAllowForRounding(t *testing.T) {
	for _, small := range []float64{0.5, 1e-3, 1.1e-6, 6.1e-8, 5.3e-8, 4.9e-8, 4.7e-8, 4.3e-8, 1.3e-9} {
		for _, n := range []int{900, 1000} {
			u := []float64{0.9}
			rest := new(big.Rat)
			for range n {
				u = append(u, small)
				v := new(big.Rat).SetFloat64(small)
				rest.Add(rest, v.Mul(v, v))
			}
			j := newJointLaw(u, 1)
			const y, m = 0.25, 0.8
			period, overlap := j.period(y, m)
			// The condition is x² ≥ 2V ln 10¹⁸. V is m² times the sum of the other squares, and 2·18·ln 10 = 82.8930…
			x := new(big.Rat).Sub(new(big.Rat).SetFloat64(period), new(big.Rat).SetFloat64(y))
			first := new(big.Rat).Mul(new(big.Rat).SetFloat64(0.9), new(big.Rat).SetFloat64(m))
			x.Sub(x, first)
			mm := new(big.Rat).SetFloat64(m)
			need := new(big.Rat).Mul(rest, mm.Mul(mm, mm))
			need.Mul(need, big.NewRat(8289306334778, 100000000000))
			reach := new(big.Rat).Mul(new(big.Rat).SetFloat64(m), new(big.Rat).Mul(new(big.Rat).SetFloat64(small), big.NewRat(int64(n), 1)))
			if all := x.Cmp(reach) >= 0; !all && (x.Mul(x, x).Cmp(need) < 0 || overlap <= 0) {
				t.Errorf("for %d coordinates of %g the period %g is too short for its overlap %g", n, small, period, overlap)
			}
		}
	}
}

// The searches for distances and largest moves stop with their context and return no result.
func TestDistancesStop(t *testing.T) {
	u, v := []float64{0.5, -0.25, 0.75}, []float64{0.5, 0.25, 0.75}
	for _, kind := range []Kind{Gaussian, Uniform, Sparse} {
		made := func() *Release {
			w := must(NewProjection(kind, 3, 4, ProjectionOptions{Sparsity: 3, Seed: 5}))
			r := must(NewRP(t.Context(), w, eps(t, 1), evidencetest.Delta(1e-3), RPOptions{Beta: 0.5}))
			return r
		}
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			_, err := (&between{r: made(), u: u, v: v}).distance(ctx)
			return err
		})
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			m, err := made().Neighbors(u).longest(ctx)
			if err != nil && m.coordinate != -1 {
				t.Errorf("%v W: a cancelled search returns coordinate %d", kind, m.coordinate)
			}
			return err
		})
	}
}
