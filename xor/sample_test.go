package xor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/interval"
	"dpworkbench/xor"
)

// alpha is the false-positive rate of every statistical test here.
const alpha = 1e-9

func ExampleRelease() {
	query, _ := xor.ParseBits([][]float64{{1, 0, 1}, {0, 0, 1}})
	b, _ := xor.Allocate(xor.Budget{N: 2, P: 3, Epsilon: nats(40), Alpha: 1, Sensitivity: 1})
	// The complement of B is mostly zeros: at ε = 40 nothing is flipped. A real
	// release passes xor.NewCryptoSource().
	out, report, err := xor.Release(context.Background(), query, b, xor.ReleaseOptions{Complement: true}, rand.NewPCG(1, 2))
	fmt.Println(out.Floats(), report.Method, report.Exact, err)
	// Output: [[1 0 1] [0 0 1]] closed true <nil>
}

// states counts draws by state.
func states(draws []*xor.Bits) []int {
	n, p := draws[0].Shape()
	counts := make([]int, 1<<(n*p))
	for _, m := range draws {
		counts[stateOf(m.Flat())]++
	}
	return counts
}

// stateOf numbers a state as ehmc.Probabilities does.
func stateOf(b []bool) (s uint32) {
	for k, on := range b {
		if on {
			s |= 1 << k
		}
	}
	return s
}

// law lists the probabilities of all states from exact exponents.
func law(b *xor.Bernoulli) []float64 {
	var p []float64
	var sum float64
	for _, e := range exponents(b) {
		p = append(p, math.Exp(e))
		sum += p[len(p)-1]
	}
	for s := range p {
		p[s] /= sum
	}
	return p
}

// Every method against the law of all states; the chi-square must reject the
// law of a coupling that is counted once instead of twice.
func TestSampleLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	uniform, err := xor.NewUniform(4, 2, .4, -.3)
	if err != nil {
		t.Fatal(err)
	}
	attractive, err := xor.NewBernoulli([][]float64{{-1, .5}, {.5, -2}}, map[xor.Pair][][]float64{{I: 0, J: 1}: {{.3, .2}, {.2, 0}}, {I: 1, J: 2}: {{.3, .2}, {.2, 0}}}, 3)
	if err != nil {
		t.Fatal(err)
	}
	mixed := randomLaw(t, 2, 3, .6, rng)
	objects, err := xor.NewBernoulli([][]float64{{1, .4, 0}, {.4, -.5, 0}, {0, 0, .3}}, nil, 2) // pairs and single bits, twice
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		b      *xor.Bernoulli
		method xor.Method
		want   xor.Method
		draws  int
	}{
		{uniform, xor.Auto, xor.Closed, 40000},
		{uniform, xor.Enumerated, xor.Enumerated, 40000},
		{attractive, xor.Auto, xor.Enumerated, 40000},
		{attractive, xor.Perfect, xor.Perfect, 20000},
		{mixed, xor.Auto, xor.Enumerated, 40000},
		{objects, xor.Auto, xor.Enumerated, 40000},
		{mixed, xor.EHMC, xor.EHMC, 20000},
		{mixed, xor.Gibbs, xor.Gibbs, 20000},
	} {
		draws, report, err := c.b.Noise(ctx, c.draws, c.method, rand.NewPCG(2, 3))
		if err != nil {
			t.Fatal(err)
		}
		if report.Method != c.want || report.Exact != (c.want != xor.EHMC && c.want != xor.Gibbs) {
			t.Errorf("%s took %s, exact %t", c.method, report.Method, report.Exact)
		}
		if _, _, tail := stattest.ChiSquare(states(draws), law(c.b)); tail < alpha {
			t.Errorf("%s: chi-square tail %g", c.method, tail)
		}
	}
	half, err := xor.NewUniform(4, 2, .4, -.15)
	if err != nil {
		t.Fatal(err)
	}
	draws, _, err := half.Noise(ctx, 40000, xor.Auto, rand.NewPCG(2, 3))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, tail := stattest.ChiSquare(states(draws), law(uniform)); tail > alpha {
		t.Errorf("half the coupling passes with tail %g", tail)
	}
}

