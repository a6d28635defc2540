package mechanism_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

func eps(t testing.TB, v float64) evidence.Epsilon {
	t.Helper()
	e, err := evidence.NewEpsilon("eps", v)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func ln(t testing.TB, num, den int64) evidence.Epsilon {
	t.Helper()
	e, err := evidence.LogEpsilon("eps", big.NewRat(num, den))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// randomQuery draws a connected path space with whole or decimal values.
func randomQuery(t testing.TB, rng *rand.Rand, scale float64) *query.Query {
	t.Helper()
	n := 2 + rng.IntN(7)
	var edges [][2]int
	for x := 1; x < n; x++ {
		edges = append(edges, [2]int{x, rng.IntN(x)})
	}
	for range rng.IntN(n) {
		if x, y := rng.IntN(n), rng.IntN(n); x != y {
			edges = append(edges, [2]int{x, y})
		}
	}
	space, err := query.NewPathSpace(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, n)
	for x := range values {
		values[x] = float64(rng.IntN(9)) / scale // k/10 is its own shortest decimal
	}
	q, err := query.NewNumeric("random", space, values, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func build(t testing.TB, name string, q *query.Query, e evidence.Epsilon) mechanism.Mechanism {
	t.Helper()
	var m mechanism.Mechanism
	var err error
	ctx := context.Background()
	switch name {
	case "exponential":
		m, err = mechanism.NewExponential(ctx, q, e)
	case "ladder":
		m, err = mechanism.NewLadder(ctx, q, e)
	case "inverse":
		m, err = mechanism.NewInverseSensitivity(ctx, q, e, new(big.Rat))
	case "laplace":
		m, err = mechanism.NewLaplace(ctx, q, e)
	case "geometric":
		m, err = mechanism.NewGeometric(ctx, q, e)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

var names = []string{"exponential", "ladder", "inverse", "laplace", "geometric"}

// With e^ε rational every answer is exact, and agrees with the enclosure at the
// float64 of the same ε.
func TestExactAtRationalEpsilon(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		q := randomQuery(t, rng, 1)
		for _, name := range names {
			if delta := q.SensitivitySteps(); name == "exponential" || name == "laplace" || name == "geometric" {
				if delta != 1 && delta != 2 {
					continue // e^{−ε/2Δ} is rational for e^ε = 81^k only where 2Δ divides 4k
				}
			}
			m := build(t, name, q, ln(t, 81, 1))
			loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			if loss.Kind() != evidence.KindExact && !math.IsInf(loss.Float(), 1) {
				t.Fatalf("%s: smallest ε is %s, want exact", name, loss.Kind())
			}
			float := build(t, name, q, eps(t, math.Log(81)))
			near, err := mechanism.Privacy(float).Epsilon(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !math.IsInf(loss.Float(), 1) && math.Abs(loss.Float()-near.Float()) > 1e-12 {
				t.Fatalf("%s: exact smallest ε %v, enclosed %v", name, loss.Float(), near.Float())
			}
			for x := range q.Size() {
				exact := mechanism.Distortion(m, x)
				if exact.Kind() != evidence.KindExact {
					t.Fatalf("%s: distortion at %d is %s, want exact", name, x, exact.Kind())
				}
				if lo, hi := mechanism.Distortion(float, x).Bounds(); exact.Float() < lo-1e-13 || exact.Float() > hi+1e-13 {
					t.Fatalf("%s: distortion %v outside [%v, %v]", name, exact.Float(), lo, hi)
				}
			}
			mean, err := mechanism.ExpectedDistortion(ctx, m, nil)
			if err != nil || mean.Kind() != evidence.KindExact {
				t.Fatalf("%s: expected distortion %v, %v, want exact", name, mean, err)
			}
			sum := 0.0
			for x := range q.Size() {
				sum += mechanism.Distortion(m, x).Float()
			}
			if want := sum / float64(q.Size()); math.Abs(mean.Float()-want) > 1e-12 {
				t.Fatalf("%s: expected distortion %v, want %v", name, mean.Float(), want)
			}
		}
	}
}

// Tiny and huge ε neither lose the enclosure's width nor overflow.
func TestExtremeEpsilon(t *testing.T) {
	ctx := context.Background()
	q := randomQuery(t, rand.New(rand.NewPCG(5, 6)), 1)
	for _, e := range []float64{1e-9, 1e-4, 50, 5000} {
		for _, name := range names {
			loss, err := mechanism.Privacy(build(t, name, q, eps(t, e))).Epsilon(ctx, 0)
			if err != nil {
				t.Fatalf("%s at %g: %v", name, e, err)
			}
			lo, hi := loss.Bounds()
			if !(lo >= 0) || hi-lo > 1e-12*max(hi, e) || hi > e*(1+1e-12) {
				t.Errorf("%s at %g: smallest ε in [%v, %v]", name, e, lo, hi)
			}
		}
	}
}
