package xor

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/xor"
)

// near reports an error unless two numbers agree to 1e-9 of the larger one.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(math.Abs(got), math.Abs(want), 1e-9)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// leaks is the largest posterior by Bayes' rule, and base the largest ratio of the two laws in either direction.
// response has the same base. The formulas are the printed one at each interpretation of ζ.
func TestLeakageByBayes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for range 200 {
		c := drawRelease(rng)
		prior, sums := big.NewRat(c.prior, 100), [2]int64{}
		for a := range 2 {
			for _, w := range c.weight[a] {
				sums[a] += w
			}
		}
		most, base := new(big.Rat), new(big.Rat)
		for o := range c.weight[0] {
			none, edge := big.NewRat(c.weight[0][o], sums[0]), big.NewRat(c.weight[1][o], sums[1])
			with := new(big.Rat).Mul(prior, edge)
			all := new(big.Rat).Add(with, new(big.Rat).Mul(new(big.Rat).Sub(check.One, prior), none))
			posterior := with.Quo(with, all)
			for _, p := range []*big.Rat{posterior, new(big.Rat).Sub(check.One, posterior)} {
				if p.Cmp(most) > 0 {
					most = p
				}
			}
			for _, r := range []*big.Rat{new(big.Rat).Quo(none, edge), new(big.Rat).Quo(edge, none)} {
				if r.Cmp(base) > 0 {
					base = r
				}
			}
		}
		if c.leaks().Cmp(most) != 0 || c.base().Cmp(base) != 0 || c.response().base().Cmp(base) != 0 {
			t.Fatalf("%+v: leakage %v and e^ε %v (randomized response: %v), want %v and %v", c, c.leaks(), c.base(), c.response().base(), most, base)
		}
		e, _ := base.Float64()
		zeta := float64(c.prior) / float64(100-c.prior)
		ones := new(big.Rat) // to see whether the largest posterior is that of an edge
		for o := range c.weight[0] {
			ones = larger(ones, new(big.Rat).Quo(c.prob(1, o), c.prob(0, o)))
		}
		attained := zeta
		if edge, _ := ones.Float64(); zeta*edge/(1+zeta*edge) < ratFloat(most)-1e-12 {
			attained = 1 / zeta
		}
		printed := func(z float64) float64 { return max(1/(z*e+1), z*e/(z*e+1)) }
		for name, pair := range map[string][2]float64{
			"ζ of an edge": {ratFloat(ofAnEdge(c, base)), printed(zeta)},
			"ζ of no edge": {ratFloat(ofNoEdge(c, base)), printed(1 / zeta)},
			"ζ attaining":  {ratFloat(attainingOdds(c, base)), printed(attained)},
			"the larger ζ": {ratFloat(largerOdds(c, base)), max(zeta, 1/zeta) * e / (max(zeta, 1/zeta)*e + 1)},
		} {
			near(t, name, pair[0], pair[1])
		}
	}
}

