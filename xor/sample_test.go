package xor_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
	"dpworkbench/xor"
)

// alpha is the false-positive rate of every statistical test here.
const alpha = 1e-9

func ExampleRelease() {
	query, _ := xor.ParseBits([][]float64{{1, 0, 1}, {0, 0, 1}})
	b, _ := xor.Allocate(xor.Budget{N: 2, P: 3, Epsilon: evidencetest.Epsilon(40), Alpha: 1, Sensitivity: 1})
	// The complement of B is mostly zeros, so at ε = 40 nothing is flipped. A real release passes
	// xor.NewCryptoSource().
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

// law returns the probabilities of all states from exact exponents.
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

// Every method draws from the law. The chi-square test must reject the law with one coupling counted once instead of
// twice.
func TestSampleLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	uniform := must.Be(xor.NewUniform(4, 2, .4, -.3))
	attractive := must.Be(xor.NewBernoulli([][]float64{{-1, .5}, {.5, -2}}, map[xor.Pair][][]float64{{I: 0, J: 1}: {{.3, .2}, {.2, 0}}, {I: 1, J: 2}: {{.3, .2}, {.2, 0}}}, 3))
	mixed := randomLaw(t, 2, 3, .6, rng)
	objects, err := xor.NewBernoulli([][]float64{{1, .4, 0}, {.4, -.5, 0}, {0, 0, .3}}, nil, 2) // two copies of a pair of bits and a single bit
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
	half := must.Be(xor.NewUniform(4, 2, .4, -.15))
	draws, _, err := half.Noise(ctx, 40000, xor.Auto, rand.NewPCG(2, 3))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, tail := stattest.ChiSquare(states(draws), law(uniform)); tail > alpha {
		t.Errorf("the test accepts half the coupling, with tail %g", tail)
	}
}

// Auto prefers perfect sampling if parts are too large to enumerate. With frustrated couplings only the Markov chain is
// left, and the report says so.
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
		b := must.Be(xor.NewBernoulli(c.theta, nil, 1))
		draws, report, err := b.Noise(ctx, 3, xor.Auto, rand.NewPCG(1, 1))
		if err != nil || len(draws) != 3 || report.Method != c.want {
			t.Errorf("took %s, %v, want %s", report.Method, err, c.want)
		}
		if c.want == xor.EHMC && !strings.Contains(report.Note, "frustrated") {
			t.Errorf("note %q does not give the reason", report.Note)
		}
	}
}

func TestReleaseComplement(t *testing.T) {
	query := must.Be(xor.ParseBits([][]float64{{1, 0}, {0, 1}, {1, 1}}))
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
	m := must.Be(xor.ParseBits(path))
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
	// Bits (i, j) and (j, i) are in different columns, so they are independent.
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

// Draws by enumeration have a distance to their law that includes 0. Draws of ones alone do not.
func TestDistance(t *testing.T) {
	b := must.Be(xor.NewUniform(2, 2, .4, -.3))
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
	wide := must.Be(xor.NewUniform(17, 1, 0, 0))
	if _, err := wide.Distance(nil, alpha); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "2^17") {
		t.Errorf("17 bits give %v", err)
	}
	if _, err := b.Distance([]*xor.Bits{must.Be(xor.NewBits(2, 3))}, alpha); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "samples[0] is 2 × 3, want 2 × 2") {
		t.Errorf("a draw of another shape gives %v", err)
	}
}

// Adjacency returns a symmetric matrix, and Row returns its rows.
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

// Without a source, a release uses the operating system's generator with exact methods only, and the report says that
// it is exact.
func TestReleaseFromSystemGenerator(t *testing.T) {
	query := must.Be(xor.ParseBits([][]float64{{0, 1, 0}, {1, 0, 1}, {0, 1, 0}}))
	closed := must.Be(xor.NewUniform(3, 3, .7, .1))
	listed := must.Be(xor.NewBernoulli([][]float64{{1, .4, 0}, {.4, -.5, 0}, {0, 0, .3}}, nil, 3))
	for _, b := range []*xor.Bernoulli{closed, listed} {
		for _, src := range []rand.Source{nil, xor.NewCryptoSource()} {
			for _, method := range []xor.Method{"", xor.Auto, xor.Enumerated, xor.Perfect} {
				out, report, err := xor.Release(ctx, query, b, xor.ReleaseOptions{Method: method}, src)
				if err != nil || out == nil || !report.Exact || !strings.HasPrefix(report.Note, "exact in law") {
					t.Errorf("%q: %+v, %v", method, report, err)
				}
			}
			for _, method := range []xor.Method{xor.EHMC, xor.Gibbs, xor.Published} {
				if _, _, err := xor.Release(ctx, query, b, xor.ReleaseOptions{Method: method}, src); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "want closed, enumerate or perfect") {
					t.Errorf("%q gives %v", method, err)
				}
			}
		}
		if _, _, err := xor.ReleaseGraph(ctx, query, b, xor.ReleaseOptions{}, nil); err != nil {
			t.Error(err)
		}
	}
}

