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
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
	"dpworkbench/xor"
)

// A family that fails at any member, or whose member's loss cannot be had, fails the
// calibration with its own error.
func TestCalibrateFailsWithItsFamily(t *testing.T) {
	q, broken := counts(t, 3), errors.New("broken")
	for _, eps := range []float64{0.01, 30} {
		for at := 0; ; at++ {
			calls := 0
			m, err := optimize.Calibrate(context.Background(), func(e evidence.Epsilon) (mechanism.Mechanism, error) {
				if calls++; calls > at {
					return nil, broken
				}
				return purest(q)(e)
			}, epsilon(t, eps))
			if err == nil {
				loss, err := mechanism.Privacy(m).Epsilon(context.Background(), 0)
				if err != nil {
					t.Fatal(err)
				}
				if _, hi := bounds(loss); calls > at || !(hi <= eps && hi >= eps-1e-9) {
					t.Errorf("ε = %g: %d members, smallest ε up to %v", eps, calls, hi)
				}
				break
			}
			if !errors.Is(err, broken) || m != nil || at > 300 {
				t.Fatalf("ε = %g, broken at member %d: %v, %v", eps, at, m, err)
			}
		}
	}
	// Families whose smallest ε is known: where there is a member it is found.
	lost, err := query.NewPathSpace(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	two, err := query.NewNumeric("f", lost, []float64{0, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		family func(e float64) float64 // the ε of the member
		eps    float64
		want   error
	}{
		"never enough": {func(float64) float64 { return 0.1 }, 1, optimize.ErrNotReached},
		"too much":     {func(float64) float64 { return 3 }, 1, optimize.ErrNotReached},
		"a jump up":    {func(e float64) float64 { return map[bool]float64{true: 0.1, false: 3}[e < 7] }, 1, optimize.ErrNotReached},
		"a jump down":  {func(e float64) float64 { return map[bool]float64{true: 0.1, false: 3}[e < 0.01] }, 1, optimize.ErrNotReached},
		"tenfold":      {func(e float64) float64 { return 10 * e }, 1, nil},
		"a hundredth":  {func(e float64) float64 { return e / 100 }, 1, nil},
		"its square":   {func(e float64) float64 { return e * e }, 2, nil},
		"its root":     {math.Sqrt, 0.01, nil},
	} {
		m, err := optimize.Calibrate(context.Background(), func(e evidence.Epsilon) (mechanism.Mechanism, error) {
			return mechanism.NewGeometric(context.Background(), two, epsilon(t, c.family(e.Value())))
		}, epsilon(t, c.eps))
		if !errors.Is(err, c.want) || err != nil && m != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err != nil {
			continue
		}
		loss, err := mechanism.Privacy(m).Epsilon(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, hi := bounds(loss); !(hi <= c.eps && hi >= c.eps-1e-9) {
			t.Errorf("%s: smallest ε up to %v, want %v", name, hi, c.eps)
		}
	}
}

// The ends of a flip rate never lie within the quotients, at any ε and number of bits.
func TestFlipRateRoundsOutward(t *testing.T) {
	for _, bits := range []int{1, 3, 5, 6, 7} {
		for _, eps := range []float64{0.3, 0.6, 0.9, 1.3, 2} {
			law, err := optimize.NewOptimalNoise(context.Background(), bits, 1, epsilon(t, eps), xor.FlipBits(1))
			if err != nil {
				t.Fatal(err)
			}
			lo, hi := bounds(law.MeanFlips())
			least, most := bounds(law.FlipRate())
			back := func(v float64) *big.Rat {
				return new(big.Rat).Mul(new(big.Rat).SetFloat64(v), big.NewRat(int64(bits), 1))
			}
			if back(least).Cmp(new(big.Rat).SetFloat64(lo)) >= 0 || back(most).Cmp(new(big.Rat).SetFloat64(hi)) <= 0 || most-least > (hi-lo)/float64(bits)+1e-15 {
				t.Errorf("%d bits, ε = %g: rate in [%v, %v] of flips in [%v, %v]", bits, eps, least, most, lo, hi)
			}
			want := 1 / (1 + math.Exp(eps)) // randomised response
			if least > want || most < want || law.MeanFlips().Origin() == "" {
				t.Errorf("%d bits, ε = %g: rate in [%v, %v], want %v", bits, eps, least, most, want)
			}
		}
	}
}

// The constants of a tight mechanism in closed form: on a path 1/(1 + z) at the ends
// and (1 − z)/(1 + z) between, on a cycle 1/Σ z^d, 1 where nothing is near; as
// rationals where these are few, and enclosed where they are many or ε is decimal.
func TestTightConstantsInClosedForm(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{2, 5, 64, 65} {
		var path, cycle [][2]int
		for x := range n {
			if x > 0 {
				path = append(path, [2]int{x - 1, x})
			}
			cycle = append(cycle, [2]int{x, (x + 1) % n})
		}
		if n == 2 {
			cycle = path
		}
		for _, eps := range []evidence.Epsilon{logarithm(t, 3, 1), epsilon(t, 0.7), epsilon(t, 700)} {
			z := eps.Decay()
			one := interval.Int(1)
			for name, edges := range map[string][][2]int{"path": path, "cycle": cycle, "nothing": nil} {
				space, err := query.NewPathSpace(n, edges)
				if err != nil {
					t.Fatal(err)
				}
				got, err := optimize.TightConstants(ctx, space, eps)
				if err != nil {
					t.Fatal(err)
				}
				for y, c := range got {
					want := one
					switch {
					case name == "path" && (y == 0 || y == n-1):
						want = one.Quo(one.Add(z))
					case name == "path":
						want = one.Sub(z).Quo(one.Add(z))
					case name == "cycle":
						sum := interval.Int(0)
						for x := range n {
							sum = sum.Add(z.Pow(min(x, n-x)))
						}
						want = one.Quo(sum)
					}
					off := c.Sub(want)
					if lo, hi := off.Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-60 {
						t.Errorf("%s of %d at ε = %v: c_%d is off by [%g, %g]", name, n, eps, y, lo, hi)
					}
				}
			}
		}
	}
}

// The ratio to the optimum where there is no ε, where all answer alike, and where the
// smallest ε is too small or too uncertain to solve for.
func TestRatioAtTheEnds(t *testing.T) {
	ctx := context.Background()
	space, err := query.NewPathSpace(5, [][2]int{{0, 1}, {1, 2}, {3, 4}}) // two components
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("f", space, []float64{0, 1, 5, 2, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	table := func(q *query.Query, rows ...[]float64) mechanism.Mechanism {
		m, err := mechanism.NewTable(mechanism.Heading{Name: "table", Query: q, Claimed: evidence.Claimed{}}, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	e := func(r int) []float64 { row := make([]float64, 5); row[r] = 1; return row }
	// Answers of 0 and 2 cost 6 and 1 together; the best, 1 and 2 or 3, cost 5 and 1.
	constant := table(q, e(0), e(0), e(0), e(2), e(2))
	leaky := table(q, []float64{1, 1, 0, 0, 0}, e(1), e(4), e(2), e(3))
	f := table(q, e(0), e(1), e(4), e(2), e(3))
	for name, c := range map[string]struct {
		m      mechanism.Mechanism
		lo, hi float64
	}{"constant": {constant, 7. / 6, 7. / 6}, "leaky": {leaky, math.Inf(1), math.Inf(1)}, "f": {f, 1, 1}} {
		got, err := optimize.RatioToOptimum(ctx, c.m)
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := bounds(got); !(lo == c.lo || math.Abs(lo-c.lo) < 1e-15) || !(hi == c.hi || math.Abs(hi-c.hi) < 1e-15) {
			t.Errorf("%s: [%v, %v], want [%v, %v]", name, lo, hi, c.lo, c.hi)
		}
	}
	line := counts(t, 2)
	for _, decay := range []float64{1e-12, 200} {
		m, err := layers.NewPurest(ctx, line, epsilon(t, decay))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := optimize.RatioToOptimum(ctx, m); !errors.Is(err, optimize.ErrPrecision) {
			t.Errorf("decay %g: %v, %v, want ErrPrecision", decay, got, err)
		}
	}
	wide := interval.Between(0.2, 0.4)
	m, err := mechanism.NewEnclosedTable(mechanism.Heading{Name: "wide", Query: line}, [][]interval.Interval{{wide, wide, wide}, {wide, wide, wide}, {wide, wide, wide}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := optimize.RatioToOptimum(ctx, m); !errors.Is(err, optimize.ErrPrecision) || !strings.Contains(err.Error(), "in [0, 0.69") {
		t.Errorf("a smallest ε from 0 to ln 2: %v, %v, want ErrPrecision", got, err)
	}
	// With a rational law the ratio is one, and a decimal decay next to it has one that
	// holds nearly the same.
	exact, err := layers.NewPurest(ctx, line, logarithm(t, 3, 1))
	if err != nil {
		t.Fatal(err)
	}
	loss, err := mechanism.Privacy(exact).Epsilon(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	best, err := evidence.LogEpsilon("eps", loss.(evidence.ExactLog).Argument)
	if err != nil {
		t.Fatal(err)
	}
	mean, err := mechanism.ExpectedDistortion(ctx, exact, nil)
	if err != nil {
		t.Fatal(err)
	}
	optimum := solve(t, line, best, optimize.Options{Rational: optimize.Required})
	want, _ := new(big.Rat).Quo(mean.(evidence.Exact).Value, optimum.Optimum().(evidence.Exact).Value).Float64()
	for _, decay := range []evidence.Epsilon{logarithm(t, 3, 1), epsilon(t, math.Log(3))} {
		m, err := layers.NewPurest(ctx, line, decay)
		if err != nil {
			t.Fatal(err)
		}
		got, err := optimize.RatioToOptimum(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := bounds(got); !(lo <= want*(1+1e-14) && hi >= want*(1-1e-14) && hi-lo < 1e-5) || lo < 1 {
			t.Errorf("decay %v: [%v, %v], want %v", decay, lo, hi, want)
		}
	}
}

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
		if _, err := optimize.NewOptimalNoise(ctx, 1, 1, epsilon(t, eps), xor.FlipBits(1)); !errors.Is(err, evidence.ErrParameter) {
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

// Where distortions underflow the best radii are those that no other choice beats, by
// the logarithms of its distortions.
func TestRadiiOfUnderflow(t *testing.T) {
	ctx := context.Background()
	q := counts(t, 2)
	eps := epsilon(t, 1000)
	for _, objective := range []optimize.Objective{optimize.Worst, optimize.Mean} {
		best, err := optimize.ExhaustiveRadii(ctx, q, eps, objective, nil)
		if err != nil {
			t.Fatal(err)
		}
		value := func(m *layers.Mechanism) interval.Interval {
			var logs, ones []interval.Interval
			worst := interval.Float(-1e9)
			for x := range q.Size() {
				log, positive := mechanism.LogDistortion(m, x)
				if !positive {
					t.Fatal("a distortion of 0")
				}
				logs, ones, worst = append(logs, log), append(ones, interval.Int(1)), interval.Max(worst, log)
			}
			if objective == optimize.Worst {
				return worst
			}
			return interval.LogSum(logs, ones)
		}
		least, cases := value(best.Mechanism), uint64(0)
		rings := [][]float64{{0, 1, 2}, {0, 1}, {0, 1, 2}}
		for _, a := range rings[0] {
			for _, b := range rings[1] {
				for _, c := range rings[2] {
					m, err := layers.NewDeltaNeighborhood(ctx, q, eps, []float64{a, b, c})
					if err != nil {
						t.Fatal(err)
					}
					cases++
					if v := value(m); v.Less(least) {
						t.Errorf("%s: radii %v, %v, %v have ln %v, the best %v ln %v", objective, a, b, c, v, best.Radius, least)
					}
				}
			}
		}
		if best.Cases != cases || best.Steps != nil {
			t.Errorf("%s: %d cases, want %d", objective, best.Cases, cases)
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
