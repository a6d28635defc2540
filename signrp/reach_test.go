package signrp

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
)

// Some vector of the ball attains the bounds of d_j. The test finds it greedily: each round moves the best coordinate
// that has room. No random vector of the ball goes farther.
func TestBallBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for trial := range 30 {
		p, k := 1+rng.IntN(6), 1+rng.IntN(4)
		beta := []float64{0.25, 1, 1.75, 3, 40}[trial%5]
		for _, w := range allKinds(t, p, k, uint64(trial)) {
			u := boundaryVector(rng, p, trial)
			at := must(w.at(context.Background(), u, beta))
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
						t.Errorf("%s W, β = %g, u = %v: bound of d_%d is %v ± %g, exactly %v, greedy %v", w.kind, beta, u, j, got, bound, exact, want)
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
						t.Errorf("%s W, β = %g: a vector of the ball has d_%d = %v, outside [%v, %v]", w.kind, beta, j, d, lo, hi)
					}
				}
			}
		}
	}
}

// A ball that reaches the boundary of A contains a vector with another A. A ball that falls short by one ulp does not.
// With W = (1, 1) and β = 1, A is |u₁ + u₂| ≤ 1, and the ball around u₁ + u₂ = 2 reaches 1.
func TestBallAtTheEdgeOfA(t *testing.T) {
	w := projectionWith([][]float64{{1}, {1}})
	r := must(NewIndividual(w, eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: 1}))
	ball, err := r.Ball([]float64{1, 1}).Epsilon(context.Background(), evidence.Delta{})
	if err != nil || !math.IsInf(lower(ball), 1) {
		t.Errorf("ball that touches A: %v, %v, want infinite", ball, err)
	}
	near := must(NewIndividual(w, eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: math.Nextafter(1, 0)}))
	ball, err = near.Ball([]float64{1, 1}).Epsilon(context.Background(), evidence.Delta{})
	if err != nil || upper(ball) != 0 {
		t.Errorf("ball that falls short of A: %v, %v, want 0: every sign is fixed", ball, err)
	}
}

// If N₊ depends on the data, the ball's ε is still finite and at least that of the worst neighbor. Its origin mentions
// N₊.
func TestBallWithDataDependentCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	for trial := range 12 {
		w := must(NewProjection([]Kind{Rademacher, Gaussian}[trial%2], 6, 8, ProjectionOptions{Seed: uint64(trial)}))
		r := must(NewSignRP(context.Background(), w, eps(t, 2), SignOptions{Noise: RandomizedResponse, Delta: evidencetest.Delta(0.5), Beta: 0.4}))
		u := boundaryVector(rng, 6, trial)
		ball := ballOf(t, r, u)
		worst := worstOf(t, r, u)
		lo, hi := worst.Epsilon.Bounds()
		if math.IsInf(upper(ball), 1) || !(lo > 0) || upper(ball) < hi || lo > hi {
			t.Errorf("u = %v: ball %v, neighbors [%v, %v]", u, ball, lo, hi)
		}
		if !strings.Contains(ball.Origin(), "N₊") {
			t.Errorf("origin %q does not mention N₊", ball.Origin())
		}
	}
}

// For iDP-SignRP-G with every sign in A for all data, the worst pair of random neighbors does not exceed the ε from the
// corners, and comes close.
func TestIndividualNoiseWithFixedA(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, c := range []struct {
		p, k int
		beta float64
	}{{1, 1, 1}, {1, 3, 1.5}, {1, 4, 2.5}, {2, 3, 2}, {2, 2, 3}, {3, 2, 3}} {
		w := must(NewProjection(Rademacher, c.p, c.k, ProjectionOptions{Seed: uint64(c.k)}))
		r := must(NewIndividual(w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: c.beta}))
		public := publicOf(t, r)
		lo, hi := public.Bounds()
		if !(lo > 0 && hi-lo < 1e-9*hi && !math.IsInf(hi, 1)) {
			t.Errorf("p = %d, k = %d, β = %g: %v", c.p, c.k, c.beta, public)
		}
		worst := 0.0
		for range cases.Of(1000, 4000) {
			u := make([]float64, c.p)
			for i := range u {
				u[i] = math.Max(-1, math.Min(1, 3*(rng.Float64()-0.5)))
			}
			v, i := append([]float64(nil), u...), rng.IntN(c.p)
			v[i] = math.Max(-1, math.Min(1, v[i]+c.beta*(2*rng.Float64()-1)))
			got, _ := bruteForce(slowLaw(t, r, u), slowLaw(t, r, v), 1)
			worst = math.Max(worst, got)
		}
		if worst > hi*(1+1e-9) || worst < 0.6*lo {
			t.Errorf("p = %d, k = %d, β = %g: the worst of many pairs has ε %v, public %v", c.p, c.k, c.beta, worst, public)
		}
	}
	// β just below p leaves A for some data, so ε is infinite.
	w, _ := NewProjection(Rademacher, 2, 2, ProjectionOptions{Seed: 1})
	r := must(NewIndividual(w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: math.Nextafter(2, 0)}))
	if public, err := r.Public().Epsilon(context.Background(), evidence.Delta{}); err != nil || !math.IsInf(upper(public), 1) || !math.IsInf(lower(public), 1) {
		t.Errorf("β just below p: %v, %v, want infinite", public, err)
	}
	// For a sparse W with many rows and few entries a column, ε is bounded sign by sign.
	for seed := range uint64(400) {
		w := must(NewProjection(Sparse, 40, 2, ProjectionOptions{Sparsity: 30, Seed: seed}))
		r := must(NewIndividual(w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: 20}))
		if public, err := r.Public().Epsilon(context.Background(), evidence.Delta{}); err != nil || math.IsNaN(upper(public)) {
			t.Errorf("seed %d: %v, %v", seed, public, err)
		}
	}
}

