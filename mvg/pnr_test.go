package mvg_test

import (
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// If K dwarfs Σ and both have order 2, ln det(K + Σ)/det Σ equals ln det K/det Σ up to rounding. An indefinite K is
// refused at every scale.
func TestLogPNRFarAboveTheNoise(t *testing.T) {
	ball := must.Be(mvg.NewBall(2, 2, mvg.BallOptions{S2: 1e-100, Gamma: 1}))
	psi := must.Be(mvg.NewIsotropic(2, 1))
	for _, c := range []struct{ noise, signal float64 }{
		{1, 1e20}, {0x1p-500, 0x1p500}, {0x1p-900, 0x1p600}, {0x1p-1000, 0x1p1000},
	} {
		sigma := must.Be(mvg.NewDense(mat.NewSymDense(2, []float64{2 * c.noise, c.noise, c.noise, 2 * c.noise})))
		d := must.Be(mvg.NewDesign(ctx, ball, sigma, psi))
		k := mat.NewSymDense(2, []float64{5 * c.signal, c.signal, c.signal, 2 * c.signal})
		want := math.Log(3) + 2*(math.Log(c.signal)-math.Log(c.noise)) // det K = 9, det Σ = 3
		if v := must.Be(d.LogPNR(k)); math.Abs(v.Lo-want) > 1e-12*want || math.Abs(v.Hi-want) > 1e-12*want {
			t.Errorf("signal %g, noise %g: ln PNR %v, want %v", c.signal, c.noise, v, want)
		}
		k.SetSym(0, 1, 4*c.signal)
		if v, err := d.LogPNR(k); err == nil {
			t.Errorf("signal %g, noise %g: an indefinite signal has ln PNR %v", c.signal, c.noise, v)
		}
	}
}

// The ratio of this signal is exactly 1. The computation then reaches its maximum precision and returns the result so
// far.
func TestLogPNRNearZero(t *testing.T) {
	const y = 0x1p-31 // det(I + K) = 1 + y² − y² for K = [y², y; y, 0]
	k := mat.NewSymDense(2, []float64{y * y, y, y, 0})
	d := must.Be(mvg.NewDesign(t.Context(), must.Be(mvg.NewBall(2, 2, mvg.BallOptions{S2: 1, Gamma: 1})), must.Be(mvg.NewDense(mat.NewSymDense(2, []float64{1, 0, 0, 1}))), must.Be(mvg.NewIsotropic(2, 1))))
	if got := must.Be(d.LogPNR(k)); got.Lo > 0 || got.Hi < 0 || got.Hi-got.Lo > 1e-300 {
		t.Errorf("ln PNR in [%v, %v], want 0", got.Lo, got.Hi)
	}
}

// This signal is indefinite by a relative amount of rounding size. The noise is far smaller, so PNR and LogPNR refuse
// it.
func TestPNRRefusesIndefiniteSignal(t *testing.T) {
	for _, order := range []int{2, 5, 64 + 1} {
		d := mvg.DesignOf(must.Be(mvg.NewIsotropic(order, 1)), must.Be(mvg.NewIsotropic(1, 1)))
		k := mat.NewSymDense(order, nil)
		k.SetSym(0, 0, 1e20) // the leading minor of order 2 is −1e20·1e9
		k.SetSym(0, 1, 1e18)
		k.SetSym(1, 1, 1e16-1e9)
		for name, f := range map[string]func(mat.Matrix) (evidence.Certified, error){"ratio": d.PNR, "logarithm": d.LogPNR} {
			if v, err := f(k); !errors.Is(err, mvg.ErrSignal) || !errors.Is(err, evidence.ErrParameter) || v != (evidence.Certified{}) {
				t.Errorf("the %s of order %d is %v, error %v", name, order, v, err)
			}
		}
	}
}
