package signrp_test

import (
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/signrp"
)

// Angle agrees with known values, for small angles and long vectors. AngleEstimate agrees with estimates computed by
// hand.
func TestAnglesByHand(t *testing.T) {
	for _, c := range []struct {
		u, v []float64
		want float64
	}{
		{[]float64{1, 0}, []float64{0, 1}, math.Pi / 2}, {[]float64{1, 0}, []float64{-1, 0}, math.Pi}, {[]float64{1, 1}, []float64{1, 1}, 0},
		{[]float64{1, 0, 0}, []float64{1, 1, 0}, math.Pi / 4}, {[]float64{1, 0}, []float64{1, 1e-9}, 1e-9}, {[]float64{1e-300, 0}, []float64{0, 1}, math.Pi / 2},
	} {
		if got, err := signrp.Angle(c.u, c.v); err != nil || math.Abs(got-c.want) > 1e-15*(1+c.want) {
			t.Errorf("angle of %v and %v: %g, %v, want %g", c.u, c.v, got, err, c.want)
		}
	}
	for _, c := range [][2][]float64{{{0, 0}, {1, 0}}, {{1, 0}, {0, 0}}, {{1}, {1, 0}}, {{}, {}}} {
		if got, err := signrp.Angle(c[0], c[1]); got != 0 || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("angle of %v and %v: %g, %v", c[0], c[1], got, err)
		}
	}
	// At e^{ε'} = 3 a sign flips with probability ¼. Two signs agree with probability ⅝P̂ + ⅜(1 − P̂), so P̂ = 4P −
	// 3/2.
	for agree, signs := range [][]int8{{1, 1, 1, 1}, {-1, 1, 1, 1}, {-1, -1, 1, 1}, {-1, -1, -1, 1}, {-1, -1, -1, -1}} {
		got, err := signrp.AngleEstimate(signs, []int8{-1, -1, -1, -1}, evidencetest.LogEpsilon(3, 1))
		if want := math.Pi * (1 - (4*float64(agree)/4 - 1.5)); err != nil || math.Abs(got-want) > 1e-14 {
			t.Errorf("%d of 4 signs agree: %g, %v, want %g", agree, got, err, want)
		}
	}
	for name, ask := range map[string]func() (float64, error){
		"lengths":  func() (float64, error) { return signrp.AngleEstimate([]int8{1}, []int8{1, 1}, evidencetest.Epsilon(1)) },
		"no signs": func() (float64, error) { return signrp.AngleEstimate(nil, nil, evidencetest.Epsilon(1)) },
		"ε = 0":    func() (float64, error) { return signrp.AngleEstimate([]int8{1}, []int8{1}, evidence.Epsilon{}) },
		"ε next to 0": func() (float64, error) {
			return signrp.AngleEstimate([]int8{1}, []int8{1}, evidencetest.Epsilon(1e-80))
		},
	} {
		if got, err := ask(); got != 0 || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %g, %v", name, got, err)
		}
	}
}

// At ε = ln 3 the variance factor c of the angle estimator is exactly 3/4. The float64 nearest to ln 3 would give another
// value. If all signs agree, the estimate is −2πc.
func TestAngleOfLogarithm(t *testing.T) {
	signs := []int8{1}
	if got, err := signrp.AngleEstimate(signs, signs, evidencetest.LogEpsilon(3, 1)); err != nil || got != -1.5*math.Pi {
		t.Errorf("the estimate from equal signs is %v, %v, want −3π/2", got, err)
	}
	for _, v := range []float64{1e-60, 0.01, 1, 30, 1e4} {
		got, err := signrp.AngleEstimate(signs, signs, evidencetest.Epsilon(v))
		if c := got / (-2 * math.Pi); err != nil || math.Abs(c*4*math.Sinh(v/2)*math.Sinh(v/2)-1) > 1e-12 && c > 0 {
			t.Errorf("ε = %v: %v, %v", v, c, err)
		}
	}
}