// Release rejects laws with float64 weights.
func TestNoiseLawReleaseRefuses(t *testing.T) {
	weights := must.Be(xor.NewWeightedNoiseLaw(1, 1, []float64{.7, .3}))
	if _, err := weights.Release(must.Be(xor.NewBits(1, 1)), nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "want rational probabilities") {
		t.Errorf("float64 weights give %v", err)
	}
	if _, err := responses(2, 2).Release(must.Be(xor.NewBits(1, 2)), nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a matrix of another shape gives %v", err)
	}
	if _, err := responses(2, 2).Release(must.Be(xor.NewBits(2, 2)), nil); err != nil {
		t.Error(err)
	}
}

func TestCryptoSourceRefusesChains(t *testing.T) {
	const p = 36
	frustrated := make([][]float64, p)
	for i := range frustrated {
		frustrated[i] = make([]float64, p)
		for j := range frustrated[i] {
			frustrated[i][j] = -.05
		}
	}
	b := must.Be(xor.NewBernoulli(frustrated, nil, 1))
	for _, method := range []xor.Method{xor.Auto, xor.EHMC, xor.Gibbs, xor.Published} {
		if _, _, err := b.Noise(ctx, 1, method, xor.NewCryptoSource()); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s from a cryptographic source gives %v", method, err)
		}
	}
}

// stream formats draws and the next word of the source, which shows how much was consumed.
func stream(src rand.Source, draws ...*xor.Bits) string {
	h := fnv.New32a()
	for _, m := range draws {
		fmt.Fprint(h, m.Rows())
	}
	return fmt.Sprintf("%08x %04x", h.Sum32(), src.Uint64()>>48)
}

// The draws of every sampler from a seed never change, so a seed, a law and this program reproduce the noise of a
// study. On failure the test prints the new draws.
func TestStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 11))
	uniform, wide := must.Be(xor.NewUniform(5, 3, .4, -.3)), must.Be(xor.NewUniform(37, 131, -1, .03))
	attractive := must.Be(xor.NewBernoulli([][]float64{{-1, .5}, {.5, -2}}, map[xor.Pair][][]float64{{I: 0, J: 1}: {{.3, .2}, {.2, 0}}, {I: 1, J: 2}: {{.3, .2}, {.2, 0}}}, 5))
	mixed := randomLaw(t, 2, 3, .6, rng)
	objects := must.Be(xor.NewBernoulli([][]float64{{1, .4, 0}, {.4, -.5, 0}, {0, 0, .3}}, map[xor.Pair][][]float64{{I: 1, J: 3}: {{.5, 0, 0}, {0, 0, 0}, {0, 0, -.5}}}, 6))
	for _, c := range []struct {
		b      *xor.Bernoulli
		method xor.Method
		draws  int
		want   string
	}{
		{uniform, xor.Closed, 40, "e25dbcb5 635f"},
		{wide, xor.Auto, 2, "e2aaad14 5092"},
		{uniform, xor.Enumerated, 40, "3b7a8773 234c"},
		{attractive, xor.Enumerated, 40, "0897c8c5 234c"},
		{attractive, xor.Perfect, 40, "40a56766 3b0d"},
		{mixed, xor.Auto, 40, "257b2ddb 8baf"},
		{objects, xor.Auto, 40, "dc985f91 87b1"},
		{mixed, xor.EHMC, 20, "d9aba987 5286, every 11-th, τ 2.109058"},
		{mixed, xor.Gibbs, 20, "75ae96e2 5286, every 12-th, τ 2.202988"},
		{uniform, xor.Gibbs, 7, "758cacfb 5286, every 5-th, τ 0.576778"},
		{objects, xor.Published, 20, "a7813e30 e975"},
	} {
		src := rand.NewPCG(22, 12)
		draws, report, err := c.b.Noise(ctx, c.draws, c.method, src)
		if err != nil || len(draws) != c.draws {
			t.Fatal(c.method, len(draws), err)
		}
		got := stream(src, draws...)
		if report.Thin > 0 {
			got += fmt.Sprintf(", every %d-th, τ %.6f", report.Thin, report.Diagnosis.Tau)
		}
		if got != c.want {
			t.Errorf("%s gives %q, want %q", c.method, got, c.want)
		}
	}

	query := must.Be(xor.Adjacency(6, [][2]int{{0, 1}, {1, 2}, {4, 5}, {3, 0}}))
	noise := must.Be(xor.NewUniform(6, 6, -2, .1))
	for _, c := range []struct {
		complement bool
		want       string
	}{{false, "0b2df524 12d3"}, {true, "e67e6ff6 12d3"}} {
		src := rand.NewPCG(22, 14)
		out, _, err := xor.ReleaseGraph(ctx, query, noise, xor.ReleaseOptions{Complement: c.complement}, src)
		if err != nil {
			t.Fatal(err)
		}
		if got := stream(src, out); got != c.want {
			t.Errorf("a graph, complement %t, gives %q, want %q", c.complement, got, c.want)
		}
	}
	weights := must.Be(xor.NewWeightedNoiseLaw(1, 2, []float64{1, 2, 0, 5}))
	if got, want := fmt.Sprint(must.Be(weights.Noise(20, rand.NewPCG(22, 15)))), "[1 3 3 1 0 3 3 3 3 3 3 1 1 3 3 3 3 1 3 3]"; got != want {
		t.Errorf("a table gives %q, want %q", got, want)
	}
}