func ratFloat(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// The pairs, edges, degrees and series of a toldCase match its adjacency matrix.
func TestGraphCase(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	for range 100 {
		c := drawTold(rng)
		for _, with := range []bool{false, true} {
			a, k := make([][]bool, c.n), 0
			for u := range a {
				a[u] = make([]bool, c.n)
			}
			for u := range c.n {
				for v := u + 1; v < c.n; v++ {
					if pairNumber(c.n, u, v) != k {
						t.Fatalf("(%d, %d) of %d nodes is pair %d, want %d", u, v, c.n, pairNumber(c.n, u, v), k)
					}
					if k == c.pair && c.ends() != [2]int{u, v} {
						t.Fatalf("pair %d of %d nodes is %v, want (%d, %d)", k, c.n, c.ends(), u, v)
					}
					a[u][v] = c.code>>k&1 == 1 || with && k == c.pair
					a[v][u] = a[u][v]
					k++
				}
			}
			degrees := make([]int, c.n)
			for u := range a {
				for v := range a {
					if a[u][v] {
						degrees[u]++
					}
				}
			}
			series := map[[2]int]int{}
			for u := range a {
				for v := range a {
					if d, e := degrees[u], degrees[v]; a[u][v] && (d < e || d == e && u < v) {
						series[[2]int{d, e}]++
					}
				}
			}
			if got := c.degreesOf(with); !slices.Equal(got, degrees) {
				t.Fatalf("%+v: degrees %v, want %v", c, got, degrees)
			}
			if got := c.series(with); fmt.Sprint(got) != fmt.Sprint(series) {
				t.Fatalf("%+v: series %v, want %v", c, got, series)
			}
			// havel constructs a graph with given degrees if some graph has these.
			made := toldCase{c.n, havel(slices.Clone(degrees)), -1}
			if got := made.degreesOf(false); !slices.Equal(got, degrees) {
				t.Fatalf("degrees %v give a graph of degrees %v", degrees, got)
			}
		}
		if got := len(c.tuples()); got != c.n*(c.n-1)/2 {
			t.Errorf("%d tuples of degrees up to %d are wrong", got, c.n-1)
		}
	}
}

// scaleCase.loss is the sum over the tuples of the largest log ratio of two-sided geometric noise, clamped to 0 and the
// number of pairs. The tuples are independent, so their losses add.
func TestMeasuredLoss(t *testing.T) {
	for c := range measuredScale.Each {
		if c.occur {
			continue
		}
		most := c.n * (c.n - 1) / 2
		law := func(value, largest int) []float64 {
			z, out := math.Exp(-float64(c.eps)/2/float64(4*largest+1)), make([]float64, most+1)
			for noise := -4000; noise <= 4000; noise++ {
				out[min(max(value+noise, 0), most)] += (1 - z) / (1 + z) * math.Pow(z, math.Abs(float64(noise)))
			}
			return out
		}
		up, down := 0.0, 0.0
		for j := 1; j < c.n; j++ {
			for i := 1; i <= j; i++ {
				p := law(c.series(false)[[2]int{i, j}], slices.Max(c.degreesOf(false)))
				q := law(c.series(true)[[2]int{i, j}], slices.Max(c.degreesOf(true)))
				forth, back := math.Inf(-1), math.Inf(-1)
				for k := range p {
					forth, back = max(forth, math.Log(p[k]/q[k])), max(back, math.Log(q[k]/p[k]))
				}
				up, down = up+forth, down+back
			}
		}
		near(t, fmt.Sprintf("%+v", c), c.loss().Mid(), max(up, down))
	}
}

// recordCase.loss is the difference of the log densities of the minimizer of a perturbed objective. The test computes
// the noise from the sum of the records' gradients, and the slope of the noise as a difference quotient.
func TestPerturbedLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for range 50 {
		c := perturbed(atZero).Draw(rng)
		counts := func(with bool) (positive, negative int) {
			of := []int{c.positive, c.negative, c.n - c.positive - c.negative}
			if with {
				of[c.from], of[c.to] = of[c.from]-1, of[c.to]+1
			}
			return of[0], of[1]
		}
		noise := func(with bool, eta float64) float64 {
			a, b := counts(with)
			return float64(a)*(1-sigma(eta)) - float64(b)*sigma(eta) - float64(c.n)*float64(c.ridge)/1000*eta
		}
		density := func(with bool) float64 {
			eta, eps, h := float64(c.eta)/10, float64(c.eps)/10, 1e-4
			slope := math.Abs(noise(with, eta+h)-noise(with, eta-h)) / (2 * h)
			return math.Log(slope) - eps/2*math.Abs(noise(with, eta))
		}
		if got, want := c.loss().Mid(), density(false)-density(true); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("%+v: loss %v, want %v", c, got, want)
		}
	}
}

// memberCase.loss is a difference of log densities of the noise for which f is optimal, with d and with d + 1
// neighbors. A log density includes the logarithm of the slope of the noise in f. The test computes slopes as
// difference quotients. A bound holds if it is at least the loss.
func TestMemberLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 5))
	statement := member(memberCase.kept)
	for range 50 {
		c := statement.Draw(rng)
		f, eps, d := float64(c.affiliation)/100, float64(c.eps)/10, float64(c.d)
		pull := func(f, neighbors float64) float64 { return neighbors / math.Expm1(f) }
		slope := func(neighbors float64) float64 {
			h := f * 1e-4
			return (pull(f-h, neighbors) - pull(f+h, neighbors)) / (2 * h)
		}
		q := 1 / math.Expm1(f)
		want := math.Abs(math.Log(slope(d)/slope(d+1)) + eps/2*(pull(f, d+1)-math.Abs(1-d*q)))
		if got := c.loss().Mid(); math.Abs(got-want) > 1e-6*(1+want) {
			t.Errorf("%+v: loss %v, want %v", c, got, want)
		}
		for below, holds := range map[float64]bool{0: true, 0x1p-40: false, -0x1p-40: true} {
			of := member(func(c memberCase) interval.Interval { return c.loss().Sub(interval.Float(below)) })
			if got, err := checktest.Holds(of, c); got != holds || err != nil {
				t.Errorf("%+v: the loss less %v is a bound: %v, %v", c, below, got, err)
			}
		}
	}
}

