package zoo

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
)

// The audit refutes every wrong mechanism and no right one, from a million draws in total, at two seeds. For the
// mechanisms with the most draws, the second seed needs WORKBENCH_FULL=1. Even if all right mechanisms had exactly
// their ε, some audit would err with probability at most 20/1000.
func TestAuditRefutesOnlyWrongMechanisms(t *testing.T) {
	draws, right := 0, 0
	for _, m := range All() {
		draws += 2 * m.Draws
		if m.Right {
			right++
		}
		for _, seed := range cases.Of([]uint64{1}, []uint64{1, 2, 3, 4}) {
			r, err := m.Audit(t.Context(), m.Draws, rand.NewPCG(seed, 57))
			if err != nil {
				t.Fatal(err)
			}
			if refuted := r.Verdict == evidence.Refuted; refuted == m.Right || r.Verdict == evidence.Confirmed {
				t.Errorf("%s, right: %t, seed %d: %v", m.Name, m.Right, seed, r)
			}
			t.Logf("%s, %d draws: ε ≥ %.3f, δ ≥ %.4f, claimed %v", m.Name, 2*m.Draws, r.Epsilon.Float(), r.Delta.Float(), m.Claim.Epsilon)
		}
	}
	if draws > 1_000_000 || len(All()) != 20 || right != 10 {
		t.Errorf("%d mechanisms, %d of them right, with %d draws in total", len(All()), right, draws)
	}
}

// Refutations come from the difference between inputs and from the features. Two samples at the same input are never
// refuted, and low bits are not found in binned numbers.
func TestNoRefutationWithoutDifference(t *testing.T) {
	for _, m := range All() {
		if m.Right || m.Draws > few && !cases.All() {
			continue
		}
		same := *m
		same.sample = func(_ bool, src rand.Source) string { return m.sample(true, src) }
		r, err := same.Audit(t.Context(), m.Draws, rand.NewPCG(5, 57))
		if err != nil || r.Verdict == evidence.Refuted {
			t.Errorf("%s at one input twice: %v, %v", m.Name, r, err)
		}
	}
	m := All()[0]
	drawn, err := m.Samples(t.Context(), m.Draws, rand.NewPCG(1, 57))
	if err != nil {
		t.Fatal(err)
	}
	var s audit.Samples
	for i, outputs := range drawn {
		for _, output := range outputs {
			if err := s.Add(m.Pair[i], output, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r, err := s.Audit(t.Context(), nil, m.Claim, audit.Sampling{Bins: 20}, rand.NewPCG(1, 57)); err != nil || r.Verdict == evidence.Refuted {
		t.Errorf("%s in bins: %v, %v", m.Name, r, err)
	}
}

// boundedScale is the smallest scale, in steps, whose largest log-ratio over all sums on the grid is at most 3/2.
func TestBoundedScale(t *testing.T) {
	loss := func(scale float64) float64 {
		var weights [2][unit + 1]float64
		var totals [2]float64
		for i, at := range []float64{0, unit / 4} {
			for y := range weights[i] {
				weights[i][y] = math.Exp(-math.Abs(float64(y)-at) / scale)
				totals[i] += weights[i][y]
			}
		}
		most := 0.0
		for y, w := range weights[0] {
			most = max(most, math.Abs(math.Log(w/totals[0]*totals[1]/weights[1][y])))
		}
		return most
	}
	if at, below := loss(boundedScale), loss(boundedScale-1); at > 1.5-1e-9 || below < 1.5+1e-9 {
		t.Errorf("ε = %v at the scale, %v below", at, below)
	}
}

// At ε = 1, the discrete Gaussian has δ ≤ 1/1000 with gradientSigma, and a larger δ with 0.95 or 1/8 of it. Here δ is
// the sum over k of (P(k) − e·P(k − 64))₊.
func TestGradientSigma(t *testing.T) {
	for sigma, want := range map[float64]bool{gradientSigma: true, .95 * gradientSigma: false, gradientSigma / 8: false} {
		weight := func(k float64) float64 { return math.Exp(-k * k / (2 * sigma * sigma)) }
		total, delta := 0.0, 0.0
		for k := -20 * sigma; k <= 20*sigma; k++ {
			k := math.Round(k)
			total += weight(k)
			delta += max(weight(k)-math.E*weight(k-gradientSteps), 0)
		}
		if delta /= total; (delta <= 1e-3) != want {
			t.Errorf("σ = %v: δ = %v", sigma, delta)
		}
	}
}

// A key of one user is published with probability a^(K−1)/(1 + a), a = 1/e. This is at most 1/200 at the threshold K
// = 6, and more at 5.
func TestThreshold(t *testing.T) {
	at := func(k float64) float64 { return math.Exp(1-k) / (1 + math.Exp(-1)) }
	if at(6) > .005 || at(5) < .005 || math.Abs(at(5.985)-.005) > 1e-5 {
		t.Errorf("%v at 6, %v at 5, %v at 5.985", at(6), at(5), at(5.985))
	}
	found := 0
	for src := rand.NewPCG(3, 57); found < 20; {
		switch text := published(6)(true, src); text {
		case "nothing":
		case "0", "1", "2", "3", "4", "5":
			t.Fatalf("%s is published", text)
		default:
			found++
		}
	}
}

// The same seed gives the same draws. Invalid numbers of draws are rejected, and drawing stops with its context.
func TestSamples(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, m := range All() {
		a, _ := m.Samples(t.Context(), 3, rand.NewPCG(1, 1))
		b, _ := m.Samples(t.Context(), 3, rand.NewPCG(1, 1))
		for i := range a {
			for k := range 3 {
				if len(a[i]) != 3 || a[i][k] != b[i][k] {
					t.Errorf("%s: %v, then %v", m.Name, a, b)
				}
			}
		}
		if m.What == "" || m.Source == "" || m.Pair[0] == m.Pair[1] {
			t.Errorf("%s has too short a description", m.Name)
		}
	}
	for _, n := range []int{-1, 0, MostDraws + 1} {
		if _, err := All()[1].Audit(t.Context(), n, rand.NewPCG(1, 1)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%d draws: %v", n, err)
		}
	}
	if _, err := All()[1].Samples(stopped, 3, rand.NewPCG(1, 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
