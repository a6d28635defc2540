package optimize_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
	"dpworkbench/xor"
)

// The probabilities of a tight mechanism on paths in closed form, by their logarithms:
// datasets that share a value, one whose constant is 0, and others out of reach, at an ε
// where they underflow.
func TestTightLogarithms(t *testing.T) {
	ctx := context.Background()
	const long = 24
	var edges [][2]int
	values := make([]float64, long+2) // two paths, of 24 and of two
	for x := range values {
		if values[x] = float64(x % 7); x%long > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
	}
	q := must(query.NewNumeric("f", must(query.NewPathSpace(long+2, edges)), values, nil))
	for _, e := range []float64{0.7, 31, 700} {
		eps := epsilon(t, e)
		m := must(optimize.NewTight(ctx, q, eps))
		z, one := eps.Decay(), interval.Int(1)
		for x := 0; x < len(values); x += 5 {
			for r := range q.Range() {
				var logs, ones []interval.Interval
				for y, f := range values {
					if f != float64(r) || (x < long) != (y < long) {
						continue
					}
					c := one.Sub(z).Quo(one.Add(z)).Log()
					if y == 0 || y >= long-1 {
						c = one.Quo(one.Add(z)).Log()
					}
					logs = append(logs, c.Sub(eps.Enclosure().Mul(interval.Int(int64(max(x-y, y-x))))))
					ones = append(ones, one)
				}
				if got := m.LogProb(x, r); math.IsInf(got, -1) != (len(logs) == 0) {
					t.Errorf("ε = %g: ln p^%d(%d) = %v", e, x, r, got)
				}
				if len(logs) == 0 {
					continue
				}
				off := m.EncloseLog(x, r).Sub(interval.LogSum(logs, ones))
				if lo, hi := off.Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-60*e {
					t.Errorf("ε = %g: ln p^%d(%d) is off by [%g, %g]", e, x, r, lo, hi)
				}
			}
		}
	}
	// A star of four leaves at ε = ln 3: the leaves' constants are 3/4, the middle's 0.
	star := radiiQuery(t, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}}, []float64{0, 1, 1, 2, 2})
	m := must(optimize.NewTight(ctx, star, logarithm(t, 3, 1)))
	if c := m.RationalConstants(); c[0].Sign() != 0 || c[1].Cmp(big.NewRat(3, 4)) != 0 {
		t.Errorf("constants of a star: %v", c)
	}
}

// Constants that are rational lie in what encloses them, and are known as such up to 64 datasets.
func TestTightConstantsEncloseRationals(t *testing.T) {
	for _, n := range []int{64, 65} {
		m := must(optimize.NewTight(context.Background(), counts(t, n-1), logarithm(t, 3, 1)))
		if exact := m.RationalConstants(); (exact != nil) != (n == 64) {
			t.Errorf("%d datasets: rational constants %v", n, exact)
		}
		for y, c := range m.Constants() {
			want := big.NewRat(1, 2) // (1 − z)/(1 + z)
			if y == 0 || y == n-1 {
				want = big.NewRat(3, 4) // 1/(1 + z)
			}
			if lo, hi := c.Sub(interval.Rat(want)).Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-70 {
				t.Errorf("%d datasets: c_%d is off by [%g, %g]", n, y, lo, hi)
			}
		}
	}
}

// The ends of a ratio lie outside the quotients of their ends, for a law known to seven
// digits: its distortion over the optima at the ends of its smallest ε.
func TestRatioOfAWideLaw(t *testing.T) {
	ctx := context.Background()
	q := counts(t, 2)
	const off = 3e-8
	p := func(at float64) interval.Interval { return interval.Between(at-off, at+off) }
	m := must(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q},
		[][]interval.Interval{{p(0.5), p(0.3), p(0.2)}, {p(0.25), p(0.5), p(0.25)}, {p(0.2), p(0.3), p(0.5)}}, nil, nil))
	lo, hi := bounds(must(mechanism.ExpectedDistortion(ctx, m, nil)))
	from, to := bounds(must(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})))
	narrow := optimize.Options{Width: 1e-9}
	most, _ := bounds(solve(t, q, epsilon(t, from), narrow).Optimum())
	_, least := bounds(solve(t, q, epsilon(t, to), narrow).Optimum())
	if hi-lo < off || to-from < off || most-least < off {
		t.Fatalf("distortion in [%v, %v], smallest ε in [%v, %v], optimum in [%v, %v]: not wide", lo, hi, from, to, least, most)
	}
	got, end := bounds(must(optimize.RatioToOptimum(ctx, m)))
	if got > lo/most || end < hi/least || end-got > 1e-5 {
		t.Errorf("ratio in [%v, %v], want [%v, %v]", got, end, lo/most, hi/least)
	}
}