// Two nodes without an edge, by hand: the series has one tuple (1, 1), which changes by 1. With its own scale of 1 this
// uses the whole ε. Both degrees change by 1, and two bins of the histogram by 2 each. The statements hold with
// equality and fail for smaller bounds.
func TestTwoNodesByHand(t *testing.T) {
	c := toldCase{2, 0, 0}
	for name, s := range map[string]struct {
		most, less check.Statement[toldCase]
	}{
		"series": {seriesMoves(0), check.Statement[toldCase]{}}, "own scale": {ownScale(0), check.Statement[toldCase]{}},
		"degrees": {degreesMove(2), degreesMove(1)}, "histogram": {histogramMoves(4), histogramMoves(3)},
	} {
		if holds, err := checktest.Holds(s.most, c); !holds || err != nil {
			t.Errorf("%s of two nodes: %v, %v", name, holds, err)
		}
		if s.less.Holds != nil {
			if holds, err := checktest.Holds(s.less, c); holds || err != nil {
				t.Errorf("%s of two nodes moves less: %v, %v", name, holds, err)
			}
		}
	}
	g := groupCase{c, []int{0, 1}}
	if g.movedIn(1) != 1 || g.movedIn(2) != 2 {
		t.Errorf("counts move by %d and %d, want 1 and 2", g.movedIn(1), g.movedIn(2))
	}
}

// The numbers behind Table 2 match rationals and definitions. The mean at either end of a flip rate is in its
// enclosure, which is no wider than 64 ulps. The mean at the needed flip rate is the published number. The smallest
// flip rate is attained at a share of the grid, and no other share has a smaller one.
func TestPublishedGraphs(t *testing.T) {
	for c := range publishedEdges.Each {
		exact := func(p float64) *big.Rat {
			flip := new(big.Rat).SetFloat64(p)
			stay := new(big.Rat).Sub(check.One, flip)
			edges, others := check.Ratio(c.edges, 1), check.Ratio(c.nodes*(c.nodes-1)/2-c.edges, 1)
			edges.Mul(edges, stay.Mul(stay, stay))
			return edges.Add(edges, others.Mul(others, flip.Mul(flip, flip)))
		}
		best := 1 / (1 + math.Exp(float64(c.eps)/20))
		if b := c.bestFlips(); !(b.Lo <= b.Hi && math.Abs(b.Lo-best) <= 1e-15 && math.Abs(b.Hi-best) <= 1e-15) || c.bestRate() != best {
			t.Errorf("ε = %d/10: best flip rates in [%v, %v] and %v, want %v", c.eps, b.Lo, b.Hi, c.bestRate(), best)
		}
		for _, p := range []evidence.Certified{c.bestFlips(), c.leastFlips(false), c.leastFlips(true), {Lo: 0.25, Hi: 0.375}} {
			m := c.meanWithin(p)
			if new(big.Rat).SetFloat64(m.Lo).Cmp(exact(p.Lo)) > 0 || new(big.Rat).SetFloat64(m.Hi).Cmp(exact(p.Hi)) < 0 ||
				m.Lo < ratFloat(exact(p.Lo))*(1-64*check.Epsilon64) || m.Hi > ratFloat(exact(p.Hi))*(1+64*check.Epsilon64) {
				t.Errorf("%+v: means in [%v, %v] at flip rates in [%v, %v]", c, m.Lo, m.Hi, p.Lo, p.Hi)
			}
		}
		published := check.Ratio(c.published, 1)
		if n := c.neededFlips(); exact(n.Lo).Cmp(published) > 0 || exact(n.Hi).Cmp(published) < 0 || !(n.Hi-n.Lo < 1e-12) {
			t.Errorf("%+v: needed flip rates in [%v, %v]", c, n.Lo, n.Hi)
		}
		for _, complement := range []bool{false, true} {
			least := c.leastFlips(complement)
			attained := false
			for _, alpha := range []int{0, 3, 5, 7, 10} {
				p := flipRate((budgetCase{c.nodes, c.nodes, 2, c.eps, alpha}).law().Columns(), complement)
				attained = attained || p.Lo == least.Lo && p.Hi == least.Hi
				if p.Lo < least.Lo {
					t.Errorf("%+v: the smallest flip rate is %v, but at α = %d/10 it is %v", c, least.Lo, alpha, p.Lo)
				}
			}
			if !attained || c.leastRate(complement) != least.Lo {
				t.Errorf("%+v: no share has the flip rate [%v, %v]", c, least.Lo, least.Hi)
			}
		}
		// The evidence of a refutation: a needed rate p has ε = 2 ln((1 − p)/p), for every p in its enclosure.
		items, n := publishedEdges.Measure(c), c.neededFlips()
		if e := items[3].Number.(evidence.Certified); !(e.Lo < 2*math.Log((1-n.Hi)/n.Hi) && 2*math.Log((1-n.Lo)/n.Lo) < e.Hi && e.Hi-e.Lo < 1e-9) || e.Side != evidence.Up {
			t.Errorf("%+v: ε in [%v, %v] at flip rates in [%v, %v]", c, e.Lo, e.Hi, n.Lo, n.Hi)
		}
	}
}