// unscaled returns the exact bound of d_j.
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
		w := must(NewProjection([]Kind{Rademacher, Gaussian}[trial%2], 3, 1, ProjectionOptions{Seed: uint64(trial % 40)}))
		beta := float64(1+rng.IntN(10)) / 10
		r := must(NewIndividual(w, eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: beta}))
		u := make([]float64, 3)
		for i := range u {
			u[i] = float64(rng.IntN(21)-10) / 10
		}
		at := must(w.at(ctx, u, beta))
		lowest, highest, err := at.ball(ctx, beta)
		if err != nil {
			t.Fatal(err)
		}
		m := must(w.Matrix())
		order := []int{0, 1, 2} // the largest entry first
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(m[b][0]), math.Abs(m[a][0])) })
		end := func(way int64) *big.Rat {
			left, sum := printedDecimal(beta), new(big.Rat)
			for _, i := range order {
				entry := new(big.Rat).SetFloat64(m[i][0])
				sum.Add(sum, new(big.Rat).Mul(printedDecimal(u[i]), entry))
				move := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Mul(printedDecimal(u[i]), big.NewRat(way*int64(entry.Sign()), 1)))
				if move.Cmp(left) > 0 {
					move.Set(left)
				}
				left.Sub(left, move)
				sum.Add(sum, move.Mul(move, new(big.Rat).Abs(entry)).Mul(move, big.NewRat(way, 1)))
			}
			return sum
		}
		low, high := end(-1), end(1)
		reach := new(big.Rat).Mul(printedDecimal(beta), new(big.Rat).SetFloat64(w.largests()[0]))
		in := func(d *big.Rat) bool { return new(big.Rat).Abs(d).Cmp(reach) <= 0 }
		d := new(big.Rat)
		for i := range u {
			d.Add(d, new(big.Rat).Mul(printedDecimal(u[i]), new(big.Rat).SetFloat64(m[i][0])))
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

// A vector that differs in two coordinates may have another A although no neighbor has. Both bounds of the ball's ε are
// then infinite.
func TestBallBeyondItsNeighbors(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		w := must(NewProjection(Gaussian, 2, 1, ProjectionOptions{Seed: seed}))
		r := must(NewIndividual(w, eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: 0.5}))
		m := must(w.Matrix())
		// d is 0.45(|w₁| − |w₂|), so moving either coordinate alone is not enough.
		ratio := math.Abs(m[1][0] / m[0][0])
		if ratio < 0.82 || ratio > 0.99 {
			continue
		}
		u := []float64{math.Copysign(0.9, m[0][0]), -math.Copysign(0.45*(1/ratio+1), m[1][0])}
		d := math.Abs(m[0][0]*u[0] + m[1][0]*u[1])
		largest := math.Abs(m[0][0])
		two := d + 0.1*math.Abs(m[0][0]) + 0.4*math.Abs(m[1][0]) // the first coordinate has room 0.1, the second takes the remaining 0.4
		near, ball := worstOf(t, r, u).Epsilon, ballOf(t, r, u)
		if lo, hi := ball.Bounds(); two < 0.5*largest || !(math.IsInf(lo, 1) && math.IsInf(hi, 1)) {
			t.Errorf("seed %d, u = %v: the ball has another A, but its ε is %v", seed, u, ball)
		}
		if !math.IsInf(near.Float(), 1) {
			found++
		}
	}
	if found == 0 {
		t.Error("every case has a neighbor with another A")
	}
}

// The same may hold at the lower bound only, and by symmetry at the upper one. For u = (−0.9, −0.9) and equal entries
// of W, d goes from −1.8 to −2 with two coordinates and to −1.9 with one. The boundary of A is −1.95.
func TestBallBeyondNeighborsOnOneSide(t *testing.T) {
	for sign := -1.0; sign <= 1; sign += 2 {
		r := must(NewIndividual(projectionWith([][]float64{{1}, {1}}), eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: 1.95}))
		u := []float64{0.9 * sign, 0.9 * sign}
		if near, ball := worstOf(t, r, u).Epsilon, ballOf(t, r, u); math.IsInf(upper(near), 1) || !math.IsInf(lower(ball), 1) {
			t.Errorf("u = %v: ε is %v among neighbors and %v over the ball", u, near, ball)
		}
	}
}