// The prices that bound the largest distortion sum to 1, of an optimum that costs
// nothing too.
func TestPricesOfTheWorst(t *testing.T) {
	flat := must(query.NewNumeric("flat", must(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})), []float64{2, 2, 2}, []float64{1, 2}))
	for _, q := range []*query.Query{counts(t, 2), graphs(t, 4, "triangle"), flat} {
		for _, r := range []optimize.Rationality{optimize.Never, optimize.Required} {
			m := solve(t, q, logarithm(t, 3, 1), optimize.Options{Objective: optimize.Worst, Rational: r})
			sum := new(big.Rat)
			for _, b := range m.Certificate().Bound {
				sum.Add(sum, b)
			}
			if sum.Cmp(big.NewRat(1, 1)) != 0 {
				t.Errorf("%s: prices sum to %v", m.Name(), sum)
			}
			checkCertificate(t, q, m, big.NewRat(3, 1))
		}
	}
}

// Values that an optimum needs, by definition: no other is nowhere farther, but for an
// equal one that comes later. On a metric of tenths, where roundings hide ties.
func TestValuesThatAreNeeded(t *testing.T) {
	for _, rng := range [][]float64{{0, 0.3, 0.1, 0.7}, {0, 0.3, -1, 0.1, 0.2, 0.4, 2}, {0, 0.3, 0.15}, {0.3, 0, 5}, {0.3, 0.9, 0.1, 0.5},
		{1e9 + 0.3, 5e9, 0.1, 2e9 + 0.5}, {1e9 + 0.7, 5e9, 0.6, 2e9 + 0.8}, {3e9 + 0.1, 9e9, 0.2, 6e9}, {7e7 + 0.3, 9e9, 0.2, 14e7 + 0.4}} {
		f := []float64{rng[0], rng[1]}
		slices.Sort(rng)
		q := must(query.NewNumeric("f", must(query.NewPathSpace(2, [][2]int{{0, 1}})), f, rng))
		var want []int
		for r := range rng {
			needed := true
			for s := range rng {
				never, sometimes := true, false
				for x := range 2 {
					sign := q.Metric().Rational(q.ValueIndex(x), s).Cmp(q.Metric().Rational(q.ValueIndex(x), r))
					never, sometimes = never && sign <= 0, sometimes || sign < 0
				}
				needed = needed && !(never && (sometimes || s < r))
			}
			if needed {
				want = append(want, r)
			}
		}
		if got := solve(t, q, epsilon(t, 1), optimize.Options{}).Certificate().Values; !slices.Equal(got, want) {
			t.Errorf("of %v the program takes %v, want %v", rng, got, want)
		}
	}
}

// An exact optimum is looked for up to 1,000 variables: many copies of a path, which
// are one to the solver.
func TestExactUpToAThousand(t *testing.T) {
	for _, c := range []struct {
		datasets, length int
		exact            bool
	}{{200, 5, true}, {143, 7, false}} {
		var edges [][2]int
		values := make([]float64, c.datasets)
		for x := range values {
			values[x] = float64(x % c.length)
			if x%c.length > 0 {
				edges = append(edges, [2]int{x - 1, x})
			}
		}
		q := must(query.NewNumeric("f", must(query.NewPathSpace(c.datasets, edges)), values, nil))
		m := solve(t, q, logarithm(t, 3, 1), optimize.Options{})
		if _, exact := m.Optimum().(evidence.Exact); exact != c.exact {
			t.Errorf("%d variables: the optimum is %v", c.datasets*c.length, m.Optimum())
		}
		checkMechanism(t, m, math.Log(3)*(1+1e-15))
	}
}

