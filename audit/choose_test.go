package audit

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// A pair is left out only where no ratio above t shows at δ, and certainly where the
// excess is well below δ: in rationals.
func TestPairsThatMayExceed(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 3))
	kept, left := 0, 0
	for range 2000 {
		n := 1 + rng.IntN(5)
		cells := make([]cell, n)
		ratio, delta := math.Exp(3*rng.Float64()), math.Exp(-8*rng.Float64())
		if rng.IntN(4) == 0 {
			delta = 0
		}
		excess, above := new(big.Rat), false
		for i := range cells {
			p, q := big.NewRat(rng.Int64N(1<<20), 1<<22), big.NewRat(1+rng.Int64N(1<<20), 1<<22)
			c := cell{output: i, p: p, q: q}
			c.f, _ = p.Float64()
			c.g, _ = q.Float64()
			if p.Sign() == 0 {
				c.p = nil
			}
			cells[i] = c
			w := new(big.Rat).SetFloat64(ratio)
			if gap := new(big.Rat).Sub(p, w.Mul(w, q)); gap.Sign() > 0 {
				excess.Add(excess, gap)
				above = true
			}
		}
		may := mayExceed(cells, ratio, delta)
		if may {
			kept++
		} else {
			left++
		}
		over := excess.Cmp(new(big.Rat).SetFloat64(delta)) > 0
		if delta == 0 {
			over = above
		}
		if over && !may {
			t.Errorf("left out: e^ε = %v, δ = %v, excess %v", ratio, delta, excess)
		}
		if far, _ := excess.Float64(); !over && may && delta > 0 && far < delta-1e-12 {
			t.Errorf("kept: e^ε = %v, δ = %v, excess %v", ratio, delta, far)
		}
	}
	if kept < 100 || left < 100 {
		t.Errorf("%d pairs kept, %d left out", kept, left)
	}
}

// The growth of ε is e^ε, enclosed, and where that is beyond all ratios of numbers
// that are read, a number beyond them.
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

// Among events, that with the largest (low − δ)/high is chosen for ε, and that with the
// largest low − e^ε high for δ, low and high being Wilson's bounds on the two frequencies.
func TestChooserTakesTheBest(t *testing.T) {
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
			t.Errorf("event %d of score %v is chosen for ε, want %d of %v", got.cut, got.score, wantRatio, bestRatio)
		}
		if got := c.excess; got.cut != wantExcess || math.Abs(got.score-bestExcess) > 1e-9 {
			t.Errorf("event %d of score %v is chosen for δ, want %d of %v", got.cut, got.score, wantExcess, bestExcess)
		}
	}
}

// A list of outputs takes the place of a half line where it is better by a standard error: that of (P − δ)/Q is made of
// those of P and Q by the derivatives 1/Q and −(P − δ)/Q², that of P − e^ε Q by 1 and −e^ε.
func TestListsBeatHalfLinesByAnError(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	for range 200 {
		m, n := 50+rng.Int64N(1000), 50+rng.Int64N(1000)
		p, q := m/2+rng.Int64N(m/2), 1+rng.Int64N(n-1)
		delta, factor, z := rng.Float64()/4, math.Exp(rng.Float64()), 1+rng.Float64()
		low, _ := wilson(p, m, z)
		_, high := wilson(q, n, z)
		if low <= delta {
			continue
		}
		f, g := float64(p)/float64(m), float64(q)/float64(n)
		errorP, errorQ := math.Sqrt(f*(1-f)/float64(m)), math.Sqrt(g*(1-g)/float64(n))
		ratio, excess := (low-delta)/high, low-factor*high
		ratioError, excessError := math.Hypot(errorP/high, errorQ*ratio/high), math.Hypot(errorP, errorQ*factor)
		for _, bound := range []int{0, 1} {
			for _, ahead := range []float64{-1e-6, 1e-6, .999, 1.001} {
				c := &chooser{delta: delta, factor: factor, z: z, sizes: []tally{{score: m}, {score: n}}}
				c.epsilon = pick{bound: bound, score: ratio - ahead*ratioError}
				c.excess = pick{bound: bound, score: excess - ahead*excessError}
				c.offer(p, q, pick{x: 0, y: 1}, true, func(e *pick) { e.outputs = []int{7} })
				want := ahead > float64(bound)
				if got := c.epsilon.outputs != nil; got != want {
					t.Errorf("%d of %d and %d of %d at δ = %v, ahead of a half line by %v errors: taken for ε %t", p, m, q, n, delta, ahead, got)
				}
				if got := c.excess.outputs != nil; got != want {
					t.Errorf("%d of %d and %d of %d at e^ε = %v, ahead of a half line by %v errors: taken for δ %t", p, m, q, n, factor, ahead, got)
				}
			}
		}
	}
}

