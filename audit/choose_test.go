package audit

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// growth returns an enclosure of e^ε. For ε > 2²⁰ it returns e^(2²⁰), which exceeds every ratio of probabilities that
// can be read.
func TestGrowthOfLargeEpsilon(t *testing.T) {
	for _, v := range []float64{.5, 3, 400, 1 << 20, 1<<20 + 1, 1e300} {
		e := must.Be(evidence.NewEpsilon("eps", v))
		lo, hi := growth(e).Enclosure.Log().Bounds()
		want := math.Min(v, 1<<20)
		if !(lo <= want && hi >= want && hi-lo <= 1e-12*want) {
			t.Errorf("ε = %v: ln of the growth is in [%v, %v], want %v", v, lo, hi, want)
		}
	}
}

// The chooser picks the event with the largest (low − δ)/high for ε, and the one with the largest low − e^ε·high for
// δ. Here low and high are Wilson's bounds on the two frequencies.
func TestChooserMaximizesScore(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for range 300 {
		m, n := 50+rng.Int64N(1000), 50+rng.Int64N(1000)
		c := &chooser{delta: rng.Float64() / 4, factor: math.Exp(rng.Float64()), z: 1 + 2*rng.Float64(), sizes: []tally{{score: m}, {score: n}}}
		c.excess.score = math.Inf(-1)
		bestRatio, bestExcess := 0.0, math.Inf(-1)
		wantRatio, wantExcess := -1, -1
		for k := range 20 {
			p, q := rng.Int64N(m+1), rng.Int64N(n+1)
			c.offer(p, q, pick{x: 0, y: 1, bound: 1, cut: k}, false, func(e *pick) {})
			// The ends solve |v − f| = z √(v(1 − v)/n) for the frequency f (Wilson 1927).
			solve := func(count, size int64, sign float64) float64 {
				f, s, zz := float64(count)/float64(size), float64(size), c.z*c.z
				a, b, d := 1+zz/s, 2*f+zz/s, f*f
				return (b + sign*math.Sqrt(math.Max(0, b*b-4*a*d))) / (2 * a)
			}
			low, high := solve(p, m, -1), solve(q, n, 1)
			if v := (low - c.delta) / high; low > c.delta && v > bestRatio {
				bestRatio, wantRatio = v, k
			}
			if v := low - c.factor*high; v > bestExcess {
				bestExcess, wantExcess = v, k
			}
		}
		if got := c.epsilon; wantRatio >= 0 && (got.cut != wantRatio || math.Abs(got.score-bestRatio) > 1e-9*bestRatio) || wantRatio < 0 && got.bound != 0 {
			t.Errorf("chose event %d with score %v for ε, want %d with %v", got.cut, got.score, wantRatio, bestRatio)
		}
		if got := c.excess; got.cut != wantExcess || math.Abs(got.score-bestExcess) > 1e-9 {
			t.Errorf("chose event %d with score %v for δ, want %d with %v", got.cut, got.score, wantExcess, bestExcess)
		}
	}
}

// Functions return zero values if a name is unknown, moments overflow, a comparison is undecided, or the context has
// ended.
func TestFailuresReturnZero(t *testing.T) {
	var s names
	if i, ok := s.find("x"); i != 0 || ok {
		t.Errorf("an unknown name has id %d, %t", i, ok)
	}
	for _, draws := range [][]float64{nil, {1}, {1, math.NaN()}, {math.MaxFloat64, -math.MaxFloat64}} {
		if mean, variance, err := moments(draws, .5); err == nil || mean != 0 || variance != 0 {
			t.Errorf("%v: mean %v, variance %v, %v", draws, mean, variance, err)
		}
	}
	if mean, variance, err := moments([]float64{1, 2}, 1); err == nil || mean != 0 || variance != 0 {
		t.Errorf("at confidence 1: mean %v, variance %v, %v", mean, variance, err)
	}
	e := must.Be(evidence.NewEpsilon("eps", 1))
	near, _ := new(big.Rat).SetString("2.718281828459045235360287471352662497757247093699959574966967627724076630353547594571382178525166427427466391932003059921817413596629")
	if c, ok := (Claim{Epsilon: e}).compare(near); c != 0 || ok {
		t.Errorf("e to 130 digits against ε = 1: %d, %t", c, ok)
	}
	for _, extra := range []int{0, 1} {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if n, err := half(ctx, int64(64+extra), rand.NewPCG(1, 1)); n != 0 || err == nil {
			t.Errorf("half after cancellation: %d, %v", n, err)
		}
		if n, err := (Plan{P: .75, Q: .25, Claim: Claim{Epsilon: e}, Power: .9}).Draws(ctx); n != 0 || err == nil {
			t.Errorf("Draws after cancellation: %d, %v", n, err)
		}
	}
}