// Prob returns the probabilities that NewNoiseLaw was given, and 0 for other states.
func TestNoiseLawProbabilities(t *testing.T) {
	weights := must.Be(xor.NewWeightedNoiseLaw(1, 2, []float64{1, 2, 0, 5}))
	exact := must.Be(xor.NewNoiseLaw(1, 2, []*big.Rat{big.NewRat(1, 8), big.NewRat(1, 4), new(big.Rat), big.NewRat(5, 8)}))
	for _, l := range []*xor.NoiseLaw{weights, exact} {
		if got := fmt.Sprint(l.Probs(), l.States(), l.Prob(-1), l.Prob(4)); got != "[0.125 0.25 0 0.625] 4 0 0" {
			t.Errorf("the law is %s", got)
		}
	}
	for b, want := range map[int]string{-1: "", 0: "1/8", 3: "5/8", 4: ""} {
		q, ok := exact.Rational(b)
		if ok != (want != "") || ok && q.RatString() != want {
			t.Errorf("state %d: %v, %t", b, q, ok)
		}
	}
	if q, ok := weights.Rational(0); ok {
		t.Errorf("a weight is the rational %v", q)
	}
}

// falsePositive is the rate of each chi-square test of the exact samplers.
const falsePositive = 1e-6

// drawCounts is the number of draws. 10⁷ draws distinguish a law from one with a weight 1% off.
const drawCounts = 10_000_000

// checkCounts fails unless the chi-square test accepts the law p and rejects p with its largest weight moved by the
// given fraction.
func checkCounts(t *testing.T, what string, counts []int, p []float64, by float64) {
	t.Helper()
	if _, _, tail := stattest.ChiSquare(counts, p); tail < falsePositive {
		t.Errorf("%s: chi-square tail %g", what, tail)
	}
	largest := 0
	for i, v := range p {
		if v > p[largest] {
			largest = i
		}
	}
	off := make([]float64, len(p))
	for i, v := range p {
		off[i] = v / (1 + by*p[largest])
	}
	off[largest] *= 1 + by
	if _, _, tail := stattest.ChiSquare(counts, off); tail >= falsePositive {
		t.Errorf("%s: the test accepts a weight %g off, with tail %g", what, by, tail)
	}
}

