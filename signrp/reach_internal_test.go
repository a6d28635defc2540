package signrp

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// The bounds of d_j over the ball are attained. The test finds a vector that attains them greedily: each round moves
// the best coordinate that has room. No random vector of the ball goes farther.
func TestBallBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for trial := range 30 {
		p, k := 1+rng.IntN(6), 1+rng.IntN(4)
		beta := []float64{0.25, 1, 1.75, 3, 40}[trial%5]
		for _, w := range AllKinds(t, p, k, uint64(trial)) {
			u := BoundaryVector(rng, p, trial)
			at := must.Be(w.at(context.Background(), u, beta))
			lowest, highest, err := at.ball(context.Background(), beta)
			if err != nil {
				t.Fatal(err)
			}
			m, _ := w.Matrix()
			for j := range k {
				for _, r := range []*extremes{lowest, highest} {
					towards := -1.0
					if r.up {
						towards = 1
					}
					v, left := append([]float64(nil), u...), beta
					for left > 0 {
						best, size := -1, 0.0
						for i := range v {
							if end := math.Copysign(1, towards*m[i][j]); v[i] != end && math.Abs(m[i][j]) > size {
								best, size = i, math.Abs(m[i][j])
							}
						}
						if best < 0 {
							break
						}
						end := math.Copysign(1, towards*m[best][j])
						if room := math.Abs(end - v[best]); room <= left {
							v[best], left = end, left-room
						} else {
							v[best] += math.Copysign(left, end)
							left = 0
						}
					}
					want := 0.0
					for i := range v {
						want += v[i] * m[i][j]
					}
					got, bound := r.near(j)
					exact, _ := unscaled(r, j).Float64()
					if math.Abs(got-want) > bound+1e-13 || math.Abs(exact-got) > bound || bound > 1e-12 {
						t.Errorf("%s W, β = %g, u = %v: bound of d_%d is %v ± %g, exactly %v, greedy %v", w.Kind(), beta, u, j, got, bound, exact, want)
					}
				}
				for range 20 {
					v, left := append([]float64(nil), u...), beta
					for range p {
						i, step := rng.IntN(p), left*rng.Float64()
						left -= step
						v[i] = math.Max(-1, math.Min(1, v[i]+step*float64(1-2*rng.IntN(2))))
					}
					d := 0.0
					for i := range v {
						d += v[i] * m[i][j]
					}
					lo, e := lowest.near(j)
					hi, f := highest.near(j)
					if d < lo-e-1e-13 || d > hi+f+1e-13 {
						t.Errorf("%s W, β = %g: a vector of the ball has d_%d = %v, outside [%v, %v]", w.Kind(), beta, j, d, lo, hi)
					}
				}
			}
		}
	}
}

// unscaled returns the bound of d_j as an exact rational.
func unscaled(r *extremes, j int) *big.Rat {
	n, _ := r.exact(j).Rat(nil)
	return n.Quo(n, new(big.Rat).SetInt(powerOfTen(r.places)))
}

// otherA reports whether some vector of the ball has another A. The test compares the bounds of d over the ball in
// rational arithmetic: the ball leaves A, enters it from one side or spans it.
func TestOtherAInRationals(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(13, 8))
	met := map[string]int{}
	for trial := range 1500 {
		w := must.Be(NewProjection([]Kind{Rademacher, Gaussian}[trial%2], 3, 1, ProjectionOptions{Seed: uint64(trial % 40)}))
		beta := float64(1+rng.IntN(10)) / 10
		r := must.Be(NewIndividual(w, evidencetest.Epsilon(1), SignOptions{Noise: RandomizedResponse, Beta: beta}))
		u := make([]float64, 3)
		for i := range u {
			u[i] = float64(rng.IntN(21)-10) / 10
		}
		at := must.Be(w.at(ctx, u, beta))
		lowest, highest, err := at.ball(ctx, beta)
		if err != nil {
			t.Fatal(err)
		}
		m := must.Be(w.Matrix())
		order := []int{0, 1, 2} // the largest entry first
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(m[b][0]), math.Abs(m[a][0])) })
		end := func(way int64) *big.Rat {
			left, sum := PrintedDecimal(beta), new(big.Rat)
			for _, i := range order {
				entry := new(big.Rat).SetFloat64(m[i][0])
				sum.Add(sum, new(big.Rat).Mul(PrintedDecimal(u[i]), entry))
				move := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Mul(PrintedDecimal(u[i]), big.NewRat(way*int64(entry.Sign()), 1)))
				if move.Cmp(left) > 0 {
					move.Set(left)
				}
				left.Sub(left, move)
				sum.Add(sum, move.Mul(move, new(big.Rat).Abs(entry)).Mul(move, big.NewRat(way, 1)))
			}
			return sum
		}
		low, high := end(-1), end(1)
		reach := new(big.Rat).Mul(PrintedDecimal(beta), new(big.Rat).SetFloat64(w.largests()[0]))
		in := func(d *big.Rat) bool { return new(big.Rat).Abs(d).Cmp(reach) <= 0 }
		d := new(big.Rat)
		for i := range u {
			d.Add(d, new(big.Rat).Mul(PrintedDecimal(u[i]), new(big.Rat).SetFloat64(m[i][0])))
		}
		want, kind := false, "stays"
		switch {
		case in(d) && !(in(low) && in(high)):
			want, kind = true, "leaves"
		case !in(d) && (in(low) || in(high)):
			want, kind = true, "enters"
		case !in(d) && low.Sign() < 0 && high.Sign() > 0:
			want, kind = true, "passes"
		}
		met[kind]++
		if got := r.otherA(at, lowest, highest); got != want {
			t.Errorf("u = %v, W = %v, β = %g: otherA is %t, but the ball %s A with d between %s and %s, limit %s", u, m, beta, got, kind, low.FloatString(4), high.FloatString(4), reach.FloatString(4))
		}
	}
	if met["stays"] < 50 || met["leaves"] < 50 || met["enters"] < 50 {
		t.Errorf("too few cases of some kind: %v", met)
	}
}