// A solve whose time is over before it starts still ends with what it has.
func TestLimitOfNoTime(t *testing.T) {
	q := graphs(t, 4, "triangle")
	for _, eps := range []evidence.Epsilon{logarithm(t, 3, 1), epsilon(t, 1)} {
		for _, objective := range []optimize.Objective{optimize.Mean, optimize.Worst} {
			m, err := optimize.NewOptimal(context.Background(), q, eps, optimize.Options{Objective: objective, Limit: 1})
			stopped := new(optimize.Stopped)
			if !errors.As(err, &stopped) || !errors.Is(err, context.DeadlineExceeded) || m == nil {
				t.Errorf("%s at %v: %v", objective, eps, err)
				continue
			}
			checkMechanism(t, m, eps.Value()*(1+1e-15))
			if lo, hi := bounds(m.Optimum()); lo != stopped.Lo || hi != stopped.Hi {
				t.Errorf("%s at %v: [%v, %v], %v", objective, eps, lo, hi, err)
			}
		}
	}
}

// A Pareto program that is stopped at any step says what is known: nothing of the sum
// before the second search, and than's own laws where nothing better was found.
func TestParetoStops(t *testing.T) { synctest.Test(t, paretoStops) } // where certifying takes no time

func paretoStops(t *testing.T) {
	q := counts(t, 3)
	best := solve(t, q, epsilon(t, 1), optimize.Options{})
	total := 4 * best.Optimum().Float()
	early, late := 0, 0
	for stop := 1; ; stop++ {
		ctx, cancel := context.WithCancel(context.Background())
		steps := 0
		m, err := optimize.NewOptimal(parallel.WithProgress(ctx, func(int64, int64, string) {
			if steps++; steps == stop {
				cancel()
			}
		}), q, epsilon(t, 1), optimize.Options{Objective: optimize.Pareto, Than: best})
		cancel()
		if steps < stop {
			break
		}
		stopped := new(optimize.Stopped)
		switch {
		case !errors.As(err, &stopped) || !errors.Is(err, context.Canceled):
			t.Fatalf("stopped at %d: %v, %v", stop, m, err)
		case m == nil:
			early++
			if !math.IsInf(stopped.Hi, 1) || stopped.Lo > 0 {
				t.Errorf("stopped at %d, before anything is known of the sum: %v", stop, err)
			}
		default:
			late++
			if lo, hi := bounds(m.Optimum()); lo != stopped.Lo || hi != stopped.Hi || lo > total || hi < total*(1-1e-6) || hi > total*(1+1e-6) {
				t.Errorf("stopped at %d: [%v, %v], want up to %v", stop, lo, hi, total)
			}
			checkMechanismEnclosed(t, m, 1)
		}
	}
	if early == 0 || late == 0 {
		t.Errorf("stopped %d times in the first search, %d in the second", early, late)
	}
}

// One row of ten bits, and ten of one, are the largest; eleven are too many.
func TestShapesOfNoise(t *testing.T) {
	for _, c := range []struct {
		n, p int
		ok   bool
	}{{1, 10, true}, {10, 1, true}, {2, 5, true}, {5, 2, true}, {3, 3, true}, {1, 11, false}, {11, 1, false}, {3, 4, false}, {4, 3, false}, {math.MaxInt, 2, false}, {2, math.MaxInt, false}, {0, 1, false}, {1, 0, false}, {1, -1, false}} {
		law, err := xor.NewOptimalNoise(context.Background(), c.n, c.p, logarithm(t, 3, 1), xor.FlipBits(1))
		if (err == nil) != c.ok || err != nil && !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%d × %d: %v", c.n, c.p, err)
		} else if c.ok && law.FlipRate().(evidence.Exact).Value.Cmp(big.NewRat(1, 4)) != 0 { // randomised response
			t.Errorf("%d × %d: rate %v", c.n, c.p, law.FlipRate())
		}
	}
}

