package mechanism_test

import (
	"context"
	"errors"
	"fmt"
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

// The definitions of DESIGN.md, written down a second time in plain float64 and
// by all-pairs loops.

func plainWeights(name string, q *query.Query, e float64) [][]float64 {
	n, space := q.Size(), q.Space()
	f := func(x int) float64 { return float64(q.Value(x).(query.Number)) }
	delta := 0.0
	local := make([]float64, n)
	for x := range n {
		for y := range n {
			if d := space.Distance(x, y); d <= 1 {
				local[x] = max(local[x], math.Abs(f(x)-f(y)))
			}
		}
		delta = max(delta, local[x])
	}
	rows := make([][]float64, n)
	for x := range n {
		rows[x] = make([]float64, len(q.Range()))
		sum := 0.0
		for r, v := range q.Range() {
			value := float64(v.(query.Number))
			d := math.Abs(value - f(x))
			switch name {
			case "exponential":
				rows[x][r] = math.Exp(-e * d / (2 * delta))
				if delta == 0 {
					rows[x][r] = 0
					if d == 0 {
						rows[x][r] = 1
					}
				}
			case "ladder":
				k := 0.0
				if d > 0 {
					k = 1
					total := 0.0
					for t := 0; ; t++ {
						step := 0.0
						for y := range n {
							if space.Distance(x, y) <= float64(t) {
								step = max(step, local[y])
							}
						}
						total += step
						if total >= d-1e-9 {
							break
						}
						if t > 100 {
							k = math.Inf(1)
							break
						}
						k++
					}
				}
				rows[x][r] = math.Exp(-k * e / 2)
			case "inverse":
				k := math.Inf(1)
				for y := range n {
					if f(y) == value {
						k = min(k, space.Distance(x, y))
					}
				}
				rows[x][r] = math.Exp(-k * e / 2)
			case "laplace": // integrated numerically
				if delta == 0 {
					if d == 0 {
						rows[x][r] = 1
					}
					break
				}
				b := delta / e
				cdf := func(t float64) float64 {
					if t < 0 {
						return math.Exp(t/b) / 2
					}
					return 1 - math.Exp(-t/b)/2
				}
				lo, hi := math.Inf(-1), math.Inf(1)
				if r > 0 {
					lo = (value + float64(q.Range()[r-1].(query.Number))) / 2
				}
				if r+1 < len(q.Range()) {
					hi = (value + float64(q.Range()[r+1].(query.Number))) / 2
				}
				rows[x][r] = cdf(hi-f(x)) - cdf(lo-f(x))
			case "geometric": // noise summed one by one
				if delta == 0 {
					if d == 0 {
						rows[x][r] = 1
					}
					break
				}
				for k := -3000; k <= 3000; k++ {
					out := f(x) + float64(k)
					best := 0
					for s := range q.Range() {
						if math.Abs(float64(q.Range()[s].(query.Number))-out) < math.Abs(float64(q.Range()[best].(query.Number))-out) {
							best = s // the first, smaller value wins a tie
						}
					}
					if best == r {
						rows[x][r] += math.Exp(-e * math.Abs(float64(k)) / delta)
					}
				}
			}
			sum += rows[x][r]
		}
		for r := range rows[x] {
			rows[x][r] /= sum
		}
	}
	return rows
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

// One suite for all mechanisms: law, distortion, smallest ε and profile against
// the definitions in plain float64.
func TestAgainstDefinitions(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		scale := []float64{1, 1, 10}[trial%3]
		q := randomQuery(t, rng, scale)
		e := []float64{0.1, 0.7, 1, 3}[rng.IntN(4)]
		for _, name := range names {
			if name == "geometric" && scale != 1 {
				continue
			}
			m := build(t, name, q, eps(t, e))
			want := plainWeights(name, q, e)
			label := fmt.Sprintf("trial %d: %s at %g", trial, name, e)
			for x := range want {
				distortion := 0.0
				for r, p := range want[x] {
					got := m.Enclose(x, r).Mid()
					if math.Abs(got-p) > 1e-12 {
						t.Fatalf("%s: p^%d(%v) = %.15g, want %.15g", label, x, q.Range()[r], got, p)
					}
					if p > 0 && math.Abs(m.LogProb(x, r)-math.Log(p)) > 1e-9 {
						t.Fatalf("%s: ln p^%d(%v) = %v, want %v", label, x, q.Range()[r], m.LogProb(x, r), math.Log(p))
					}
					distortion += p * math.Abs(float64(q.Range()[r].(query.Number)-q.Value(x).(query.Number)))
				}
				if got := mechanism.Distortion(m, x).Float(); math.Abs(got-distortion) > 1e-11 {
					t.Fatalf("%s: distortion at %d is %v, want %v", label, x, got, distortion)
				}
			}
			loss, delta := 0.0, 0.0
			for x := range want {
				for _, y := range q.Space().Neighbors(x) {
					sum := 0.0
					for r := range want[x] {
						if want[x][r] > 0 {
							loss = max(loss, math.Log(want[x][r]/want[y][r]))
						}
						sum += max(0, want[x][r]-math.Exp(e/3)*want[y][r])
					}
					delta = max(delta, sum)
				}
			}
			got, err := mechanism.Privacy(m).Epsilon(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			if g := got.Float(); math.Abs(g-loss) > 1e-9 && !(math.IsInf(g, 1) && math.IsInf(loss, 1)) {
				t.Fatalf("%s: smallest ε %v, want %v", label, got, loss)
			}
			lo, hi := got.Bounds()
			if !math.IsInf(hi, 1) && hi-lo > 1e-12*max(hi, e) {
				t.Fatalf("%s: enclosure [%v, %v] is too wide", label, lo, hi)
			}
			d, err := mechanism.Privacy(m).Delta(ctx, eps(t, e/3))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(d.Float()-delta) > 1e-12 {
				t.Fatalf("%s: δ(%g) = %v, want %v", label, e/3, d.Float(), delta)
			}
			if hi > 0 && !math.IsInf(hi, 1) {
				if at, _ := mechanism.Privacy(m).Delta(ctx, eps(t, hi)); at.Float() > 1e-14 {
					t.Fatalf("%s: δ at the smallest ε is %v, want 0", label, at)
				}
				if at, _ := mechanism.Privacy(m).Delta(ctx, eps(t, 0.99*lo)); at.Float() <= 0 {
					t.Fatalf("%s: δ just below the smallest ε is %v, want more than 0", label, at)
				}
			}
			if hi > m.ClaimedEpsilon().Float()*(1+1e-12) {
				t.Fatalf("%s: smallest ε %v exceeds the claim %v", label, hi, m.ClaimedEpsilon().Float())
			}
		}
	}
}

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

// The sampler's frequencies stay within Hoeffding's radius of the law, at a
// false-positive rate of 1e-9 over all values, and reject the law of another
// dataset.
func TestSampleKeepsLaw(t *testing.T) {
	const n = 1 << 18
	q := randomQuery(t, rand.New(rand.NewPCG(7, 8)), 1)
	m := build(t, "ladder", q, eps(t, 1))
	size := len(q.Range())
	radius := math.Sqrt(math.Log(2*float64(size)/1e-9) / (2 * n))
	gap := func(drawn, law int) float64 {
		freq := make([]float64, size)
		for _, r := range mechanism.Sample(m, drawn, n, rand.NewPCG(9, 10)) {
			freq[r] += 1.0 / n
		}
		worst := 0.0
		for r := range freq {
			worst = max(worst, math.Abs(freq[r]-math.Exp(m.LogProb(law, r))))
		}
		return worst
	}
	if g := gap(0, 0); g > radius {
		t.Errorf("frequencies are off by %.2g, want ≤ %.2g", g, radius)
	}
	if g := gap(0, 1); g <= radius {
		t.Errorf("the law of another dataset passes: off by %.2g, radius %.2g", g, radius)
	}
}

func TestTableRefusesWhatIsNoLaw(t *testing.T) {
	q := randomQuery(t, rand.New(rand.NewPCG(11, 12)), 1)
	rows := make([][]float64, q.Size())
	for x := range rows {
		rows[x] = make([]float64, len(q.Range()))
		rows[x][0] = 1
	}
	claim := evidence.Claimed{Value: 1}
	if _, err := mechanism.NewTable("table", q, claim, rows, nil); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		rows[0][0] = bad
		if _, err := mechanism.NewTable("table", q, claim, rows, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("weight %v gives %v, want ErrParameter", bad, err)
		}
	}
	rows[0][0] = 0
	if _, err := mechanism.NewTable("table", q, claim, rows, nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a row without weight gives %v, want ErrParameter", err)
	}
	if _, err := mechanism.NewTable("table", q, claim, rows[1:], nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a missing row gives %v, want ErrParameter", err)
	}
}

func TestPriors(t *testing.T) {
	ctx := context.Background()
	q := randomQuery(t, rand.New(rand.NewPCG(13, 14)), 1)
	m := build(t, "ladder", q, eps(t, 1))
	prior := make([]*big.Rat, q.Size())
	for x := range prior {
		prior[x] = new(big.Rat)
	}
	prior[1].SetInt64(1)
	got, err := mechanism.ExpectedDistortion(ctx, m, prior)
	if want := mechanism.Distortion(m, 1).Float(); err != nil || math.Abs(got.Float()-want) > 1e-14 {
		t.Errorf("a point prior gives %v, %v, want %v", got, err, want)
	}
	for _, bad := range [][]*big.Rat{prior[1:], make([]*big.Rat, q.Size()), append(append([]*big.Rat(nil), prior[:q.Size()-1]...), big.NewRat(1, 9)), append(append([]*big.Rat(nil), prior[:q.Size()-1]...), big.NewRat(-1, 1<<40))} {
		if _, err := mechanism.ExpectedDistortion(ctx, m, bad); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("prior %v gives %v, want ErrParameter", bad, err)
		}
	}
}
