package learn

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// One binary feature with an intercept: the fit is the table's log odds.
func TestFitLogisticTable(t *testing.T) {
	counts := map[[2]bool]int{{false, false}: 30, {false, true}: 10, {true, false}: 5, {true, true}: 20}
	var x [][]float64
	var y []bool
	for cell, n := range counts {
		for range n {
			row := []float64{0, 1}
			if cell[0] {
				row[0] = 1
			}
			x, y = append(x, row), append(y, cell[1])
		}
	}
	eta, err := FitLogistic(x, y, LogisticOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if base := math.Log(10.0 / 30); math.Abs(eta[1]-base) > 1e-6 || math.Abs(eta[0]-(math.Log(20.0/5)-base)) > 1e-6 {
		t.Errorf("η = %v", eta)
	}
	if got, err := Accuracy(eta, x, y); err != nil || got != 50.0/65 {
		t.Errorf("accuracy %v, %v", got, err)
	}
}

// The gradient of the objective vanishes at the fit, linear term and ridge included.
func TestFitLogisticStationary(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const n, p = 60, 4
	x, y := make([][]float64, n), make([]bool, n)
	for i := range x {
		for range p {
			x[i] = append(x[i], rng.NormFloat64())
		}
		y[i] = rng.IntN(2) == 0
	}
	linear, err := NoiseObjective(p, epsilon(t, 1), rand.NewPCG(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	opts := LogisticOptions{Ridge: .1, Linear: linear}
	eta, err := FitLogistic(x, y, opts)
	if err != nil {
		t.Fatal(err)
	}
	objective := func(eta []float64) float64 {
		var v float64
		for i, row := range x {
			h := 1 / (1 + math.Exp(-dot(row, eta)))
			if !y[i] {
				h = 1 - h
			}
			v -= math.Log(h)
		}
		return (v+dot(linear, eta))/n + .05*dot(eta, eta)
	}
	for j := range eta {
		up, down := append([]float64(nil), eta...), append([]float64(nil), eta...)
		up[j], down[j] = up[j]+1e-5, down[j]-1e-5
		if slope := (objective(up) - objective(down)) / 2e-5; math.Abs(slope) > 1e-7 {
			t.Errorf("slope %d = %g at the fit", j, slope)
		}
	}
}

func TestFitLogisticRefuses(t *testing.T) {
	separable := [][]float64{{-1}, {1}}
	for _, scale := range []float64{1e-3, 1, 1e3} {
		for name, x := range map[string][][]float64{"separable": {{-scale}, {scale}}, "separable but for two": {{-scale, 1}, {scale, 1}, {0, 1}, {0, 1}}} {
			y := []bool{false, true, false, true}[:len(x)]
			if eta, err := FitLogistic(x, y, LogisticOptions{}); !errors.Is(err, ErrNoFit) {
				t.Errorf("data that are %s at %g give %v, %v", name, scale, eta, err)
			}
			if _, err := FitLogistic(x, y, LogisticOptions{Ridge: 1e-3}); err != nil {
				t.Errorf("with a ridge, data that are %s at %g give %v", name, scale, err)
			}
		}
	}
	// One far sample is all but certain, and the rest have a fit: ln 3 by symmetry, which the far one moves by nothing.
	x, y := [][]float64{{1}, {1}, {1}, {1}, {40}}, []bool{true, true, true, false, true}
	if eta, err := FitLogistic(x, y, LogisticOptions{}); err != nil || math.Abs(eta[0]-math.Log(3)) > 1e-9 {
		t.Errorf("beside a far sample: %v, %v, want ln 3", eta, err)
	}
	// Two features that are one have many fits.
	for i := range x {
		x[i] = append(x[i], x[i][0])
	}
	if eta, err := FitLogistic(x, y, LogisticOptions{}); err != nil || math.Abs(eta[0]+eta[1]-math.Log(3)) > 1e-6 {
		t.Errorf("of one feature twice: %v, %v, want a sum of ln 3", eta, err)
	}
	if _, err := FitLogistic(separable, []bool{true}, LogisticOptions{}); !errors.Is(err, parameter.Err) {
		t.Errorf("a missing label gives %v", err)
	}
	if _, err := FitLogistic(separable, []bool{true, false}, LogisticOptions{Ridge: -1}); !errors.Is(err, parameter.Err) {
		t.Errorf("a negative ridge gives %v", err)
	}
}

// E‖n‖ = 2p/ε, and Var = 4p/ε²: the mean of 20,000 draws is within 6 standard errors.
func TestNoiseObjective(t *testing.T) {
	src := rand.NewPCG(4, 1)
	const draws, p, eps = 20000, 5, .5
	var sum float64
	for range draws {
		n, err := NoiseObjective(p, epsilon(t, eps), src)
		if err != nil {
			t.Fatal(err)
		}
		sum += norm(n)
	}
	if mean, want := sum/draws, 2*p/eps; math.Abs(mean-want) > 6*2*math.Sqrt(p)/eps/math.Sqrt(draws) {
		t.Errorf("mean norm %v, want %v", mean, want)
	}
}

func epsilon(t *testing.T, v float64) evidence.Epsilon {
	t.Helper()
	e, err := evidence.NewEpsilon("eps", v)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