// An ε whose e^ε is irrational and beyond the solver is refused.
func TestNoiseBeyondTheSolver(t *testing.T) {
	for k, ok := range map[int64]bool{251: true, 253: false} { // halves of ln 3: 137.9 and 139
		_, err := xor.NewOptimalNoise(context.Background(), 1, 2, logarithm(t, 3, 1).Ratio(k, 2), xor.FlipBits(1))
		if refused := errors.Is(err, evidence.ErrParameter); refused == ok || !ok && !strings.Contains(err.Error(), "at most 138") {
			t.Errorf("ε = %d/2 ln 3: %v", k, err)
		}
	}
	// An exact search that is stopped has found nothing.
	for n := 0; ; n++ {
		law, err := xor.NewOptimalNoise(looks.After(t.Context(), n), 2, 2, logarithm(t, 3, 1), xor.FlipRows(1))
		if err == nil && n > 3 {
			break
		}
		if law != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d looks: %v, %v", n, law, err)
		}
	}
	// One so small that float64 does not tell e^ε from 1, too.
	law, err := xor.NewOptimalNoise(context.Background(), 1, 2, logarithm(t, 3, 1).Ratio(1, 1<<50), xor.FlipBits(1))
	if law != nil || !errors.Is(err, evidence.ErrParameter) || !errors.Is(err, optimize.ErrPrecision) {
		t.Errorf("ε = 2⁻⁵⁰ ln 3: %v, %v", law, err)
	}
}

// A calibration tries few members: as many as these families took when each was looked
// at step by step.
func TestCalibrationTriesFew(t *testing.T) {
	two := counts(t, 1)
	for _, c := range []struct {
		name   string
		family func(e float64) float64
		eps    float64
		tries  int
	}{
		{"tenfold", func(e float64) float64 { return 10 * e }, 1, 5},
		{"its square", func(e float64) float64 { return e * e }, 2, 9},
		{"its root", math.Sqrt, 0.01, 12},
		{"its eighth power", func(e float64) float64 { e *= e; e *= e; return e * e }, 3, 15},
		{"its eighth root", func(e float64) float64 { return math.Sqrt(math.Sqrt(math.Sqrt(e))) }, 0.7, 11},
		{"a late rise", func(e float64) float64 { e /= 8; e *= e; e *= e; e *= e; return e*e + 1e-4 }, 0.5, 17},
		{"an early rise", func(e float64) float64 { return 0.6 * e / (e + 1e-3) }, 0.5, 14},
		{"a bend", func(e float64) float64 { return min(e/100, 0.006) + max(0, e-0.75)*3 }, 1, 4},
	} {
		for _, broken := range []bool{false, true} {
			tries, last := 0, 0
			for at := 1; at == 1 || broken && at <= last; at++ {
				tries = 0
				_, err := optimize.Calibrate(context.Background(), func(e evidence.Epsilon) (mechanism.Mechanism, error) {
					if tries++; broken && tries == at {
						return nil, errors.ErrUnsupported
					}
					return mechanism.NewGeometric(context.Background(), two, epsilon(t, c.family(e.Value())))
				}, epsilon(t, c.eps))
				if broken && !errors.Is(err, errors.ErrUnsupported) || !broken && err != nil {
					t.Errorf("%s, broken at %d of %d: %v", c.name, at, c.tries, err)
				}
				last = c.tries
			}
			if !broken && tries != c.tries {
				t.Errorf("%s: %d tries, want %d", c.name, tries, c.tries)
			}
		}
	}
}

// Whenever a search for the exact optimum is interrupted, what was found comes with it,
// from the time when something was.
func TestExactSearchStops(t *testing.T) { synctest.Test(t, exactSearchStops) } // where certifying takes no time

func exactSearchStops(t *testing.T) {
	q := graphs(t, 4, "triangle")
	first := 0 // the look after which there is a mechanism
	for n := 0; ; n++ {
		m, err := optimize.NewOptimal(looks.After(context.Background(), n), q, logarithm(t, 3, 1), optimize.Options{Rational: optimize.Required})
		if err == nil {
			if _, ok := m.Optimum().(evidence.Exact); !ok || first == 0 || n < first+5 {
				t.Errorf("done after %d looks, from %d on with a mechanism: %v", n, first, m.Optimum())
			}
			break
		}
		stopped := new(optimize.Stopped)
		if !errors.Is(err, context.Canceled) || (m != nil) != errors.As(err, &stopped) || m == nil && first > 0 {
			t.Fatalf("after %d looks: %v, %v", n, m, err)
		}
		if m != nil {
			if first == 0 {
				first = n
			}
			if lo, hi := bounds(m.Optimum()); stopped.Lo != lo || stopped.Hi != hi || lo > 18545./42768 || hi < 18545./42768 {
				t.Errorf("after %d looks: [%v, %v], %v", n, lo, hi, err)
			}
		}
	}
}