// largestDelta compares in rational arithmetic only those pairs that may have the largest δ in some direction.
func TestLargestDeltaFiltersPairs(t *testing.T) {
	table := new(Table)
	for i, x := range []string{"v", "w", "x", "y", "z"} {
		ones := big.NewRat(1<<30+int64(i*i)<<8, 1<<31)
		for output, p := range map[string]*big.Rat{"0": new(big.Rat).Sub(one, ones), "1": ones} {
			if err := table.Add(x, output, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	pairs, u, err := table.ready(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int64]int{1: 2, 2: 0, 3: 0} { // at ε = 0, both directions of v, z; none above the largest ratio
		eps := evidence.Epsilon{}
		if at > 1 {
			eps = must.Be(evidence.LogEpsilon("eps", big.NewRat(at, 1)))
		}
		near, err := table.largestDelta(t.Context(), pairs, eps, u)
		if err != nil || len(near) != want {
			t.Errorf("at e^ε = %d: candidates %v, %v", at, near, err)
		}
		for _, pair := range near {
			if pair != [2]int{0, 4} && pair != [2]int{4, 0} {
				t.Errorf("at e^ε = %d: unexpected candidate %v", at, pair)
			}
		}
	}
}

// Splitting again moves draws between the parts without losing any.
func TestSplitsLoseNoDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 8))
	s := new(Samples)
	for _, x := range []string{"x", "y"} {
		for i := range 6 {
			if err := s.Add(x, fmt.Sprint(i), rng.Int64N(300)+1); err != nil {
				t.Fatal(err)
			}
		}
	}
	whole, d := s.layOut(), s.layOut()
	for again := range 3 {
		if err := d.split(t.Context(), s.Datasets(), rng); err != nil {
			t.Fatal(err)
		}
		for x, row := range d.tallies {
			for i, c := range row {
				if all := whole.tallies[x][i].confirm; c.order < 0 || c.score < 0 || c.confirm < 0 || c.order+c.score+c.confirm != all {
					t.Errorf("split %d: %+v of %d draws", again, c, all)
				}
			}
		}
	}
}

// mayExceed keeps an event whose probability exceeds δ by less than float64 resolves, or rounds to δ.
func TestMayExceedNearDelta(t *testing.T) {
	for _, delta := range []float64{.125, .3, 1e-3} {
		for _, n := range []int64{1, 3, 12} {
			cells := make([]cell, n)
			for i := range cells {
				p := new(big.Rat).SetFloat64(delta)
				p.Quo(p, big.NewRat(n, 1)).Add(p, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 80)))
				q := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 99))
				cells[i] = cell{output: i, p: p, q: q}
				cells[i].f, _ = p.Float64()
				cells[i].g, _ = q.Float64()
			}
			if !mayExceed(cells, 2, delta) {
				t.Errorf("%d outputs slightly above δ = %v are dropped", n, delta)
			}
		}
	}
}

