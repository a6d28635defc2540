package program_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/program"
	"dpworkbench/query"
)

func times(t testing.TB, num, den int64) program.Rate {
	t.Helper()
	return must.For(program.Symbol(big.NewRat(num, den)))(t)
}

// cube returns the space of vectors in {0, 1}^m, in which any two vectors are neighbors, and the vectors.
func cube(t testing.TB, m int) (*query.Space, [][]int64) {
	t.Helper()
	var v [][]int64
	for i := range 1 << m {
		row := make([]int64, m)
		for j := range m {
			row[j] = int64(i >> j & 1)
		}
		v = append(v, row)
	}
	var edges [][2]int
	for i := range v {
		for j := range i {
			edges = append(edges, [2]int{j, i})
		}
	}
	return must.For(query.NewPathSpace(len(v), edges))(t), v
}

// TestSparseForEveryEpsilon decides the sparse vector technique with one positive on three queries. It tests
// multiples of ε around the loss at ε = 1 and 5, computed by a float64 sum over thresholds.
func TestSparseForEveryEpsilon(t *testing.T) {
	ctx := context.Background()
	space, v := cube(t, 3)
	q := times(t, 1, 4)
	s := sparse{vectors: v, threshold: times(t, 1, 2), query: &q, stop: 1}
	p := must.For(program.New(ctx, "sparse", space, s.run, program.Default))(t)
	if d := must.For(p.Private(ctx, big.NewRat(1, 1)))(t); d.Verdict != evidence.Confirmed || len(d.Fails) > 0 || d.Witness != nil {
		t.Errorf("at ε: %+v, want confirmed", d)
	}
	const share = 0.6 // refuted where the loss is larger
	d := must.For(p.Private(ctx, big.NewRat(3, 5)))(t)
	for _, eps := range []float64{.3, 1, 2, 5, 9} {
		needs := sparseNeeds(v, eps/2, eps/4)
		at := must.For(p.At(must.For(evidence.NewEpsilon("eps", eps))(t)).Account(ctx))(t)
		if got := must.For(at.Epsilon(ctx, evidence.Delta{}))(t).Float(); math.Abs(got-needs) > 1e-9 {
			t.Errorf("smallest ε at %g: %.12f, want %.12f", eps, got, needs)
		}
		fails := false
		for _, r := range d.Fails {
			fails = fails || r.From.Float() < eps && (r.To == nil || eps < r.To.Float())
		}
		if fails != (needs > eps*share) {
			t.Errorf("at %g: fails %v, but the loss is %.6f with a bound of %.6f", eps, fails, needs, eps*share)
		}
	}
	if d.Verdict != evidence.Refuted || d.Witness == nil {
		t.Fatalf("at 3ε/5: %+v, want refuted with a witness", d)
	}
	w := d.Witness
	z, _ := w.Z.Float64()
	ratio, _ := new(big.Rat).Quo(w.P, w.Q).Float64()
	if needs := sparseNeeds(v, -math.Log(z)*float64(w.Denominator)/2, -math.Log(z)*float64(w.Denominator)/4); math.Log(ratio) > needs+1e-9 || math.Log(ratio) <= share*w.Epsilon().Float() {
		t.Errorf("witness at z = %v: ln ratio %.9f, want at most %.9f and more than %.9f", w.Z, math.Log(ratio), needs, share*w.Epsilon().Float())
	}
}

// sparseNeeds returns the largest loss from the position of one positive, over all pairs of vectors.
func sparseNeeds(v [][]int64, threshold, query float64) float64 {
	z, y := math.Exp(-threshold), math.Exp(-query)
	above := func(t int64) float64 {
		if t > 0 {
			return math.Pow(y, float64(t)) / (1 + y)
		}
		return 1 - math.Pow(y, float64(1-t))/(1+y)
	}
	law := func(x []int64) []float64 {
		out := make([]float64, len(x)+1)
		for r := int64(-800); r <= 800; r++ {
			p := (1 - z) / (1 + z) * math.Pow(z, math.Abs(float64(r)))
			for i, q := range x {
				up := above(r - q)
				out[i] += p * up
				p *= 1 - up
			}
			out[len(x)] += p
		}
		return out
	}
	worst := 0.0
	for _, a := range v {
		for _, b := range v {
			p, q := law(a), law(b)
			for i := range p {
				worst = max(worst, math.Log(p[i]/q[i]))
			}
		}
	}
	return worst
}

