package optimize_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
	"dpworkbench/xor"
)

// Optima on small random queries lie between the ends for every objective, which are
// those of the exact program at the same ε, and what is attained is the upper end.
func TestOptimaHoldTheExactOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 40))
	for range 6 {
		n := 3 + rng.IntN(2)
		var edges [][2]int
		values, prior, total := make([]float64, n), make([]*big.Rat, n), int64(0)
		weights := make([]int64, n)
		for x := range values {
			values[x] = float64(rng.IntN(7)) / 10
			if x > 0 {
				edges = append(edges, [2]int{rng.IntN(x), x})
			}
			weights[x] = 1 + rng.Int64N(7)
			total += weights[x]
		}
		for x, w := range weights {
			prior[x] = big.NewRat(w, total)
		}
		space, err := query.NewPathSpace(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		q, err := query.NewNumeric("f", space, values, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []optimize.Options{{}, {Prior: prior}, {Objective: optimize.Worst}} {
			eps := logarithm(t, 5, 2)
			o.Rational = optimize.Required
			exact := solve(t, q, eps, o)
			value, ok := exact.Optimum().(evidence.Exact)
			if !ok {
				t.Fatalf("%v: %v is not exact", values, exact.Optimum())
			}
			checkCertificate(t, q, exact, big.NewRat(5, 2))
			o.Rational = optimize.Never
			near := solve(t, q, eps, o)
			checkMechanism(t, near, math.Log(2.5)*(1+1e-15))
			want, _ := value.Value.Float64()
			lo, hi := bounds(near.Optimum())
			if lo > want || hi < want || hi-lo > 1e-6*hi {
				t.Errorf("%v, %+v: [%v, %v], want %v", values, o, lo, hi, want)
			}
			if want == 0 {
				continue
			}
			checkCertificate(t, q, near, big.NewRat(5, 2))
			got := new(big.Rat)
			for x := range n {
				d := mechanism.Distortion(near, x).(evidence.Exact).Value
				switch {
				case o.Objective == optimize.Worst:
					if d.Cmp(got) > 0 {
						got = d
					}
				case o.Prior != nil:
					got.Add(got, new(big.Rat).Mul(d, prior[x]))
				default:
					got.Add(got, new(big.Rat).Quo(d, big.NewRat(int64(n), 1)))
				}
			}
			if v, _ := got.Float64(); v > hi*(1+1e-15) || v < lo {
				t.Errorf("%v, %+v: attains %v of [%v, %v]", values, o, v, lo, hi)
			}
		}
	}
}

// What an interrupted or unfinished search says.
func TestErrorTexts(t *testing.T) {
	stopped := &optimize.Stopped{Lo: 0.25, Hi: 1.5, Steps: 7, Cause: context.Canceled}
	for got, want := range map[string]string{
		stopped.Error():   "stopped after 7 steps: the optimum lies in [0.25, 1.5]: context canceled",
		stopped.Partial(): "after 7 steps: the optimum lies in [0.25, 1.5]",
		(&optimize.NegativeError{Datasets: []int{3, 5}, Values: []float64{-0.125}}).Error():              "no tight mechanism: its constant c is negative at 2 datasets: 3 (-0.125) 5",
		(&optimize.NegativeError{Datasets: []int{0, 1, 2, 3, 4, 5, 6, 7}}).Error():                       "no tight mechanism: its constant c is negative at 8 datasets: 0 1 2 3 4 5 6 7",
		(&optimize.NegativeError{Datasets: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}).Error():                 "no tight mechanism: its constant c is negative at 10 datasets: 0 1 2 3 4 5 6 7 and 2 more",
		fmt.Sprint(errors.Is(&optimize.NegativeError{}, optimize.ErrInfeasible)):                         "true",
		fmt.Sprint(errors.Is(stopped, context.Canceled), errors.Is(stopped, optimize.ErrInfeasible)):     "true false",
		fmt.Sprint(errors.Is(&optimize.NegativeError{}, evidence.ErrParameter), stopped.Unwrap() != nil): "false true",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An ε next to the largest float64, and the least and the largest that a program is
// solved at.
func TestEndsOfEpsilon(t *testing.T) {
	ctx := context.Background()
	q := counts(t, 1)
	flat := func(evidence.Epsilon) (mechanism.Mechanism, error) {
		return mechanism.NewGeometric(ctx, q, epsilon(t, 0.1))
	}
	for _, eps := range []float64{1.5e308, math.MaxFloat64} {
		if m, err := optimize.Calibrate(ctx, flat, epsilon(t, eps)); !errors.Is(err, optimize.ErrNotReached) || m != nil {
			t.Errorf("ε = %g: %v", eps, err)
		}
	}
	for _, eps := range []float64{1e-9, 138} {
		m, err := optimize.NewOptimal(ctx, q, epsilon(t, eps), optimize.Options{})
		if err != nil && !errors.Is(err, optimize.ErrPrecision) {
			t.Fatalf("ε = %g: %v", eps, err)
		}
		want := 1 / (1 + math.Exp(eps)) // randomised response
		if lo, hi := bounds(m.Optimum()); lo > want || hi < want*(1-1e-15) {
			t.Errorf("ε = %g: [%v, %v], want %v", eps, lo, hi, want)
		}
	}
	for _, eps := range []float64{math.Nextafter(1e-9, 0), math.Nextafter(138, 139)} {
		if _, err := optimize.NewOptimal(ctx, q, epsilon(t, eps), optimize.Options{}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ε = %v: %v, want ErrParameter", eps, err)
		}
		if _, err := xor.NewOptimalNoise(ctx, 1, 1, epsilon(t, eps), xor.FlipBits(1)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("noise at ε = %v: %v, want ErrParameter", eps, err)
		}
	}
}

// A width that the arithmetic cannot certify is an error that comes with the best found,
// whatever is minimised; one that it can is kept.
func TestWidths(t *testing.T) {
	ctx := context.Background()
	q, eps := counts(t, 3), epsilon(t, 1)
	best := solve(t, q, eps, optimize.Options{})
	for _, o := range []optimize.Options{{}, {Objective: optimize.Worst}, {Objective: optimize.Pareto, Than: best}} {
		o.Width = 1e-30
		m, err := optimize.NewOptimal(ctx, q, eps, o)
		if !errors.Is(err, optimize.ErrPrecision) || m == nil {
			t.Errorf("%q to 1e-30: %v", o.Objective, err)
			continue
		}
		lo, hi := bounds(m.Optimum())
		if !(lo <= hi) || hi-lo > 1e-6*hi {
			t.Errorf("%q: [%v, %v]", o.Objective, lo, hi)
		}
		o.Width = 0.01
		if m, err = optimize.NewOptimal(ctx, q, eps, o); err != nil {
			t.Errorf("%q to 0.01: %v", o.Objective, err)
		} else if l, h := bounds(m.Optimum()); h-l > 0.01*h || l > hi || h < lo {
			t.Errorf("%q to 0.01: [%v, %v], elsewhere [%v, %v]", o.Objective, l, h, lo, hi)
		}
	}
}

// Names say what was minimised, and a mechanism to improve is of the same datasets.
func TestNamesOfOptima(t *testing.T) {
	ctx := context.Background()
	q, eps := counts(t, 2), epsilon(t, 1)
	than, err := layers.NewPurest(ctx, q, epsilon(t, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]optimize.Options{
		"optimal(1)": {}, `optimal(1, "worst")`: {Objective: optimize.Worst}, `optimal(1, "pareto")`: {Objective: optimize.Pareto, Than: than},
	} {
		m := solve(t, q, eps, o)
		if claim := m.ClaimedEpsilon(); m.Name() != want || claim.Float() != 1 {
			t.Errorf("%s claims %v, want %s", m.Name(), claim, want)
		}
	}
	if _, err := optimize.NewOptimal(ctx, counts(t, 3), eps, optimize.Options{Objective: optimize.Pareto, Than: than}); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "than answers a query on 3 datasets, want 4") {
		t.Errorf("a mechanism of other datasets: %v", err)
	}
}