// Outputs tell nothing one by one where more than 20 are words and most of them were
// drawn once.
func TestWordsDrawnOnce(t *testing.T) {
	for _, c := range []struct {
		numbers, words, single int
		want                   bool
	}{{0, 20, 20, false}, {0, 21, 21, true}, {0, 21, 11, true}, {0, 21, 10, false}, {0, 40, 20, false}, {0, 40, 21, true}, {30, 20, 20, false}, {30, 0, 0, false}, {5, 22, 12, true}} {
		d := &drawn{values: make([]numeral, c.numbers), tallies: make([][]tally, 2)}
		for i := range c.numbers + c.words {
			n := int64(2)
			if i < c.numbers || i < c.numbers+c.single {
				n = 1
			}
			d.tallies[i%2] = append(d.tallies[i%2], tally{output: i, confirm: n})
		}
		if got := (&sampleAudit{d: d}).once(); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// Tables with the same names of datasets share the pairs, others do not.
func TestScopesOfTables(t *testing.T) {
	family := func(a, b string) privacy.Universe {
		var table Table
		for i, dataset := range []string{a, b} {
			ones := int64(1 + 2*i)
			for output, p := range map[string]*big.Rat{"0": big.NewRat(4-ones, 4), "1": big.NewRat(ones, 4)} {
				if err := table.Add(dataset, output, p); err != nil {
					t.Fatal(err)
				}
			}
		}
		f := must.Be(table.Pairs([]Pair{{a, b}}))
		return f.Universe
	}
	first := family("x", "y")
	for _, c := range []struct {
		other privacy.Universe
		ok    bool
	}{{family("x", "y"), true}, {family("x", "z"), false}, {family("u", "y"), false}} {
		if got := first.Same(c.other); got != c.ok {
			t.Errorf("the pairs are shared: %t, want %t", got, c.ok)
		}
	}
}

// What is refused, unknown or undecided has no value.
func TestNothingIsWorthNothing(t *testing.T) {
	var s names
	if i, ok := s.find("x"); i != 0 || ok {
		t.Errorf("a name that was not seen is number %d, %t", i, ok)
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
	for _, looks := range []int{0, 1} {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if n, err := half(ctx, int64(64+looks), rand.NewPCG(1, 1)); n != 0 || err == nil {
			t.Errorf("half of what is given up: %d, %v", n, err)
		}
		if n, err := (Plan{P: .75, Q: .25, Claim: Claim{Epsilon: e}, Power: .9}).Draws(ctx); n != 0 || err == nil {
			t.Errorf("a plan that is given up: %d, %v", n, err)
		}
	}
}

// A piece of input is quoted whole up to forty letters, and cut to forty beyond.
func TestClipsOfForty(t *testing.T) {
	for n := range 45 {
		text := strings.Repeat("é", n)
		want := "\"" + text + "\""
		if n > 40 {
			want = "\"" + strings.Repeat("é", 40) + "…\""
		}
		if got := clip(text); got != want {
			t.Errorf("%d letters are clipped to %s", n, got)
		}
	}
}

// Of many pairs those alone are compared in rationals whose δ, or that of the pair turned round, may be the largest.
func TestFewPairsMayHaveTheLargestDelta(t *testing.T) {
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
	for at, want := range map[int64]int{1: 2, 2: 0, 3: 0} { // δ of v, z at ε = 0 in both directions; none beyond the largest ratio
		eps := evidence.Epsilon{}
		if at > 1 {
			eps = must.Be(evidence.LogEpsilon("eps", big.NewRat(at, 1)))
		}
		near, err := table.largestDelta(t.Context(), pairs, eps, u)
		if err != nil || len(near) != want {
			t.Errorf("at e^ε = %d: %v may have the largest δ, %v", at, near, err)
		}
		for _, pair := range near {
			if pair != [2]int{0, 4} && pair != [2]int{4, 0} {
				t.Errorf("at e^ε = %d: %v may have the largest δ", at, pair)
			}
		}
	}
}

// Up to eight outputs of an event are written, and of more how many there are.
func TestEventsInWords(t *testing.T) {
	for n := range 12 {
		var e Event
		for i := range n {
			e.Outputs = append(e.Outputs, fmt.Sprint(i))
		}
		want := "{" + strings.Join(e.Outputs[:min(n, 8)], ", ") + "}"
		if n > 8 {
			want = fmt.Sprintf("{0, 1, 2, 3, 4, 5, 6, 7, … (%d outputs)}", n)
		}
		if got := e.String(); got != want {
			t.Errorf("%d outputs are %s, want %s", n, got, want)
		}
	}
}

// A split moves draws and loses none, of what was split before too.
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

// An excess above δ by less than float64s tell is not left out, nor is one that rounds to δ.
func TestExcessBesideDelta(t *testing.T) {
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
				t.Errorf("%d outputs with a little more than δ = %v are left out", n, delta)
			}
		}
	}
}

// An event that shows no more than δ is not chosen for ε.
func TestNoMoreThanDeltaIsNotChosen(t *testing.T) {
	for _, list := range []bool{false, true} {
		for _, bound := range []int{0, 1} {
			c := &chooser{factor: 2, z: 2, sizes: []tally{{score: 64}, {score: 64}}} // Wilson's bound of 0 of 64 is exactly 0 at z = 2
			c.epsilon, c.excess.score = pick{bound: bound, score: math.Inf(-1)}, math.Inf(-1)
			c.offer(0, 5, pick{x: 0, y: 1}, list, func(e *pick) { e.outputs = []int{7} })
			if c.epsilon.outputs != nil || c.excess.outputs == nil {
				t.Errorf("an event of nothing is taken for ε: %+v", c.epsilon)
			}
		}
	}
}

// Two equal laws on 2000 outputs are never refuted at ε = 0.1 by events chosen on
// other draws; choosing and testing on the same draws refutes nearly always. At
// 100 audits of level 0.01, more than 9 refutations have probability 1e-7.
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

// What is chosen depends on the choosing half alone: hiding what the other half
// drew, and which outputs occur there only, changes no event and no edge.
func TestChoiceIgnoresTheTestingHalf(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 1))
	for i := range 40 {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		var s Samples
		for x, dataset := range []string{"x", "y"} {
			for range 300 {
				output := fmt.Sprint(float64(x)/2 + r.NormFloat64()) // nearly all different
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