// coins returns a program that flips the coin of its dataset.
func coins(p ...program.Probability) program.Run {
	return func(x int, n *program.Noise) program.Output {
		return program.Output{Shape: map[bool]string{true: "heads", false: "tails"}[n.Flip(p[x])]}
	}
}

// response returns randomized response, which tells the truth with probability 1/(1 + z).
func response() program.Run {
	one, y := z(big.NewRat(1, 1), new(big.Rat)), z(big.NewRat(1, 1), big.NewRat(1, 1))
	return coins(program.SymbolProbability(one, one.Add(y)), program.SymbolProbability(y, one.Add(y)))
}

// wantLog fails unless a number encloses ln q with a width of at most 1e-14.
func wantLog(t *testing.T, what string, n evidence.Number, q *big.Rat) {
	t.Helper()
	lo, hi := n.Bounds()
	f, _ := q.Float64()
	if want := math.Log(f); lo > want+1e-15 || hi < want-1e-15 || hi-lo > 1e-14 {
		t.Errorf("%s lies in [%.17g, %.17g], want ln(%v) = %.17g", what, lo, hi, q, want)
	}
}

// Randomized response is ε-private, and ε/2-private for no ε.
func TestPrivateRandomizedResponse(t *testing.T) {
	p := must.For(program.New(t.Context(), "response", line(t, 2), response(), program.Default))(t)
	for _, k := range []*big.Rat{big.NewRat(1, 1), big.NewRat(3, 2)} {
		d := must.For(p.Private(t.Context(), k))(t)
		if d.Verdict != evidence.Confirmed || d.Witness != nil || d.Fails != nil || d.Spans != nil || d.Times != k || d.Of != p {
			t.Errorf("%v·ε: %+v, want it confirmed", k, d)
		}
	}
	if d := must.For(p.Private(t.Context(), big.NewRat(1, 1)))(t); d.Decided != 1 || d.Degree != 2 || d.Denominator != 1 {
		t.Errorf("ε needs %d inequalities of degree %d in e^{−ε/%d}, want 1 − z² ≥ 0 alone", d.Decided, d.Degree, d.Denominator)
	}
	// With w = e^{−ε/2}, ε/2-privacy requires w² ≥ w, which fails on (0, 1).
	d := must.For(p.Private(t.Context(), big.NewRat(1, 2)))(t)
	if d.Verdict != evidence.Refuted || d.Denominator != 2 || d.Degree != 3 || d.Decided != 2 || len(d.Fails) != 1 || len(d.Spans) != 1 {
		t.Fatalf("ε/2: %+v, want it refuted for every ε", d)
	}
	if d.Fails[0].From.Float() != 0 || evidence.Rational(d.Fails[0].From) != "0" || d.Fails[0].To != nil {
		t.Errorf("fails between %v and %v, want everywhere", d.Fails[0].From, d.Fails[0].To)
	}
	w := d.Witness
	if w.X != 0 || w.Y != 1 || w.Output != "heads" || !slices.Equal(w.Cells, []int{slices.Index(p.Outputs()[0], "heads")}) || w.Denominator != 2 {
		t.Errorf("witness %+v, want heads at 0 and 1", w)
	}
	for what, c := range map[string][2]string{"z": {w.Z.RatString(), "1/2"}, "P": {w.P.RatString(), "4/5"}, "Q": {w.Q.RatString(), "1/5"}} {
		if c[0] != c[1] {
			t.Errorf("the witness has %s = %s, want %s", what, c[0], c[1])
		}
	}
	wantLog(t, "ε of the witness", w.Epsilon(), big.NewRat(4, 1)) // −2 ln ½
	wantLog(t, "loss of the witness", w.Loss(), big.NewRat(4, 1))
	if w.Loss().Kind() != evidence.KindExact {
		t.Errorf("the loss %v, want it exact", w.Loss())
	}
	if s := d.Spans[0]; s.From.Lo.Sign() != 0 || s.From.Hi.Sign() != 0 || s.To.Lo.RatString() != "1" || len(s.Cover) != 1 ||
		s.Cover[0].X != 0 || s.Cover[0].Y != 1 || s.Cover[0].From.Sign() != 0 || s.Cover[0].To.RatString() != "1" || !slices.Equal(s.Cover[0].Cells, w.Cells) {
		t.Errorf("%+v, want (0, 1) covered by heads", s)
	}
}