// With separate draws for choosing and testing, two equal laws on 2000 outputs are almost never refuted at ε = 0.1.
// Choosing and testing on the same draws nearly always refutes. Of 100 audits at level 0.01, more than 9 refutations
// have probability 1e-7.
func TestMutantWithoutSplit(t *testing.T) {
	const runs, alpha = 100, 0.01
	eps := must.Be(evidence.NewEpsilon("eps", 0.1))
	split, same := 0, 0
	for i := range runs {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		var s Samples
		for _, dataset := range []string{"x", "y"} {
			for range 20000 {
				if err := s.Add(dataset, fmt.Sprint("o", r.IntN(2000)), 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := must.Be(s.Audit(context.Background(), nil, Claim{Epsilon: eps}, Sampling{Confidence: 1 - alpha}, rand.NewPCG(2, uint64(i))))
		if got.Verdict == evidence.Refuted {
			split++
		}

		claim := Claim{Epsilon: eps}
		a := &sampleAudit{claim: claim, bound: claim.Delta.Rat(), alpha: alpha, datasets: s.datasets.labels, d: s.layOut()}
		for x := range a.d.tallies {
			for k := range a.d.tallies[x] {
				c := &a.d.tallies[x][k]
				c.order, c.score = c.confirm, c.confirm
			}
		}
		picks := must.Be(a.chosen(context.Background(), [][2]int{{0, 1}}, Sampling{}))
		mutant := &Result{}
		if err := a.test(context.Background(), mutant, picks, 0); err != nil {
			t.Fatal(err)
		}
		if mutant.Verdict == evidence.Refuted {
			same++
		}
	}
	if split > 9 {
		t.Errorf("%d of %d audits refute equal laws", split, runs)
	}
	if same <= 9 {
		t.Errorf("without a split %d of %d audits refute equal laws: the test cannot tell", same, runs)
	}
	t.Logf("refuted: %d split, %d without", split, same)
}

// The chosen events depend only on the choosing half: changing the other draws changes no event and no edge.
func TestChoiceIgnoresTheTestingHalf(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 1))
	for i := range 40 {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		var s Samples
		for x, dataset := range []string{"x", "y"} {
			for range 300 {
				output := fmt.Sprint(float64(x)/2 + r.NormFloat64()) // nearly all distinct
				if i%2 == 1 {
					output = fmt.Sprint(x + int(3*r.NormFloat64()))
				}
				if r.IntN(5) == 0 {
					output = fmt.Sprint("word", r.IntN(40))
				}
				if err := s.Add(dataset, output, 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		d := s.layOut()
		if err := d.split(context.Background(), s.datasets.labels, rand.NewPCG(4, uint64(i))); err != nil {
			t.Fatal(err)
		}
		choose := func(d *drawn) string {
			claim := Claim{Epsilon: eps}
			a := &sampleAudit{claim: claim, bound: claim.Delta.Rat(), alpha: 0.01, datasets: s.datasets.labels, d: d}
			picks := must.Be(a.chosen(context.Background(), [][2]int{{0, 1}}, Sampling{}))
			text := fmt.Sprint(d.quantileEdges(7))
			for _, e := range picks {
				text += fmt.Sprint(" ", e.in.feature, e.x, e.y, e.bound)
				if e.bound != 0 {
					text += e.in.labels[e.cut]
				}
				for _, o := range e.outputs {
					text += " " + e.in.labels[o]
				}
			}
			return text
		}
		want := choose(d)
		hidden := &drawn{tallies: make([][]tally, len(d.tallies))}
		place := make(map[int]int)
		for o, label := range d.labels {
			for _, row := range d.tallies {
				for _, c := range row {
					if _, known := place[o]; c.output == o && c.chooses() && !known {
						place[o] = len(hidden.labels)
						hidden.labels = append(hidden.labels, label)
						if o < len(d.values) {
							hidden.values = append(hidden.values, d.values[o])
						}
					}
				}
			}
		}
		for x, row := range d.tallies {
			for _, c := range row {
				if c.chooses() {
					hidden.tallies[x] = append(hidden.tallies[x], tally{output: place[c.output], order: c.order, score: c.score})
				}
			}
		}
		if got := choose(hidden); got != want {
			t.Fatalf("run %d: chosen %s\nwithout the testing half %s", i, want, got)
		}
	}
}
