package learn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/reproductions/learn"
)

// The gradient of the objective vanishes at the fit, for all data and a ridge. The tolerance is 1e-9, or 1e-6 if the
// objective's rounding hides it. With distant samples, steep linear terms and features of different sizes, full Newton
// steps would not converge.
func TestLogisticGradientVanishes(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	near := 0
	for trial := range 300 {
		n, p := 3+rng.IntN(12), 1+rng.IntN(4)
		x, y := make([][]float64, n), make([]bool, n)
		for i := range x {
			x[i] = make([]float64, p)
			for j := range x[i] {
				if rng.IntN(4) > 0 {
					x[i][j] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(4)-1))
				}
			}
			y[i] = rng.IntN(2) == 0
		}
		o := learn.LogisticOptions{Ridge: math.Pow(10, float64(-rng.IntN(4)))}
		if trial%2 == 0 {
			for range p {
				o.Linear = append(o.Linear, 20*rng.NormFloat64())
			}
		}
		eta := must.For(learn.FitLogistic(x, y, o))(t)
		size := 0.0
		for j := range p {
			slope, scale := o.Ridge*eta[j], math.Abs(o.Ridge*eta[j])
			if o.Linear != nil {
				slope += o.Linear[j] / float64(n)
				scale += math.Abs(o.Linear[j])
			}
			for i, row := range x {
				z := 0.0
				for k, v := range row {
					z += v * eta[k]
				}
				e := 1 / (1 + math.Exp(-z))
				if y[i] {
					e = -1 / (1 + math.Exp(z))
				}
				slope += e * row[j] / float64(n)
				scale += math.Abs(row[j])
			}
			size = max(size, math.Abs(slope)-1e-12*scale)
		}
		if size > 1e-6 {
			t.Fatalf("trial %d: gradient %v at %v", trial, size, eta)
		}
		if size <= 1e-9 {
			near++
		}
	}
	if near < 240 {
		t.Errorf("only %d of 300 gradients are below 1e-9", near)
	}
}

// Closed forms to nine digits: the log odds of a table, with zero weights and a constant feature of any size.
func TestLogisticClosedForms(t *testing.T) {
	for _, size := range []float64{1e-3, 1, 50} {
		x, y := make([][]float64, 0), make([]bool, 0)
		for k, n := range []int{30, 10, 5, 20} {
			for range n {
				x, y = append(x, []float64{float64(k / 2), size}), append(y, k%2 == 1)
			}
		}
		eta := must.For(learn.FitLogistic(x, y, learn.LogisticOptions{}))(t)
		if math.Abs(eta[1]*size-math.Log(1./3)) > 1e-7 || math.Abs(eta[0]-math.Log(12)) > 1e-7 {
			t.Errorf("a constant of %v: η = %v", size, eta)
		}
	}
	// One sample with a ridge has η = 1/(1 + e^η)/ridge, so η = 2/(1 + e^η) at ridge ½.
	eta := must.For(learn.FitLogistic([][]float64{{1}}, []bool{true}, learn.LogisticOptions{Ridge: .5}))(t)
	if math.Abs(eta[0]*(1+math.Exp(eta[0]))-2) > 1e-8 {
		t.Errorf("η = %v", eta)
	}
	// With constant features η is the linear term over the ridge: η = −n/(N ridge).
	eta = must.For(learn.FitLogistic([][]float64{{0, 0}, {0, 0}}, []bool{true, false}, learn.LogisticOptions{Ridge: 4, Linear: []float64{8, -4}}))(t)
	if math.Abs(eta[0]+1) > 1e-9 || math.Abs(eta[1]-.5) > 1e-9 {
		t.Errorf("η = %v, want −1 and ½", eta)
	}
	// A score of 0 gives the label false.
	if a := must.For(learn.Accuracy([]float64{1}, [][]float64{{0}, {-1}, {2}, {3}}, []bool{false, false, true, false}))(t); a != .75 {
		t.Errorf("accuracy %v, want ¾", a)
	}
}

// The linear term is a random direction. Its length is a sum of exponential variables, drawn in the order of the
// source.
func TestNoiseObjectiveUsesStreamInOrder(t *testing.T) {
	got := must.For(learn.NoiseObjective(3, evidencetest.Epsilon(.5), rand.NewPCG(8, 1)))(t)
	rng := rand.New(rand.NewPCG(8, 1))
	direction, square, radius := make([]float64, 3), 0.0, 0.0
	for j := range direction {
		direction[j] = rng.NormFloat64()
		square += direction[j] * direction[j]
	}
	for range direction {
		radius += rng.ExpFloat64() * 4 // 2/ε
	}
	for j, v := range direction {
		if want := v * radius / math.Sqrt(square); math.Abs(got[j]-want) > 1e-14*radius {
			t.Errorf("entry %d is %v, want %v", j, got[j], want)
		}
	}
}