// Ranges are sorted by ε, and the witness is in the range that is wider in z. Here r(z) − z/2 = (z − 1/8)(z − 1/4)(z
// − 1/2)(z − 3/4)(1 − z)/8.
func TestPrivateRanges(t *testing.T) {
	r := func(n, d int64) *big.Rat { return big.NewRat(n, d) }
	one, y := z(r(1, 1), new(big.Rat)), z(r(1, 1), r(1, 1))
	product := z(r(1, 8), new(big.Rat)).Mul(one.Sub(y))
	for _, root := range []*big.Rat{r(1, 8), r(1, 4), r(1, 2), r(3, 4)} {
		product = product.Mul(y.Sub(z(root, new(big.Rat))))
	}
	coin := program.SymbolProbability(product.Add(z(r(1, 2), r(1, 1))), one)
	p := must.For(program.New(t.Context(), "ranges", line(t, 2), coins(program.RationalProbability(r(1, 2)), coin), program.Default))(t)
	d := must.For(p.Private(t.Context(), r(1, 1)))(t)
	if d.Verdict != evidence.Refuted || len(d.Fails) != 2 || len(d.Spans) != 2 {
		t.Fatalf("%+v, want two ranges", d)
	}
	wantLog(t, "the first ε", d.Fails[0].From, r(4, 3))
	wantLog(t, "the second ε", d.Fails[0].To, r(2, 1))
	wantLog(t, "the third ε", d.Fails[1].From, r(4, 1))
	wantLog(t, "the last ε", d.Fails[1].To, r(8, 1))
	if d.Spans[0].To.Hi.Cmp(r(1, 2)) > 0 {
		t.Errorf("the first span ends at %v, want 1/4", d.Spans[0].To)
	}
	if got := d.Witness.Z.RatString(); got != "2/3" {
		t.Errorf("witness at z = %s, want 2/3", got)
	}
}

// Private rejects multiples of ε that it cannot decide, and programs without a symbol.
func TestPrivateErrors(t *testing.T) {
	p := must.For(program.New(t.Context(), "response", line(t, 2), response(), program.Default))(t)
	for text, q := range map[string]*big.Rat{
		`eps = "0·ε", want a positive multiple of ε`:                                                 new(big.Rat),
		`eps = "-1/2·ε", want a positive multiple of ε`:                                              big.NewRat(-1, 2),
		`eps = "1/10001·ε", want a multiple of ε with a denominator of at most 10000`:                big.NewRat(1, 10001),
		`eps = "1048577·ε", want a multiple of ε with a denominator of at most 10000`:                big.NewRat(1<<20+1, 1),
		`eps = "1/18446744073709551616·ε", want a multiple of ε with a denominator of at most 10000`: new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 64)),
	} {
		_, err := p.Private(t.Context(), q)
		wantError(t, err, text)
	}
	for _, q := range []*big.Rat{big.NewRat(1<<20-1, 1), big.NewRat(1, 1000)} {
		d, err := p.Private(t.Context(), q)
		if err != nil || (d.Verdict == evidence.Confirmed) != (q.Cmp(big.NewRat(1, 1)) >= 0) {
			t.Errorf("%v·ε: %+v, %v", q, d, err)
		}
	}
	at := p.At(must.For(evidence.NewEpsilon("eps", 1))(t))
	_, err := at.Private(t.Context(), big.NewRat(1, 1))
	wantError(t, err, "program response has no symbolic rate, want noise whose rates are multiples of one symbol")
	if p.Denominator() != 1 || at.Denominator() != 0 || !p.IsSymbolic() || at.IsSymbolic() {
		t.Error("only the program before At is symbolic")
	}
}

