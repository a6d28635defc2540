package program

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/roots"
	"dpworkbench/interval"
)

// Decision tells for which ε a symbolic program is times·ε-differentially private.
type Decision struct {
	Verdict evidence.Verdict // confirmed for every ε > 0, or refuted
	Times   *big.Rat
	Fails   []Range // ranges of ε without times·ε-privacy, ascending; empty if the claim is confirmed
	Witness *Witness
	Decided int // number of different polynomial inequalities
	Degree  int // largest degree of these polynomials

	Of          *Program
	Denominator int64  // z = e^{−ε/Denominator}
	Spans       []Span // the ranges Fails in terms of z, ascending
}

// Range is an open interval of ε whose ends are enclosed. From is 0 if the range begins at 0; To is nil if it is
// unbounded.
type Range struct{ From, To evidence.Number }

// Witness is a rational value of z = e^{−ε/Denominator} at which an output violates times·ε-differential privacy.
type Witness struct {
	X, Y        int // neighbors: the output's probability is P at X and Q at Y, and P > e^{times·ε} Q
	Output      string
	Cells       []int // index of the output's cell in each table
	Z           *big.Rat
	Denominator int64
	P, Q        *big.Rat
}

// Epsilon returns ε of the witness.
func (w *Witness) Epsilon() evidence.Number {
	return evidence.Enclosed(epsilonAt(w.Z, w.Denominator), "logarithm in intervals", "a rational power of e^{−ε}")
}

// Loss returns ln(P/Q), +Inf if Q is 0.
func (w *Witness) Loss() evidence.Number {
	if w.Q.Sign() == 0 {
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From("an output that one of two neighbors alone has").By("exact probabilities")}
	}
	return evidence.ExactLog{Argument: new(big.Rat).Quo(w.P, w.Q), Cases: 1, Side: evidence.Up, Provenance: evidence.From("an output at two neighbors")}
}

func epsilonAt(z *big.Rat, d int64) interval.Interval {
	return interval.Rat(z).Log().Neg().Mul(interval.Int(d))
}

// inequality is Q ≥ z^k·P for an output at two neighbors, as a polynomial in z that must be nonnegative on (0, 1).
type inequality struct {
	x, y  int
	cells []int // index of the output's cell in each table
	poly  roots.Polynomial
}

// width bounds the width of the enclosure of an end of a range of z.
var width = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 64))

// Private decides for every ε > 0 whether the program is times·ε-differentially private: for all neighbors and outputs,
// e^{−times·ε} p ≤ q. Each of these is a polynomial inequality on (0, 1) in a power of e^{−ε} with integer
// coefficients, decided by isolating the polynomial's roots. It returns an error wrapping evidence.ErrParameter if the
// program is not symbolic or times is not positive, and the context's error.
func (p *Program) Private(ctx context.Context, times *big.Rat) (*Decision, error) {
	if !p.rates.symbol {
		return nil, parameter.Errorf("program %s has no symbolic rate, want noise whose rates are multiples of one symbol", p.name)
	}
	if times.Sign() <= 0 {
		return nil, parameter.Bad("eps", times.RatString()+"·ε", "a positive multiple of ε")
	}
	k := new(big.Rat).Mul(times, new(big.Rat).SetInt64(p.rates.denom[0]))
	finer := k.Denom().Int64() // z = w^finer
	if !k.Denom().IsInt64() || finer > largestDenominator || k.Cmp(big.NewRat(largestCut, 1)) > 0 {
		return nil, parameter.Bad("eps", times.RatString()+"·ε", "a multiple of ε with a denominator of at most %d", largestDenominator)
	}
	todo, err := p.inequalities(ctx, finer, k.Num().Int64()) // powers of w
	if err != nil {
		return nil, err
	}
	d := p.rates.denom[0] * finer
	out := &Decision{Verdict: evidence.Confirmed, Times: times, Decided: len(todo), Of: p, Denominator: d}
	var failing []failure
	for _, q := range todo {
		out.Degree = max(out.Degree, q.poly.Degree())
		spans, err := q.poly.Negative(ctx, width)
		if err != nil {
			return nil, err
		}
		for _, s := range spans {
			failing = append(failing, failure{q, roots.Known{Of: q.poly, Root: s.From}, roots.Known{Of: q.poly, Root: s.To}})
		}
	}
	if len(failing) == 0 {
		return out, nil
	}
	out.Verdict = evidence.Refuted
	if out.Spans, err = union(ctx, failing); err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(out.Spans) {
		out.Fails = append(out.Fails, Range{ends(s.To, d), ends(s.From, d)})
	}
	out.Witness = p.witness(slices.MaxFunc(failing, func(a, b failure) int { return a.size().Cmp(b.size()) }), d, finer)
	return out, nil
}

