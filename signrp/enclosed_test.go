package signrp

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// A vector's ball has the privacy of the mirrored vector's.
func TestBallsAreMirrored(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 8))
	finite := 0
	for trial := range 40 {
		p, k := 1+rng.IntN(4), 1+rng.IntN(4)
		u, back := make([]float64, p), make([]float64, p) // of no inner product 0, whose sign is +
		for i := range u {
			u[i] = 2*rng.Float64() - 1
			back[i] = -u[i]
		}
		beta := []float64{0.1, 0.4, 1, 1.5}[trial%4]
		for _, w := range allKinds(t, p, k, uint64(trial)) {
			for _, r := range everyRelease(t, w, eps(t, 1), beta) {
				a, b := must(r.Ball(u).Epsilon(t.Context(), evidence.Delta{})), must(r.Ball(back).Epsilon(t.Context(), evidence.Delta{}))
				lo, hi := a.Bounds()
				if least, most := b.Bounds(); lo != least || hi != most {
					t.Errorf("%s, %s W, β = %g: [%v, %v] at %v, [%v, %v] mirrored", r.name, w.Kind(), beta, lo, hi, u, least, most)
				}
				if !math.IsInf(hi, 1) && hi > 0 {
					finite++
				}
			}
		}
	}
	if finite < 100 {
		t.Errorf("%d finite losses", finite)
	}
}

// The Δ/σ of an individual release has no larger δ than it is for.
func TestIndividualNoiseSuffices(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 9))
	w := allKinds(t, 3, 2, 6)[0]
	for range 400 {
		e, delta := eps(t, 4*rng.Float64()), rng.Float64()/4
		r := must(NewIndividual(w, e, SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(delta), Beta: 1}))
		if got := gaussian.DeltaAt(e, interval.Float(r.mu)); got.Lo > delta {
			t.Errorf("ε = %v, δ = %v: Δ/σ = %v has δ = %v", e, delta, r.mu, got)
		}
	}
}

// The sum of sizes that float64 cannot hold is told from β.
func TestCertainToTheLastBit(t *testing.T) {
	for _, tiny := range []float64{1e-17, 1e-100, 1e-200, 5e-324} {
		for at, certain := range map[float64]bool{1: false, math.Nextafter(1, 2): true} {
			if j := newJointLaw([]float64{1, tiny}, at); j.certain != certain {
				t.Errorf("|wᵀ(1, %g)| ≤ %v max |w_i| is certain: %t", tiny, at, j.certain)
			}
		}
	}
}

// A share that is an angle over π of a rational tangent is no float64 but for those that Niven's theorem allows: its ends differ.
func TestArcsHaveTwoEnds(t *testing.T) {
	for _, u := range [][]float64{{1, 0.5}, {0.75, 0.5}, {1, 0.25}} {
		for _, beta := range []float64{0.25, 0.375, 0.5} {
			if p := arcPPlus(u, beta); !(0 < p.Lo && p.Lo < p.Hi && p.Hi < 1 && p.Hi-p.Lo < 1e-15) {
				t.Errorf("u = %v, β = %g: [%v, %v]", u, beta, p.Lo, p.Hi)
			}
		}
	}
}

// A cosine's law takes the work it takes: of less the error says so.
func TestCosineWorkIsCounted(t *testing.T) {
	u, v := []float64{1, 0.5, -0.25}, []float64{0.5, 0.25, 1}
	for name, w := range map[string]*Projection{"columns": must(NewProjection(Sparse, 3, 2, ProjectionOptions{Sparsity: 3, Seed: 1})), "bins": must(NewOPORP(t.Context(), 3, 3, 1))} {
		law := func(left int) (int, error) {
			d := must(newCosine(w, u, v, new(big.Rat)))
			d.left = left
			_, err := d.law(t.Context(), w)
			return left - d.left, err
		}
		whole, err := law(mostCosineWork)
		if err != nil || whole < 5 {
			t.Fatalf("%s: %d steps, %v", name, whole, err)
		}
		for left := range whole {
			if _, err := law(left); !errors.Is(err, errCosineWork) {
				t.Fatalf("%s: %v with %d of %d steps", name, err, left, whole)
			}
		}
		if _, err := law(whole); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := must(NewRP(t.Context(), must(NewProjection(Gaussian, 3, 2, ProjectionOptions{Sparsity: 3, Seed: 1})), eps(t, 1), evidencetest.Delta(0.1), RPOptions{Beta: 1}))
	if m, err := r.NormalizedMoments(t.Context(), []float64{0, 0, 0}, v); m != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a vector without a direction: %v, %v", m, err)
	}
}