// noiseCase.loss is the maximum over all pairs of states that differ in at most s bits.
func TestLossMatchesEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for range 60 {
		c := drawNoise(rng, -20)
		e, worst := c.exponents(), 0
		for x := range e {
			for y := range e {
				if bits.OnesCount(uint(x^y)) <= c.s {
					worst = max(worst, e[x]-e[y])
				}
			}
		}
		if c.loss() != worst {
			t.Errorf("%+v: loss %d, want %d", c, c.loss(), worst)
		}
	}
}

// The mean of runs is the middle of Student's interval. scores returns means for which smaller is better.
func TestScores(t *testing.T) {
	s := sample{3, 2, 16}
	if n := s.number("x"); math.Abs(s.width()-student19/2) > 1e-15 || n.Lo != 3-s.width() || n.Hi != 3+s.width() || n.Value != 3 || n.Draws != 16 || n.Confidence != certainty {
		t.Errorf("3 ± %v, %v", s.width(), n)
	}
	a := run{"Facebook", "stated", "XOR", 10, "kl"}
	b := a
	b.mechanism = "LDPGen"
	x, y := a.of().mean, b.of().mean
	for _, c := range []struct {
		rankCase
		better, worse float64
	}{
		{rankCase{better: a, worse: b}, x, y}, {rankCase{better: a, worse: b, larger: true}, -x, -y},
		{rankCase{better: b, worse: a, target: (x + y) / 2}, math.Abs(y - (x+y)/2), math.Abs(x - (x+y)/2)},
	} {
		if better, worse := c.scores(); better.mean != c.better || worse.mean != c.worse {
			t.Errorf("%+v: %v and %v, want %v and %v", c.rankCase, better.mean, worse.mean, c.better, c.worse)
		}
	}
}

// Bit k of a graph's code is its k-th pair, column by column, and sets both of its entries. Bit k of a matrix's code
// is entry k, row by row.
func TestCodes(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for state := range 1 << (n * (n - 1) / 2) {
			g, k := (bitsCase{n, 0}).graph(state), 0
			for j := range n {
				for i := range j {
					if edge := state>>k&1 == 1; g.At(i, j) != edge || g.At(j, i) != edge || g.At(i, i) || g.At(j, j) {
						t.Fatalf("graph %b on %d nodes: %v", state, n, g.Floats())
					}
					k++
				}
			}
		}
		for k := range n * n {
			if m := (bitsCase{n, 1 << k}).bits(); m.Ones() != 1 || !m.At(k/n, k%n) {
				t.Fatalf("matrix of bit %d of order %d: %v", k, n, m.Floats())
			}
		}
	}
}