// What an error of precision says is what its mechanism has.
func TestPrecisionSaysWhatIsKnown(t *testing.T) {
	m, err := optimize.NewOptimal(context.Background(), counts(t, 3), epsilon(t, 1), optimize.Options{Width: 1e-30})
	lo, hi := bounds(m.Optimum())
	if want := "eps = 1: the optimum lies in " + evidence.FormatBounds(lo, hi, 10); err == nil || !strings.Contains(err.Error(), want) || lo == hi {
		t.Errorf("%v, want %s", err, want)
	}
}

// What is optimal at an ε that is its own to the last bit stays as it is, and one that
// costs nothing has one cell.
func TestParetoOfTheOptimum(t *testing.T) {
	ctx := context.Background()
	q, half := counts(t, 1), epsilon(t, 0.5)
	than := must(layers.NewPurest(ctx, q, half)) // randomised response
	if loss, ok := must(mechanism.Privacy(than).Epsilon(ctx, evidence.Delta{})).(evidence.Certified); !ok || loss.Float() != 0.5 {
		t.Fatalf("randomised response at ½ loses %v", loss)
	}
	m := solve(t, q, half, optimize.Options{Objective: optimize.Pareto, Than: than})
	want := 2 / (1 + math.Exp(0.5))
	if lo, hi := bounds(m.Optimum()); lo > want || hi < want || hi > want*(1+1e-15) {
		t.Errorf("[%v, %v], want %v", lo, hi, want)
	}
	still := must(xor.NewOptimalNoise(ctx, 1, 1, half, xor.FlipEdges(1)))
	if still.Cells() != 1 || still.FlipRate().Float() != 0 {
		t.Errorf("edges of one node: %d cells, rate %v", still.Cells(), still.FlipRate())
	}
	// 65 leaves at ε = ln 64: the middle's constant is 0, which no enclosure tells.
	var edges [][2]int
	values := make([]float64, 66)
	for x := 1; x < 66; x++ {
		edges = append(edges, [2]int{0, x})
		values[x] = 1
	}
	star := must(query.NewNumeric("star", must(query.NewPathSpace(66, edges)), values, nil))
	var from, to float64
	_, err := optimize.NewTight(ctx, star, logarithm(t, 64, 1))
	text := strings.NewReplacer(",", "", "]", "").Replace(fmt.Sprint(err))
	if at := strings.Index(text, "lies in ["); !errors.Is(err, optimize.ErrPrecision) || at < 0 {
		t.Errorf("a constant of 0 by enclosure: %v, want ErrPrecision", err)
	} else if _, bad := fmt.Sscanf(text[at:], "lies in [%g %g", &from, &to); bad != nil || !(from < 0 && to > 0) {
		t.Errorf("a constant of 0 by enclosure: %v, %v", err, bad)
	}
	tries := 0 // a half, first halved and then hit to the last bit
	must(optimize.Calibrate(ctx, func(e evidence.Epsilon) (mechanism.Mechanism, error) {
		tries++
		return layers.NewPurest(ctx, q, e)
	}, half))
	if tries != 2 {
		t.Errorf("an ε that is hit to the last bit takes %d tries, want 2", tries)
	}
	for _, eps := range []float64{1e-10, 1e-300} {
		c := must(optimize.Calibrate(ctx, func(e evidence.Epsilon) (mechanism.Mechanism, error) {
			return layers.NewPurest(ctx, q, e.Ratio(1, 100))
		}, epsilon(t, eps)))
		if lo, hi := bounds(must(mechanism.Privacy(c).Epsilon(ctx, evidence.Delta{}))); lo < eps/2 || hi > eps {
			t.Errorf("calibrated to %g: [%v, %v]", eps, lo, hi)
		}
	}
}

