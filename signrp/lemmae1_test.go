package signrp

import (
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
)

// The mean of |X| given |X| > |Y| is accurate to full precision, also for ρ near ±1 and near r. The expected values are
// √(π/2) times sines over angles, from mpmath with 60 digits.
func TestMeanExceedingDigits(t *testing.T) {
	for _, c := range []struct {
		n    Normals
		want float64
	}{
		{Normals{0.5, 0.9999999999990905}, 2.2537916194957251997e-6},
		{Normals{0.5, -0.9999999999990905}, 2.2537916194957251997e-6},
		{Normals{0.25, 0.5}, 1.0928851433805732847},
		{Normals{2.0, 0.75}, 0.96175355852084522493},
		{Normals{0.5, 0.5000000009313226}, 1.1054106214180797673},
		{Normals{3.0, 0.9999999999999716}, 0.79788460621705178176},
		{Normals{1e-06, 0.5}, 1.0854018818375371643},
		{Normals{0.75, 0.9999990463256836}, 0.0039563371504039191849},
		{Normals{0.9, 0.95}, 0.83359678199378029088},
	} {
		if got, err := c.n.MeanExceeding(); err != nil || math.Abs(got-c.want) > 1e-14*c.want {
			t.Errorf("%+v: %v (%v), want %v, off by %.2g", c.n, got, err, c.want, got/c.want-1)
		}
	}
}

// ln Φ is within its bound of a continued fraction in the tail and of erfc near 0. The bound is a few roundings.
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

// The correlation must be in (−1, 1) and the ratio positive.
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

// Lemma E.1 agrees with a numerical integral over the angle of (X, Y).
func TestLemmaE1(t *testing.T) {
	for _, n := range []Normals{{1, 0}, {0.5, 0.3}, {2, -0.8}, {0.9, 0.95}, {0.1, 0}} {
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
		p := must(n.Exceeds())
		m := must(n.MeanExceeding())
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