// The evidence at an instance encloses its number: condition (4) and the smallest ε of the noise, and the loss of a
// released graph.
func TestMeasuredEvidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 5))
	var r check.RatioRange
	for range 20 {
		c := drawNoise(rng, -20)
		items := spends(&r, condition4, noiseOfAnySign).Measure(c)
		lo, hi := items[1].Number.Bounds()
		if want := float64(c.loss()) / 10; !(lo <= want && want <= hi && hi-lo <= 1e-14*(1+want)) {
			t.Errorf("%+v: smallest ε in [%v, %v], want %v", c, lo, hi, want)
		}
		near(t, "condition (4)", items[0].Number.Float(), c.law().ClaimedEpsilon(c.s).Value)
	}
	for _, c := range []graphCase{{2, 50, 3}, {3, 20, 5}} {
		items := graphRelease(promised).Measure(c)
		lo, hi := items[1].Number.Bounds()
		if got := c.released(); items[0].Number.Float() != float64(c.eps)/10 || !(lo < got && got < hi && hi-lo < 1e-9) {
			t.Errorf("%+v: %v", c, items)
		}
	}
}

// A rate that may be at least the rate of independent bits passes. A rate that is certainly smaller fails.
func TestUndecidedRatesPass(t *testing.T) {
	for _, c := range []struct {
		low, high float64 // ends of the rate, which is compared with [2, 4] for independent bits
		want      bool
	}{{1, 3, true}, {1, 1.5, false}, {3, 5, true}, {1, 2, true}} {
		holds, err := checktest.Holds(sharing(func(_ budgetCase, alpha int) evidence.Certified {
			if alpha == 10 {
				return evidence.Certified{Lo: 2, Hi: 4}
			}
			return evidence.Certified{Lo: c.low, Hi: c.high}
		}), budgetCase{2, 1, 1, 10, 5})
		if holds != c.want || err != nil {
			t.Errorf("a rate in [%v, %v]: %v, %v", c.low, c.high, holds, err)
		}
	}
}

// absoluteSum is the absolute value of a sum, and sumOfAbsolutes the sum of absolute values. positiveDiagonal needs
// both diagonal entries positive and all others 0.
func TestNormsBySigns(t *testing.T) {
	for _, c := range []struct {
		x             []int
		whole, single int
	}{{[]int{1, -2, 3}, 2, 6}, {[]int{-1, -2, -3}, 6, 6}, {[]int{1, 2}, 3, 3}, {[]int{-4, 1, 2}, 1, 7}} {
		if absoluteSum(c.x) != c.whole || sumOfAbsolutes(c.x) != c.single {
			t.Errorf("%v: %d and %d, want %d and %d", c.x, absoluteSum(c.x), sumOfAbsolutes(c.x), c.whole, c.single)
		}
	}
	for _, theta := range []float64{-1, 0, 1} {
		for _, lambda := range []float64{-1, 0, 1} {
			for _, off := range []float64{-1, 0, 1} {
				both := theta == 1 && lambda == 1
				if positiveDiagonal(theta, lambda, off, 2) != (both && off == 0) || !positiveDiagonal(1, 1, off, 1) || positiveEntries(theta, lambda, off, 2) != (both && off == 1) {
					t.Errorf("θ = %v, λ = %v, %v off the diagonal", theta, lambda, off)
				}
			}
		}
	}
	if !uniform([]int{2, 2, 2}) || uniform([]int{2, 1, 2}) || uniform([]int{1, 2, 2}) {
		t.Error("uniform is wrong")
	}
}