// A ratio is as wide as the distortion is, where that alone is wide: a value that all
// datasets give alike, known to a tenth; and what is said where the ε is too wide.
func TestRatioOfAWideDistortion(t *testing.T) {
	ctx := context.Background()
	q := must(query.NewNumeric("f", must(query.NewPathSpace(2, [][2]int{{0, 1}})), []float64{0, 1}, []float64{0, 1, 9}))
	point := func(n, d int64) interval.Interval { return interval.Rat(big.NewRat(n, d)) }
	far := interval.Between(0.1, 0.11)
	m := must(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q},
		[][]interval.Interval{{point(3, 5), point(3, 10), far}, {point(3, 10), point(3, 5), far}}, nil, nil))
	lo, hi := bounds(must(mechanism.ExpectedDistortion(ctx, m, nil)))
	got, end := bounds(must(optimize.RatioToOptimum(ctx, m))) // the loss is ln 2: the optimum 1/3
	if hi-lo < 0.05 || math.Abs(got-3*lo) > 1e-5 || math.Abs(end-3*hi) > 1e-5 {
		t.Errorf("distortion in [%v, %v], ratio in [%v, %v], want [%v, %v]", lo, hi, got, end, 3*lo, 3*hi)
	}
	loose := must(mechanism.NewEnclosedTable(mechanism.Info{Name: "loose", Query: q},
		[][]interval.Interval{{interval.Between(0.6, 0.61), point(3, 10), far}, {point(3, 10), point(3, 5), far}}, nil, nil))
	deep := must(layers.NewPurest(ctx, counts(t, 1), epsilon(t, 1e308)))
	if got, err := optimize.RatioToOptimum(ctx, deep); err == nil {
		t.Errorf("a smallest ε beyond the program's: %v", got)
	}
	_, err := optimize.RatioToOptimum(ctx, loose)
	text := fmt.Sprint(err)
	if at := strings.Index(text, "the optimum lies in "); at < 0 || !errors.Is(err, optimize.ErrPrecision) {
		t.Errorf("a loose ε: %v", err)
	} else if _, to := bounds(must(mechanism.Privacy(loose).Epsilon(ctx, evidence.Delta{}))); !strings.Contains(text, fmt.Sprintf("eps = %v:", epsilon(t, to))) {
		t.Errorf("a loose ε up to %v: %s", to, text)
	} else if _, err := fmt.Sscanf(strings.NewReplacer(",", "").Replace(text[at:]), "the optimum lies in [%g %g]", &lo, &hi); err != nil || !(lo < hi-1e-4 && lo > 0.3 && hi < 0.34) {
		t.Errorf("a loose ε: %s, %v", text, err)
	}
	// A constant answer to datasets of which many give one value.
	many := must(query.NewNumeric("f", must(query.NewPathSpace(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}})), []float64{0, 0, 0, 1, 4}, nil))
	row := []float64{0, 1, 0}
	constant := must(mechanism.NewTable(mechanism.Info{Name: "constant", Query: many, Claimed: evidence.Claimed{}}, [][]float64{row, row, row, row, row}, nil))
	if got := must(optimize.RatioToOptimum(ctx, constant)).(evidence.Exact); got.Value.Cmp(big.NewRat(6, 5)) != 0 { // 3 + 3 against 1 + 4
		t.Errorf("a constant: %v, want 6/5", got)
	}
}