// If only one neighbor has an output, the program is not private for any ε, and the loss is infinite.
func TestPrivateInfiniteLoss(t *testing.T) {
	one, y := z(big.NewRat(1, 1), new(big.Rat)), z(big.NewRat(1, 1), big.NewRat(1, 1))
	p := must.For(program.New(t.Context(), "once", line(t, 2), func(x int, n *program.Noise) program.Output {
		if n.Flip(program.SymbolProbability(y, one)) {
			return program.Output{Shape: fmt.Sprint("data ", x)}
		}
		return program.Output{Shape: "nothing"}
	}, program.Default))(t)
	d := must.For(p.Private(t.Context(), big.NewRat(7, 1)))(t)
	if d.Verdict != evidence.Refuted || d.Witness.Q.Sign() != 0 || d.Witness.Output != fmt.Sprint("data ", d.Witness.X) || d.Witness.P.RatString() != "1/2" {
		t.Fatalf("%+v, %+v, want it refuted by an output of one dataset", d, d.Witness)
	}
	if n := d.Witness.Loss(); !math.IsInf(n.Float(), 1) {
		t.Errorf("loss %v, want infinite", n)
	}
	if lo, hi := d.Witness.Loss().Bounds(); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
		t.Errorf("loss in [%g, %g], want infinite", lo, hi)
	}
}

// Private decides about independent numbers together. The dataset shifts four of seven numbers, each with loss ε, so
// the program is 4ε-private.
func TestPrivateProducts(t *testing.T) {
	p := must.For(program.New(t.Context(), "vector", line(t, 2), vector(7, times(t, 1, 1)), program.Default))(t) // four are shifted
	if d := must.For(p.Private(t.Context(), big.NewRat(4, 1)))(t); d.Verdict != evidence.Confirmed {
		t.Errorf("4ε: %+v, want it confirmed", d)
	}
	d := must.For(p.Private(t.Context(), big.NewRat(7, 2)))(t)
	if d.Verdict != evidence.Refuted || len(d.Fails) != 1 || d.Fails[0].To != nil || evidence.Rational(d.Fails[0].From) != "0" {
		t.Fatalf("7ε/2: %+v, want it refuted for every ε", d)
	}
	w := d.Witness
	if len(w.Cells) != 7 || !strings.HasPrefix(w.Output, "[") || strings.Count(w.Output, ", ") != 6 {
		t.Fatalf("witness %+v, want a vector of seven", w)
	}
	// P and Q follow from the law in closed form at w.Z, with z = w.Z², by the names of the outcomes.
	y := new(big.Rat).Mul(w.Z, w.Z)
	for what, c := range map[string]struct {
		x   int
		got *big.Rat
	}{"P": {w.X, w.P}, "Q": {w.Y, w.Q}} {
		want := big.NewRat(1, 1)
		for i, j := range w.Cells {
			below := new(big.Rat).Quo(y, new(big.Rat).Add(big.NewRat(1, 1), y)) // Pr[≤ −1] without a shift
			at0 := new(big.Rat).Quo(new(big.Rat).Sub(big.NewRat(1, 1), y), new(big.Rat).Add(big.NewRat(1, 1), y))
			law := []*big.Rat{below, at0, below}
			if i%2 == 1 {
				law = []*big.Rat{below, new(big.Rat).Add(at0, below)}
			} else if c.x == 1 {
				law = []*big.Rat{new(big.Rat).Mul(below, y), new(big.Rat).Mul(at0, y), new(big.Rat).Add(at0, below)}
			}
			want.Mul(want, law[j])
		}
		if c.got.Cmp(want) != 0 {
			t.Errorf("%s = %v, want %v", what, c.got, want)
		}
	}
	ratio := new(big.Rat).Quo(w.P, w.Q)
	if need := interval.RationalPower(w.Z, big.NewInt(-7)); ratio.Cmp(need) <= 0 { // e^{7ε/2} = w^{−7}
		t.Errorf("the witness has the ratio %v, want more than %v", ratio, need)
	}
}