// least is attained by a share and is at most the flip rate of every share. With four columns, independent bits at ε
// flip fewer bits than (4) allows. A published rate between the two passes.
func TestLeastRates(t *testing.T) {
	for _, c := range []budgetCase{{3, 4, 2, 10, 5}, {2, 3, 1, 5, 5}, {5, 1, 1, 1, 5}, {1, 1, 1, 20, 5}} {
		r := rateCase{c, 0}
		met := false
		for _, alpha := range shareGrid {
			for _, complement := range []bool{false, true} {
				rate := flipRate(c.at(alpha).law().Columns(), complement)
				met = met || rate.Lo == r.least()
				if r.least() > rate.Lo {
					t.Errorf("%+v: the smallest rate is %v, but share %d has a rate in [%v, %v]", c, r.least(), alpha, rate.Lo, rate.Hi)
				}
			}
		}
		if !met {
			t.Errorf("%+v: no law has the rate %v", c, r.least())
		}
	}
	c := rateCase{budgetCase{3, 4, 2, 10, 5}, 0}
	best := 1 / (1 + math.E)
	for at, want := range map[float64]bool{(best + c.least()) / 2: true, best - 0.001: false, c.least() + 0.001: true} {
		c.published = at - .01
		if holds, err := checktest.Holds(publishedRate, c); holds != want || err != nil {
			t.Errorf("published rate %v, between %v and %v: %v, %v", at, best, c.least(), holds, err)
		}
	}
	if best >= c.least() {
		t.Errorf("the best rate %v is not below %v", best, c.least())
	}
	for _, g := range []network{{"G", 2, 0}, {"G", 3, 1}, {"G", 4, 1}, {"G", 1, 0}} {
		for eps := 1; eps < 60; eps += 7 {
			for _, complement := range []bool{false, true} {
				least := networkCase{g, eps, 0}.leastFlips(complement)
				for _, alpha := range shareGrid {
					if p := flipRate(budgetCase{g.nodes, g.nodes, 2, eps, alpha}.law().Columns(), complement); p.Lo < least.Lo {
						t.Errorf("%d nodes at ε = %d/10: the smallest rate is %v, but share %d has %v",
							g.nodes, eps, least.Lo, alpha, p.Lo)
					}
				}
			}
		}
	}
}

// At α = 1 the bits are independent, and exactlySpent is 1/(1 + e^{ε/s_f}) or slightly more.
func TestExactlySpent(t *testing.T) {
	for _, c := range []budgetCase{{2, 1, 1, 50, 5}, {3, 2, 2, 50, 5}, {2, 2, 1, 100, 5}, {4, 3, 3, 10, 5}, {2, 1, 1, 200, 5}} {
		least, most := responseInterval(int64(c.s), c.eps).Bounds()
		if rate := c.exactlySpent(10); rate.Hi < least || rate.Lo > most*(1+1e-12) {
			t.Errorf("%+v: [%v, %v], want at least [%v, %v]", c, rate.Lo, rate.Hi, least, most)
		}
	}
}

// A bound passes if it is at least the lower end of the mean, up to the rounding of the bound.
func TestBoundAboveLowerEndPasses(t *testing.T) {
	c := noiseCase{n: 2, p: 1, s: 1, theta: [][]int{{1}}, lambda: [][][]int{{{1}}}}
	mean := check.Must(c.law().MeanOnes(t.Context(), xor.Plain))
	if !(mean.Lo < mean.Hi) {
		t.Fatalf("the mean [%v, %v] is a point", mean.Lo, mean.Hi)
	}
	open, v := 0, mean.Lo/(1+boundRounding)
	for range 8 {
		v = math.Nextafter(v, 0)
	}
	for range 20 {
		allowed := v * (1 + boundRounding)
		if mean.Lo <= allowed && allowed < mean.Hi {
			open++
		}
		s := boundsMean(new(check.RatioRange), func(*xor.Bernoulli) (evidence.Claimed, bool) { return evidence.Claimed{Value: v}, true })
		if holds, err := checktest.Holds(s, c); holds != (mean.Lo <= allowed) || err != nil {
			t.Errorf("mean in [%v, %v] is at most %v: %v, %v", mean.Lo, mean.Hi, allowed, holds, err)
		}
		v = math.Nextafter(v, 9)
	}
	if open == 0 {
		t.Error("no bound lies between the ends")
	}
}

// If each state is as likely as its complement, half of the bits are ones on average at every budget, so a larger
// budget does not lower the mean. Two bits with θ = −λ have such a law.
func TestBudgetHelpsNotForSymmetricLaws(t *testing.T) {
	for theta := -60; theta <= 60; theta++ {
		c := noiseCase{n: 2, p: 1, s: 1, theta: [][]int{{theta}}, lambda: [][][]int{{{-theta}}}}
		for _, complement := range []bool{false, true} {
			if holds, err := checktest.Holds(budgetHelps(complement, anyParameters), c); holds || err != nil {
				t.Errorf("θ = −λ = %d/10: %v, %v", theta, holds, err)
			}
		}
	}
}
