package signrp_test

import (
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// The mean of |X| given |X| > |Y| is accurate to full precision, also for ρ near ±1 and near r. The expected values are
// √(π/2) times quotients of sines and angles, from mpmath with 60 digits.
func TestMeanExceedingDigits(t *testing.T) {
	for _, c := range []struct {
		n    signrp.Normals
		want float64
	}{
		{signrp.Normals{0.5, 0.9999999999990905}, 2.2537916194957251997e-6},
		{signrp.Normals{0.5, -0.9999999999990905}, 2.2537916194957251997e-6},
		{signrp.Normals{0.25, 0.5}, 1.0928851433805732847},
		{signrp.Normals{2.0, 0.75}, 0.96175355852084522493},
		{signrp.Normals{0.5, 0.5000000009313226}, 1.1054106214180797673},
		{signrp.Normals{3.0, 0.9999999999999716}, 0.79788460621705178176},
		{signrp.Normals{1e-06, 0.5}, 1.0854018818375371643},
		{signrp.Normals{0.75, 0.9999990463256836}, 0.0039563371504039191849},
		{signrp.Normals{0.9, 0.95}, 0.83359678199378029088},
	} {
		if got, err := c.n.MeanExceeding(); err != nil || math.Abs(got-c.want) > 1e-14*c.want {
			t.Errorf("%+v: %v (%v), want %v, off by %.2g", c.n, got, err, c.want, got/c.want-1)
		}
	}
}

// The correlation must be in (−1, 1) and the ratio positive.
func TestNormalsBadInput(t *testing.T) {
	for _, n := range []signrp.Normals{{1, 1}, {1, -1}, {1, 2}, {1, -2}, {1, math.NaN()}, {0, 0}, {-1, 0}, {math.Inf(1), 0}, {math.NaN(), 0}} {
		if _, err := n.Exceeds(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", n, err)
		}
		if _, err := n.MeanExceeding(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", n, err)
		}
	}
}

// Lemma E.1 agrees with a numerical integral over the angle of (X, Y).
func TestLemmaE1(t *testing.T) {
	for _, n := range []signrp.Normals{{1, 0}, {0.5, 0.3}, {2, -0.8}, {0.9, 0.95}, {0.1, 0}} {
		root := math.Sqrt(1 - n.Rho*n.Rho)
		const steps = 400_000
		share, mean := 0.0, 0.0
		for i := range steps {
			sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / steps)
			x, y := n.Ratio*cos, n.Rho*cos+root*sin // σ_y = 1
			if math.Abs(x) > math.Abs(y) {
				share++
				mean += math.Abs(cos) // the radius is independent, with mean √(π/2)
			}
		}
		p := must.Be(n.Exceeds())
		m := must.Be(n.MeanExceeding())
		if math.Abs(p-share/steps) > 1e-5 || math.Abs(m-math.Sqrt(math.Pi/2)*mean/share) > 1e-4 {
			t.Errorf("%+v: Pr %v, mean %v; integrals %v, %v", n, p, m, share/steps, math.Sqrt(math.Pi/2)*mean/share)
		}
		tail, bound, err := n.TailExceeding(1.3)
		if err != nil {
			t.Fatal(err)
		}
		direct := 0.0
		for i := range steps {
			sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / steps)
			if math.Abs(n.Ratio*cos) > math.Abs(n.Rho*cos+root*sin) {
				direct += math.Exp(-1.3 * 1.3 / (2 * cos * cos))
			}
		}
		if math.Abs(tail-direct/share) > 1e-5 || tail > bound {
			t.Errorf("%+v: tail %v, integral %v, bound %v", n, tail, direct/share, bound)
		}
	}
}