// Where parts are too large, perfect sampling is preferred, and frustration
// leaves only the chain, which says so.
func TestSampleAuto(t *testing.T) {
	const p = 24
	path, frustrated := make([][]float64, p), make([][]float64, p)
	for i := range p {
		path[i], frustrated[i] = make([]float64, p), make([]float64, p)
		for j := range p {
			frustrated[i][j] = -.05
			if j == i+1 || i == j+1 {
				path[i][j] = .2
			}
		}
	}
	for _, c := range []struct {
		theta [][]float64
		want  xor.Method
	}{{path, xor.Perfect}, {frustrated, xor.EHMC}} {
		b, err := xor.NewBernoulli(c.theta, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		draws, report, err := b.Noise(ctx, 3, xor.Auto, rand.NewPCG(1, 1))
		if err != nil || len(draws) != 3 || report.Method != c.want {
			t.Errorf("took %s, %v, want %s", report.Method, err, c.want)
		}
		if c.want == xor.EHMC && !strings.Contains(report.Note, "frustrated") {
			t.Errorf("note %q does not say why", report.Note)
		}
	}
}

func TestSampleRefuses(t *testing.T) {
	b := randomLaw(t, 3, 8, 1, rand.New(rand.NewPCG(1, 1)))
	for _, c := range []struct {
		k      int
		method xor.Method
	}{{0, xor.Auto}, {1, "magic"}, {1, xor.Closed}, {1, xor.Enumerated}, {1, xor.Perfect}} {
		if _, _, err := b.Noise(ctx, c.k, c.method, rand.NewPCG(1, 1)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%d draws by %q give %v", c.k, c.method, err)
		}
	}
}

// Words of 64 columns and the ends of rows: totals of large draws.
func TestColumnSampleLarge(t *testing.T) {
	c, err := xor.NewColumns(200, 130, -1, .004)
	if err != nil {
		t.Fatal(err)
	}
	want := must.Be(c.ColumnOnes(ctx))
	counts := make([]int, 201)
	src := rand.NewPCG(4, 4)
	const draws = 300
	rows := make([]int, 200)
	for range draws {
		m := must.Be(c.Noise(ctx, src))
		for j := range 130 {
			counts[m.ColumnOnes(j)]++
		}
		for i := range rows {
			for j := range 130 {
				if m.At(i, j) {
					rows[i]++
				}
			}
		}
	}
	if _, _, tail := stattest.ChiSquare(counts, want); tail < alpha {
		t.Errorf("number of ones: chi-square tail %g", tail)
	}
	// Every row is as likely: rows of one draw are dependent, draws are not.
	rate := must.Be(c.FlipRate(ctx, xor.Plain)).Float()
	for i, ones := range rows {
		if gap := math.Abs(float64(ones)/(draws*130) - rate); gap > stattest.Radius(draws*130, alpha/200) {
			t.Errorf("row %d has rate %g off by %g", i, rate, gap)
		}
	}
}

func TestLogitThreshold(t *testing.T) {
	src := rand.NewPCG(5, 5)
	for _, x := range []float64{0, 1, -1, 3, -6, 40, -40, 1e9, -1e9} {
		const n = 40000
		hits := 0
		threshold := ehmc.LogitThreshold(interval.Float(x))
		for range n {
			if threshold.Sample(src) {
				hits++
			}
		}
		want := 1 / (1 + math.Exp(-x))
		if gap := math.Abs(float64(hits)/n - want); gap > stattest.Radius(n, alpha) {
			t.Errorf("logit %g: %d of %d, want %g of them", x, hits, n, want)
		}
	}
}

func TestCryptoSource(t *testing.T) {
	src := xor.NewCryptoSource()
	const n = 1 << 16
	ones, seen := 0, map[uint64]bool{}
	for range n {
		v := src.Uint64()
		seen[v] = true
		for ; v != 0; v &= v - 1 {
			ones++
		}
	}
	if gap := math.Abs(float64(ones)/(64*n) - .5); gap > stattest.Radius(64*n, alpha) || len(seen) != n {
		t.Errorf("fraction of ones is off by %g, %d of %d words differ", gap, len(seen), n)
	}
}

func TestReleaseComplement(t *testing.T) {
	query, err := xor.ParseBits([][]float64{{1, 0}, {0, 1}, {1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := xor.NewUniform(3, 2, .7, .1)
	plain, _, err := xor.Release(ctx, query, b, xor.ReleaseOptions{}, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	turned, _, err := xor.Release(ctx, query, b, xor.ReleaseOptions{Complement: true}, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	if must.Be(plain.Xor(turned)).Ones() != 6 {
		t.Error("the complement's release is not the complement of the release")
	}
}

func TestReleaseGraph(t *testing.T) {
	path := [][]float64{{0, 1, 0}, {1, 0, 1}, {0, 1, 0}}
	m, err := xor.ParseBits(path)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := xor.NewUniform(3, 3, .2, .1)
	law := must.Be(b.Columns().FlipRate(ctx, xor.Plain)).Float()
	const runs = 20000
	edge, none := 0, 0
	src := rand.NewPCG(6, 6)
	for range runs {
		out, _, err := xor.ReleaseGraph(ctx, m, b, xor.ReleaseOptions{}, src)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			for j := range 3 {
				if out.At(i, j) != out.At(j, i) || i == j && out.At(i, i) {
					t.Fatal("the release is not an adjacency matrix")
				}
			}
		}
		if out.At(0, 1) {
			edge++
		}
		if out.At(0, 2) {
			none++
		}
	}
	// Bits (i, j) and (j, i) lie in different columns: they are independent.
	for _, c := range []struct {
		got  int
		want float64
	}{{edge, (1 - law) * (1 - law)}, {none, law * law}} {
		if gap := math.Abs(float64(c.got)/runs - c.want); gap > stattest.Radius(runs, alpha) {
			t.Errorf("%d of %d, want %g of them", c.got, runs, c.want)
		}
	}
	for _, bad := range [][][]float64{{{0, 1, 0}, {0, 0, 0}, {0, 0, 0}}, {{1, 0, 0}, {0, 0, 0}, {0, 0, 0}}} {
		m, _ := xor.ParseBits(bad)
		if _, _, err := xor.ReleaseGraph(ctx, m, b, xor.ReleaseOptions{}, src); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v gives %v", bad, err)
		}
	}
	if _, _, err := xor.ReleaseGraph(ctx, must.Be(xor.NewBits(3, 2)), b, xor.ReleaseOptions{}, src); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a matrix that is not square gives %v", err)
	}
}

// Draws by enumeration are at no distance from their law, ones alone are.
func TestDistance(t *testing.T) {
	b, err := xor.NewUniform(2, 2, .4, -.3)
	if err != nil {
		t.Fatal(err)
	}
	draws, _, err := b.Noise(ctx, 2000, xor.Enumerated, rand.NewPCG(4, 1))
	if err != nil {
		t.Fatal(err)
	}
	if d, err := b.Distance(draws, alpha); err != nil || d.Sampler.Lo > 0 {
		t.Errorf("draws of the law are at %v, %v", d.Sampler, err)
	}
	ones := slices.Repeat([]*xor.Bits{must.Be(xor.ParseBits([][]float64{{1, 1}, {1, 1}}))}, 2000)
	if d, err := b.Distance(ones, alpha); err != nil || !(d.Sampler.Lo > .5) {
		t.Errorf("ones alone are at %v, %v", d.Sampler, err)
	}
	wide, err := xor.NewUniform(17, 1, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wide.Distance(nil, alpha); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "2^17") {
		t.Errorf("17 bits give %v", err)
	}
	if _, err := b.Distance([]*xor.Bits{must.Be(xor.NewBits(2, 3))}, alpha); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "samples[0] is 2 × 3, want 2 × 2") {
		t.Errorf("a draw of another shape gives %v", err)
	}
}

// An adjacency matrix is symmetric, and its rows are those that Row returns.
func TestAdjacency(t *testing.T) {
	m, err := xor.Adjacency(3, [][2]int{{0, 1}, {2, 1}})
	if err != nil || fmt.Sprint(m.Floats()) != "[[0 1 0] [1 0 1] [0 1 0]]" || fmt.Sprint(m.Rows()) != "[[2] [5] [2]]" {
		t.Errorf("a path of three nodes is %v, %v", m.Floats(), err)
	}
	for _, edge := range [][2]int{{0, 3}, {-1, 0}} {
		if _, err := xor.Adjacency(3, [][2]int{edge}); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "edges[0]") {
			t.Errorf("edge %v gives %v", edge, err)
		}
	}
	if m, err := xor.Adjacency(0, nil); len(m.Floats()) > 0 || len(m.Rows()) > 0 || err == nil {
		t.Errorf("no nodes give %v, %v", m, err)
	}
}

func TestParseBitsRefuses(t *testing.T) {
	for _, c := range []struct {
		m    [][]float64
		want string
	}{{nil, "empty"}, {[][]float64{{0, 1}, {1}}, "row 1"}, {[][]float64{{0, 2}}, "(0, 1) is 2"}, {[][]float64{{.5}}, "0.5"}, {[][]float64{{math.NaN()}}, "NaN"}} {
		if _, err := xor.ParseBits(c.m); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v gives %v, want %q", c.m, err, c.want)
		}
	}
}