// Draws of columns follow the law of all states of a column, so both the number of ones and the subset are right.
func TestColumnDraws(t *testing.T) {
	const p = 1 << 20
	c := must.Be(xor.NewColumns(3, p, .2, -.15))
	b := must.Be(xor.NewUniform(3, 1, .2, -.15))
	counts, src := make([]int, 8), rand.NewPCG(26, 6)
	for range drawCounts/p + 1 {
		m := must.Be(c.Noise(context.Background(), src))
		for k, word := range m.Row(0) {
			a, b, c := word, m.Row(1)[k], m.Row(2)[k]
			for j := range 64 {
				counts[a>>j&1|b>>j&1<<1|c>>j&1<<2]++
			}
		}
	}
	checkCounts(t, "columns", counts, must.Be(ehmc.Probabilities(b)), .01)
}

// Releases of a rational law follow its probabilities.
func TestNoiseLawRelease(t *testing.T) {
	probs := []*big.Rat{big.NewRat(3, 7), new(big.Rat), big.NewRat(1, 3), big.NewRat(5, 21)}
	law := must.Be(xor.NewNoiseLaw(1, 2, probs))
	query := must.Be(xor.ParseBits([][]float64{{0, 1}}))
	counts, src := make([]int, 4), rand.NewPCG(26, 7)
	for range drawCounts / 2 {
		out := must.Be(law.Release(query, src))
		counts[out.Row(0)[0]^2]++
	}
	if counts[1] > 0 {
		t.Errorf("a state without probability is drawn %d times", counts[1])
	}
	checkCounts(t, "rational law", []int{counts[0], counts[2], counts[3]}, []float64{3. / 7, 1. / 3, 5. / 21}, .01)
}

// If a source repeats the digits of a threshold forever, the draw returns an error.
func TestUndecidedDraws(t *testing.T) {
	query := must.Be(xor.NewBits(1, 1))
	sure := must.Be(xor.NewUniform(1, 1, 1e6, 0))
	rational := must.Be(xor.NewNoiseLaw(1, 1, []*big.Rat{big.NewRat(2, 3), big.NewRat(1, 3)}))
	for what, do := range map[string]func(src rand.Source) (any, error){
		"columns": func(src rand.Source) (any, error) { return sure.Columns().Noise(t.Context(), src) },
		"closed":  func(src rand.Source) (any, error) { return withoutSecond(sure.Noise(t.Context(), 1, xor.Closed, src)) },
		"listed": func(src rand.Source) (any, error) {
			return withoutSecond(sure.Noise(t.Context(), 1, xor.Enumerated, src))
		},
		"release": func(src rand.Source) (any, error) {
			return withoutSecond(xor.Release(t.Context(), query, sure, xor.ReleaseOptions{}, src))
		},
		"rational": func(src rand.Source) (any, error) { return rational.Release(query, src) },
	} {
		var word uint64 // 0, where the other outcome has almost no probability
		if what == "rational" {
			word = 0xaaaaaaaaaaaaaaaa // the digits of 2/3
		}
		if got, err := do(constant(word)); !errors.Is(err, sampling.ErrUndecided) || fmt.Sprint(got) != "<nil>" && fmt.Sprint(got) != "[]" {
			t.Errorf("%s: %v, %v", what, got, err)
		}
		if _, err := do(constant(1 << 40)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func withoutSecond[S, T any](v S, _ T, err error) (S, error) { return v, err }

// constant is a source that repeats one word.
type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

// Uniform integers are drawn without bias by rejection: a 32-bit word is skipped if the low half of its product with n
// is below 2³² mod n. The first integer below 3 decides whether the first of three rows has one of the ones.
func TestUniformIntegerRejection(t *testing.T) {
	c := must.Be(xor.NewColumns(3, 1, 0, 0)) // 0, 1, 2 ones have cumulative probabilities 1/8, 4/8, 7/8
	for _, k := range []struct{ first, second, want uint32 }{
		{0, math.MaxUint32, 2}, {0, 1 << 30, 0}, {0x55555556, 0, 1}, {math.MaxUint32, 0, 2}, {0x55555555, 0, 0},
		{0xaaaaaaab, 0, 2}, // kept: 3·0xaaaaaaab = 2·2³² + 1, and 2³² mod 3 = 1
	} {
		for ones, word := range map[uint32]uint64{1: 1 << 62, 2: 5 << 61} {
			src := &stattest.Spelled{Words: []uint64{word, word, uint64(k.second)<<32 | uint64(k.first)}}
			m := must.Be(c.Noise(t.Context(), src))
			if m.At(0, 0) != (k.want < ones) {
				t.Errorf("%x, %x: the first of 3 rows is %t, want %d below %d", k.first, k.second, m.At(0, 0), k.want, ones)
			}
		}
	}
}