// Where the values are tenths the bounds are, and a program too large to solve says so.
func TestScalesAndSizesOfPrograms(t *testing.T) {
	ctx := context.Background()
	q := must(query.NewNumeric("f", must(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})), []float64{0, 0.1, 0.2}, nil))
	eps := logarithm(t, 9, 1)
	rough := must(layers.NewPurest(ctx, q, epsilon(t, math.Log(3)))) // a law of enclosures, next to the rational one
	than := must(layers.NewPurest(ctx, q, logarithm(t, 3, 1)))
	m := solve(t, q, eps, optimize.Options{Objective: optimize.Pareto, Than: than})
	for x := range 3 {
		_, limit := bounds(mechanism.Distortion(than, x))
		if _, hi := bounds(mechanism.Distortion(m, x)); hi > limit {
			t.Errorf("dataset %d: %v, want at most %v", x, hi, limit)
		}
	}
	if _, exact := mechanism.Distortion(than, 0).(evidence.Exact); !exact {
		t.Error("the bounds are not rational")
	}
	if lo, hi := bounds(m.Optimum()); lo > 0.05 || hi < 0.03 || hi-lo > 1e-6*hi {
		t.Errorf("the sum lies in [%v, %v]", lo, hi)
	}
	same := solve(t, q, epsilon(t, 2*math.Log(3)), optimize.Options{Objective: optimize.Pareto, Than: rough})
	if a, b := m.Optimum().Float(), same.Optimum().Float(); math.Abs(a-b) > 1e-6*a {
		t.Errorf("the sum is %v below rational bounds and %v below others", a, b)
	}
	const n = 5001
	values, prior := make([]float64, n), make([]*big.Rat, n)
	var edges [][2]int
	for x := range values {
		values[x] = float64(x % 2)
		prior[x] = big.NewRat(2*int64(x+1), n*(n+1))
		if x > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
	}
	long := must(query.NewNumeric("f", must(query.NewPathSpace(n, edges)), values, nil))
	rows := make([][]float64, n)
	for x := range rows {
		rows[x] = []float64{float64(n + x), float64(n)}
	}
	each := must(mechanism.NewTable(mechanism.Info{Name: "each", Query: long}, rows, nil))
	if m, err := optimize.NewOptimal(ctx, long, epsilon(t, 1), optimize.Options{Objective: optimize.Pareto, Than: each}); m != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "10002 rows and bounds") {
		t.Errorf("5001 rows with bounds that differ: %v, want ErrParameter", err)
	}
	if m, err := optimize.NewOptimal(ctx, long, epsilon(t, 1), optimize.Options{Prior: prior}); m != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "5001 rows") {
		t.Errorf("5001 rows that differ: %v, want ErrParameter", err)
	}
}

// How far a calibration looks for a member.
func TestHowFarCalibrationLooks(t *testing.T) {
	two := counts(t, 1)
	for want, c := range map[string]struct{ loss, eps float64 }{
		"smallest ε is still 0.125 at parameter 5.49755813888e+11, below eps = 1":  {0.125, 1},
		"smallest ε is 3 even at parameter 4.6663180925160944e-302, above eps = 1": {3, 1},
		"smallest ε is 1e-08 even at parameter 5e-324, above eps = 9e-309":         {1e-8, 9e-309},
	} {
		_, err := optimize.Calibrate(context.Background(), func(evidence.Epsilon) (mechanism.Mechanism, error) {
			return layers.NewPurest(context.Background(), two, epsilon(t, c.loss))
		}, epsilon(t, c.eps))
		if !errors.Is(err, optimize.ErrNotReached) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Where no reading of the optimal face is right, an exact optimum is refused with what is
// known of it, and what is not asked to be exact is an interval.
func TestUnidentified(t *testing.T) {
	for _, c := range []struct {
		n         int
		w         int64
		objective optimize.Objective
	}{{5, 1e12, optimize.Mean}, {12, 1e12, optimize.Worst}, {12, 1e5, optimize.Worst}} {
		q, eps := counts(t, c.n), logarithm(t, c.w, 1)
		near := solve(t, q, eps, optimize.Options{Objective: c.objective})
		lo, hi := bounds(near.Optimum())
		if _, exact := near.Optimum().(evidence.Exact); exact || !(lo < hi) {
			t.Fatalf("the optimum on %d counts at %v is %v", c.n, eps, near.Optimum())
		}
		m, err := optimize.NewOptimal(context.Background(), q, eps, optimize.Options{Objective: c.objective, Rational: optimize.Required})
		if want := "only known to lie in " + evidence.FormatBounds(lo, hi, 10); m != nil || !errors.Is(err, optimize.ErrUnidentified) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d counts at %v: %v, want %s", c.n, eps, err, want)
		}
	}
}