// e^ε = 2, prior .01, randomised response.
func TestEdgeLeakage(t *testing.T) {
	eps, odds := must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1))), .01/.99
	right, err := xor.EdgeLeakage(eps, odds)
	if err != nil {
		t.Fatal(err)
	}
	// Randomised response answers "no edge" with probability 2/3 where there is
	// none and 1/3 where there is one.
	posterior := .99 * 2 / 3 / (.99*2/3 + .01/3)
	if math.Abs(right.Float()-posterior) > 1e-12 {
		t.Errorf("%v, attained %v", right.Float(), posterior)
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := xor.EdgeLeakage(nats(1), bad); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v gives %v", bad, err)
		}
	}
}

// Budgets add up to ε; the loss of s bits over tiles is found by all pairs of states.
func TestPartition(t *testing.T) {
	u := xor.Budget{N: 3, P: 3, Epsilon: nats(2), Alpha: .6, Sensitivity: 2}
	q, err := xor.Divide(u, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(q.Tiles) != 4 || math.Abs(q.ClaimedEpsilon(2).Float()-2) > 1e-12 {
		t.Errorf("%d tiles, composed %v, want 4 and 2", len(q.Tiles), q.ClaimedEpsilon(2).Float())
	}
	joint := make([][]float64, 9)
	for k := range joint {
		joint[k] = make([]float64, 9)
	}
	for _, tile := range q.Tiles {
		pi := must.Be(tile.Law.Pi())
		_, p := tile.Law.Shape()
		at := func(k int) int { return (tile.Row+k/p)*3 + tile.Column + k%p }
		for i, row := range pi {
			for j, v := range row {
				joint[at(i)][at(j)] = v
			}
		}
	}
	whole, err := xor.NewBernoulli(joint, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := exponents(whole)
	for s := 1; s <= 4; s++ {
		got, err := must.Be(q.Under(xor.FlipBits(s))).Loss(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if want := bruteLoss(e, bitMasks(9, s)); math.Abs(got.Float()-want) > 1e-12*want {
			t.Errorf("s = %d: %v, want %v", s, got.Float(), want)
		}
	}
	mean, err := whole.MeanOnes(ctx, xor.Plain)
	if err != nil || math.Abs(must.Be(q.FlipRate(ctx, xor.Plain)).Float()-mean.Float()/9) > 1e-12 {
		t.Errorf("flip rate %v, want %v", must.Be(q.FlipRate(ctx, xor.Plain)).Float(), mean.Float()/9)
	}
	n, p := must.Be(q.Noise(ctx, rand.NewPCG(1, 1))).Shape()
	if n != 3 || p != 3 {
		t.Errorf("a draw is %d × %d", n, p)
	}
}
