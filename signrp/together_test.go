package signrp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/privacy"
)

// Those who ask one curve, one projection or one point at the same time have the same
// answers as one who asks alone, and so has who asks again after an answer was broken off.
func TestAskedTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 12))
	u := edgyVector(rng, 4, 1) // on edges: exact sums are asked for
	v := append([]float64(nil), u...)
	v[1] = math.Min(1, u[1]+0.25)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for _, kind := range []Kind{Rademacher, Gaussian, Sparse} {
		fresh := func() *Projection {
			w, err := NewProjection(kind, 4, 3, ProjectionOptions{Sparsity: 2, Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		for n, r := range everyRelease(t, fresh(), eps(t, 1), 0.5) {
			curves := func() []privacy.Profile {
				c := *r
				c.w = fresh()
				return []privacy.Profile{c.Public(), c.Pair(u, v), c.Neighbors(u), c.Ball(u)}
			}
			answer := func(c privacy.Profile) string {
				e, err := c.Epsilon(context.Background(), judgedAt(r))
				d, derr := c.Delta(context.Background(), eps(t, 0.25))
				return fmt.Sprint(e, err, d, derr)
			}
			alone := curves()
			for i, c := range curves() {
				want := answer(alone[i])
				if _, err := c.Delta(gone, eps(t, 0.25)); !errors.Is(err, context.Canceled) && err != nil {
					t.Errorf("%s %d: %v", r.name, n, err)
				}
				var wait sync.WaitGroup
				for range 3 {
					wait.Go(func() {
						if got := answer(c); got != want {
							t.Errorf("%s, %s W, curve %d: %s, alone %s", r.name, kind, i, got, want)
						}
					})
				}
				wait.Wait()
			}
		}
		at, err := fresh().at(context.Background(), u, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		up, _ := moves(u[0], 0.5)
		var wait sync.WaitGroup
		for _, ask := range []func(){func() { at.exact(1) }, func() { at.room(0, up) }, func() { at.threshold(0.5, 1, 2) }, func() { at.exact(1) }} {
			wait.Go(ask)
		}
		wait.Wait()
	}
}

// The logarithms of Φ are within their bound of a continued fraction far out and of erfc
// near 0, and the bound is some roundings.
func TestLogPhis(t *testing.T) {
	for _, z := range []float64{0, 1e-9, 0.3, 1, 5, 12, 29.9, 30, 30.1, 31, 40, 100, 1e4, 1e8, 1e100} {
		near, far, bound := logPhis(z)
		fraction := z // z + 1/(z + 2/(z + …))
		for k := 400.; k > 0; k-- {
			fraction = z + k/fraction
		}
		want, wantNear := -z*z/2-math.Log(math.Sqrt(2*math.Pi))-math.Log(fraction), 0.
		if z <= 12 {
			want, wantNear = math.Log(math.Erfc(z/math.Sqrt2)/2), math.Log1p(-math.Erfc(z/math.Sqrt2)/2)
		}
		if !(math.Abs(far-want) <= bound+4*ulp*(1+z*z)) || !(math.Abs(near-wantNear) <= bound) || bound > 40*ulp*(1+z*z) {
			t.Errorf("ln Φ(±%v) = %v, %v ± %v, want %v, %v", z, near, far, bound, wantNear, want)
		}
	}
}

// A correlation is within (−1, 1), a ratio positive.
func TestNormalsBadInput(t *testing.T) {
	for _, n := range []Normals{{1, 1}, {1, -1}, {1, 2}, {1, -2}, {1, math.NaN()}, {0, 0}, {-1, 0}, {math.Inf(1), 0}, {math.NaN(), 0}} {
		if _, err := n.Exceeds(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", n, err)
		}
		if _, err := n.MeanExceeding(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", n, err)
		}
	}
	if near, far, bound := logPhis(1e160); near != 0 || !(far < -1e300) || !math.IsInf(bound, 1) {
		t.Errorf("ln Φ(±1e160) = %v, %v ± %v", near, far, bound)
	}
}

// A vector moved in two coordinates may have another A when no neighbor has: then the
// ball's ε is infinite, at both ends.
func TestBallBeyondItsNeighbors(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		w, err := NewProjection(Gaussian, 2, 1, ProjectionOptions{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewIndividual(w, eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		m, err := w.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		// With d between 0.4 and 0.5 of |w₁| - |w₂| either coordinate alone falls short.
		ratio := math.Abs(m[1][0] / m[0][0])
		if ratio < 0.82 || ratio > 0.99 {
			continue
		}
		u := []float64{math.Copysign(0.9, m[0][0]), -math.Copysign(0.45*(1/ratio+1), m[1][0])}
		d := math.Abs(m[0][0]*u[0] + m[1][0]*u[1])
		largest := math.Abs(m[0][0])
		two := d + 0.1*math.Abs(m[0][0]) + 0.4*math.Abs(m[1][0]) // the end, and what is left
		near, ball := worstOf(t, r, u).Epsilon, ballOf(t, r, u)
		if lo, hi := ball.Bounds(); two < 0.5*largest || !(math.IsInf(lo, 1) && math.IsInf(hi, 1)) {
			t.Errorf("seed %d, u = %v: another A is in the ball, whose ε is %v", seed, u, ball)
		}
		if !math.IsInf(near.Float(), 1) {
			found++
		}
	}
	if found == 0 {
		t.Error("no vector has another A in its ball alone")
	}
}

// So may one below, where A is left at the lower end alone: of u = (−0.9, −0.9), with entries of W alike, d goes from −1.8 to −2 with
// both coordinates and to −1.9 with one, and A ends at −1.95. And so above.
func TestBallEndsBelow(t *testing.T) {
	for sign := -1.0; sign <= 1; sign += 2 {
		r := must(NewIndividual(seek([][]float64{{1}, {1}}), eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: 1.95}))
		u := []float64{0.9 * sign, 0.9 * sign}
		if near, ball := worstOf(t, r, u).Epsilon, ballOf(t, r, u); math.IsInf(upper(near), 1) || !math.IsInf(lower(ball), 1) {
			t.Errorf("u = %v: ε is %v among neighbors and %v over the ball", u, near, ball)
		}
	}
}

// Where corners are too many to visit, the public ε of signs of numbers is still between
// the loss where one sign is farthest and a bound on that of all; for one sign the bound is
// reached.
func TestWorstOfManyCorners(t *testing.T) {
	const p, beta = 13, 0.5 // one more than are visited
	for _, k := range []int{1, 2, 3} {
		w, err := NewProjection(Gaussian, p, k, ProjectionOptions{Seed: 8})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewSignRP(context.Background(), w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(0.1), Beta: beta})
		if err != nil {
			t.Fatal(err)
		}
		public, err := r.Public().Epsilon(context.Background(), evidence.Delta{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := w.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		lnPhi := func(z float64) float64 { return math.Log(math.Erfc(-z/math.Sqrt2) / 2) }
		unit := w.scale() * r.sigma.Hi
		d := make([]float64, k)
		loss := func(at func(i int) float64, moved int) float64 {
			clear(d)
			for i := range p {
				for j := range d {
					d[j] += m[i][j] * at(i)
				}
			}
			forward, backward := 0.0, 0.0
			for j := range d {
				x, y := d[j]/unit, (d[j]-beta*m[moved][j]*at(moved))/unit
				plus, minus := lnPhi(x)-lnPhi(y), lnPhi(-x)-lnPhi(-y)
				forward, backward = forward+max(plus, minus), backward-min(plus, minus)
			}
			return max(forward, backward)
		}
		worst, reached := 0.0, 0.0
		for corner := range 1 << p {
			for moved := range p {
				worst = max(worst, loss(func(i int) float64 { return float64(2*(corner>>i&1) - 1) }, moved))
			}
		}
		for j := range k { // where one sign is farthest and the first number moves
			reached = max(reached, loss(func(i int) float64 { return math.Copysign(1, m[i][j]) }, 0))
		}
		lo, hi := public.Bounds()
		if math.Abs(lo-reached) > 1e-9*lo || worst > hi*(1+1e-9) || hi > worst*[]float64{1 + 1e-9, 1.5, 1.5}[k-1] {
			t.Errorf("%d signs: public ε in [%v, %v], corners have %v and the worst %v", k, lo, hi, reached, worst)
		}
	}
}