// witness returns a simple value of z at which an inequality fails.
func (p *Program) witness(f failure, d, finer int64) *Witness {
	z := simplest(f.from.Hi, f.to.Lo)
	probability := func(x int) *big.Rat {
		q := big.NewRat(1, 1)
		for i, j := range f.of.cells {
			q.Mul(q, at(p.rates.field, p.tables[i].rows[x][j], z, finer))
		}
		return q
	}
	return &Witness{f.of.x, f.of.y, p.called(f.of.cells), f.of.cells, z, d, probability(f.of.x), probability(f.of.y)}
}

// inequalities returns the distinct inequalities, without those whose polynomial has no negative coefficient.
func (p *Program) inequalities(ctx context.Context, finer, shift int64) ([]inequality, error) {
	all, err := p.different(ctx)
	if err != nil {
		return nil, err
	}
	var out []inequality
	seen := make(map[string]bool)
	for _, e := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		stretched := func(l laurent, by int64) laurent {
			s := make(laurent, len(l))
			for i, m := range l {
				s[i] = monomial{exponent{m.e[0]*finer + by}, m.c}
			}
			return s
		}
		d := stretched(e.b.num, 0).sub(stretched(e.a.num, shift))
		if len(d) == 0 || !slices.ContainsFunc(d, func(m monomial) bool { return m.c.Sign() < 0 }) {
			continue
		}
		d = d.divide(d.content()).shift(d[0].e.times(-1))
		if n := d.degree(); n > largestDegree {
			return nil, parameter.Errorf("program %s leads to a polynomial inequality of degree %d, want at most %d: choose rates with a smaller common denominator, or smaller bounds of comparisons", p.name, n, largestDegree)
		}
		if key := d.key(); !seen[key] {
			seen[key] = true
			out = append(out, inequality{e.x, e.y, e.cells, polynomial(fraction{num: d})})
		}
	}
	return out, nil
}

// called returns the name of the output with the given cells, one from each table.
func (p *Program) called(cells []int) string {
	if len(cells) == 1 {
		return p.tables[0].cells[cells[0]]
	}
	labels := lists.Of(len(cells), func(i int) string { return p.tables[i].cells[cells[i]] })
	return p.output.text(labels)
}

func larger(x, y int) int { return max(x, y) }

// at returns the value of a where its unit is z^finer.
func at(f *field, a fraction, z *big.Rat, finer int64) *big.Rat {
	sum := func(p laurent) *big.Rat {
		total := new(big.Rat)
		for _, m := range p {
			v := interval.RationalPower(z, big.NewInt(m.e[0]*finer))
			total.Add(total, v.Mul(v, new(big.Rat).SetInt(m.c)))
		}
		return total
	}
	v := sum(a.num)
	v.Quo(v, new(big.Rat).SetInt(a.bottom()))
	for _, t := range a.below {
		d := sum(f.factors[t.number])
		for range t.times {
			v.Quo(v, d)
		}
	}
	return v
}

// simplest returns the rational number with the least denominator in the open interval (a, b), 0 ≤ a < b.
func simplest(a, b *big.Rat) *big.Rat {
	down := new(big.Rat).SetInt(interval.RationalFloor(a))
	next := new(big.Rat).Add(down, big.NewRat(1, 1))
	if next.Cmp(b) < 0 {
		return next
	}
	// a and b lie in [down, down + 1], so search between 1/(b − down) and 1/(a − down).
	left, right := new(big.Rat).Sub(a, down), new(big.Rat).Sub(b, down)
	var inner *big.Rat
	if left.Sign() == 0 { // the reciprocal is unbounded
		inner = new(big.Rat).SetInt(new(big.Int).Add(interval.RationalFloor(new(big.Rat).Inv(right)), big.NewInt(1)))
	} else {
		inner = simplest(new(big.Rat).Inv(right), new(big.Rat).Inv(left))
	}
	return down.Add(down, inner.Inv(inner))
}

// ends returns ε = −d·ln z at a root z: nil for z = 0, where ε is unbounded, and 0 for z = 1.
func ends(r roots.Root, d int64) evidence.Number {
	switch {
	case r.Hi.Sign() == 0:
		return nil
	case r.Lo.Cmp(big.NewRat(1, 1)) == 0:
		return evidence.FromInt(new(big.Int))
	}
	hi, lo := epsilonAt(r.Lo, d), epsilonAt(r.Hi, d)
	return evidence.Enclosed(interval.Hull(lo, hi), "roots isolated by bisection", "Descartes' rule of signs")
}
