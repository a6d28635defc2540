package program

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/roots"
	"dpworkbench/interval"
	"dpworkbench/query"
)

func times(t testing.TB, num, den int64) Rate {
	t.Helper()
	return must.For(Symbol(big.NewRat(num, den)))(t)
}

// cube is the space of vectors in {0, 1}^m, in which any two are neighbors.
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
	p := must.For(New(ctx, "sparse", space, s.run, Default))(t)
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

// coins is a program that flips the coin of its dataset.
func coins(p ...Probability) Run {
	return func(x int, n *Noise) Output {
		return Output{Shape: map[bool]string{true: "heads", false: "tails"}[n.Flip(p[x])]}
	}
}

// response is randomized response: it tells the truth with probability 1/(1 + z).
func response() Run {
	one, y := z(big.NewRat(1, 1), zero), z(big.NewRat(1, 1), big.NewRat(1, 1))
	return coins(SymbolProbability(one, one.Add(y)), SymbolProbability(y, one.Add(y)))
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
	p := must.For(New(t.Context(), "response", line(t, 2), response(), Default))(t)
	for _, k := range []*big.Rat{big.NewRat(1, 1), big.NewRat(3, 2)} {
		d := must.For(p.Private(t.Context(), k))(t)
		if d.Verdict != evidence.Confirmed || d.Witness != nil || d.Fails != nil || d.Spans != nil || d.Times != k || d.Of != p {
			t.Errorf("%v·ε: %+v, want it confirmed", k, d)
		}
	}
	if d := must.For(p.Private(t.Context(), big.NewRat(1, 1)))(t); d.Decided != 1 || d.Degree != 2 || d.Denominator != 1 {
		t.Errorf("ε needs %d inequalities of degree %d in e^{−ε/%d}, want 1 − z² ≥ 0 alone", d.Decided, d.Degree, d.Denominator)
	}
	// For ε/2 in w = e^{−ε/2}, w² ≥ w fails on (0, 1).
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
	one, y := z(r(1, 1), zero), z(r(1, 1), r(1, 1))
	product := z(r(1, 8), zero).Mul(one.Sub(y))
	for _, root := range []*big.Rat{r(1, 8), r(1, 4), r(1, 2), r(3, 4)} {
		product = product.Mul(y.Sub(z(root, zero)))
	}
	coin := SymbolProbability(product.Add(z(r(1, 2), r(1, 1))), one)
	p := must.For(New(t.Context(), "ranges", line(t, 2), coins(RationalProbability(r(1, 2)), coin), Default))(t)
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
	p := must.For(New(t.Context(), "response", line(t, 2), response(), Default))(t)
	for text, q := range map[string]*big.Rat{
		`eps = "0·ε", want a positive multiple of ε`:                                                 new(big.Rat),
		`eps = "-1/2·ε", want a positive multiple of ε`:                                              big.NewRat(-1, 2),
		`eps = "1/10001·ε", want a multiple of ε with a denominator of at most 10000`:                big.NewRat(1, 10001),
		`eps = "1048577·ε", want a multiple of ε with a denominator of at most 10000`:                big.NewRat(1<<20+1, 1),
		`eps = "1/18446744073709551616·ε", want a multiple of ε with a denominator of at most 10000`: new(big.Rat).SetFrac(intOne, new(big.Int).Lsh(intOne, 64)),
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
	one, y := z(big.NewRat(1, 1), zero), z(big.NewRat(1, 1), big.NewRat(1, 1))
	p := must.For(New(t.Context(), "once", line(t, 2), func(x int, n *Noise) Output {
		if n.Flip(SymbolProbability(y, one)) {
			return Output{Shape: fmt.Sprint("data ", x)}
		}
		return Output{Shape: "nothing"}
	}, Default))(t)
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

// Independent numbers are decided together. Of seven numbers with loss ε each, the dataset shifts four, so the
// program is 4ε-private.
func TestPrivateProducts(t *testing.T) {
	p := must.For(New(t.Context(), "vector", line(t, 2), vector(7, times(t, 1, 1)), Default))(t) // four are shifted
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
	if need := ratPower(new(big.Rat).Inv(w.Z), 7); ratio.Cmp(need) <= 0 { // e^{7ε/2} = w^{−7}
		t.Errorf("the witness has the ratio %v, want more than %v", ratio, need)
	}
}

// The simplest rational number in an interval has the smallest denominator, and then the smallest numerator.
func TestSimplestByEnumeration(t *testing.T) {
	src := rand.New(rand.NewPCG(9, 1))
	for range 500 {
		a, b := big.NewRat(src.Int64N(60), 1+src.Int64N(40)), big.NewRat(src.Int64N(60), 1+src.Int64N(40))
		if src.IntN(8) == 0 {
			a.SetInt64(src.Int64N(3))
		}
		if a.Cmp(b) == 0 {
			continue
		}
		if a.Cmp(b) > 0 {
			a, b = b, a
		}
		want := (*big.Rat)(nil)
		for d := int64(1); want == nil; d++ {
			for n := interval.RationalFloor(new(big.Rat).Mul(a, big.NewRat(d, 1))).Int64(); ; n++ {
				q := big.NewRat(n, d)
				if q.Cmp(b) >= 0 {
					break
				}
				if q.Cmp(a) > 0 {
					want = q
					break
				}
			}
		}
		if got := simplest(a, b); got.Cmp(want) != 0 {
			t.Fatalf("the simplest in (%v, %v) is %v, want %v", a, b, got, want)
		}
	}
}

// union returns the union of spans with a cover, compared at all points. The ends are roots of (z − a)(z − b).
func TestUnionMatchesPoints(t *testing.T) {
	src := rand.New(rand.NewPCG(9, 2))
	for range 60 {
		var failing []failure
		var ends [][2]int64
		of := make(map[int][2]int64)
		for i := range 1 + src.IntN(5) {
			a, b := 1+src.Int64N(23), 1+src.Int64N(23)
			if a == b {
				continue
			}
			a, b = min(a, b), max(a, b)
			ends = append(ends, [2]int64{a, b})
			of[i] = [2]int64{a, b}
			p := roots.New(a*b, -24*(a+b), 576)
			spans := must.For(p.Negative(t.Context(), width))(t)
			if len(spans) != 1 {
				t.Fatalf("%v is negative on %v", p, spans)
			}
			failing = append(failing, failure{inequality{x: i, y: i + 1, cells: []int{i}}, roots.Known{Of: p, Root: spans[0].From}, roots.Known{Of: p, Root: spans[0].To}})
		}
		got := must.For(union(t.Context(), failing))(t)
		// Even indices of 1/48 are ends, and odd ones lie between them.
		in := make([]bool, 49)
		for _, e := range ends {
			for k := 2*e[0] + 1; k < 2*e[1]; k++ {
				in[k] = true
			}
		}
		var want [][2]int
		for k := 1; k < 49; k++ {
			if in[k] && !in[k-1] {
				want = append(want, [2]int{k - 1, 0})
			}
			if !in[k] && in[k-1] {
				want[len(want)-1][1] = k
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%v have the union %v, want %v/48", ends, got, want)
		}
		at := func(k int) *big.Rat { return big.NewRat(int64(k), 48) }
		for i, s := range got {
			if s.From.Lo.Cmp(at(want[i][0])) > 0 || s.From.Hi.Cmp(at(want[i][0])) < 0 || s.To.Lo.Cmp(at(want[i][1])) > 0 || s.To.Hi.Cmp(at(want[i][1])) < 0 {
				t.Fatalf("%v have the union %v, want %v/48", ends, got, want)
			}
			on := s.From.Hi
			if s.Cover[len(s.Cover)-1].To.Cmp(s.To.Lo) != 0 {
				t.Fatalf("%v: the cover ends at %v, want %v", ends, s.Cover[len(s.Cover)-1].To, s.To.Lo)
			}
			for j, c := range s.Cover {
				if own := of[c.X]; c.From.Cmp(big.NewRat(own[0], 24)) < 0 || c.To.Cmp(big.NewRat(own[1], 24)) > 0 {
					t.Fatalf("%v … %v is covered by an inequality that fails on %v/24", c.From, c.To, own)
				}
				if c.Y != c.X+1 || !slices.Equal(c.Cells, []int{c.X}) {
					t.Fatalf("cover %+v, want the inequality's own output", c)
				}
				if j == 0 && c.From.Cmp(on) != 0 || c.From.Cmp(on) > 0 || c.To.Cmp(on) <= 0 {
					t.Fatalf("%v: covered up to %v, next from %v to %v", ends, on, c.From, c.To)
				}
				on = c.To
			}
		}
	}
}
