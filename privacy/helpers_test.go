package privacy_test

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"

	"pgregory.net/rapid"
)

// Expected values are computed from rational tables, output by output, and from big.Float series, without losses,
// lattices or intervals.

// table is a pair of laws over the same outputs.
type table struct{ p, q []*big.Rat }

// law draws a law of n outputs whose probabilities are small fractions, some of them zero.
func law(t *rapid.T, n int, label string) []*big.Rat {
	weights := rapid.SliceOfN(rapid.IntRange(0, 5), n, n).Draw(t, label)
	weights[rapid.IntRange(0, n-1).Draw(t, label+" sure")]++
	return normalized(weights)
}

func normalized(weights []int) []*big.Rat {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	out := make([]*big.Rat, len(weights))
	for i, w := range weights {
		out[i] = big.NewRat(int64(w), int64(sum))
	}
	return out
}

// tables draws the given number of pairs of laws, all over the same one to three outputs.
func tables(t *rapid.T, pairs int, label string) []table {
	n := rapid.IntRange(1, 3).Draw(t, label+" outputs")
	out := make([]table, pairs)
	for i := range out {
		out[i] = table{law(t, n, label+" p"), law(t, n, label+" q")}
	}
	return out
}

func (a table) reverse() table { return table{a.q, a.p} }

// times returns the laws of two independent outputs, one from each table.
func (a table) times(b table) (out table) {
	for i := range a.p {
		for j := range b.p {
			out.p = append(out.p, new(big.Rat).Mul(a.p[i], b.p[j]))
			out.q = append(out.q, new(big.Rat).Mul(a.q[i], b.q[j]))
		}
	}
	return out
}

// power returns the laws of n independent outputs.
func (a table) power(n int) table {
	out := table{[]*big.Rat{big.NewRat(1, 1)}, []*big.Rat{big.NewRat(1, 1)}}
	for range n {
		out = out.times(a)
	}
	return out
}

// delta returns Σ (p − wq)⁺.
func (a table) delta(w *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i := range a.p {
		if gap := new(big.Rat).Sub(a.p[i], new(big.Rat).Mul(w, a.q[i])); gap.Sign() > 0 {
			sum.Add(sum, gap)
		}
	}
	return sum
}

// worst returns the largest value of the given function over the tables and their reverses.
func worst(all []table, of func(table) *big.Rat) *big.Rat {
	var most *big.Rat
	for _, a := range all {
		for _, b := range []table{a, a.reverse()} {
			if v := of(b); most == nil || v.Cmp(most) > 0 {
				most = v
			}
		}
	}
	return most
}

// scope is a universe identified by its name.
type scope string

func (s scope) Same(o privacy.Universe) bool { return s == o }

// family returns the pairs of the tables and their reverses. If hidden is true, the masses are intervals, which
// excludes the exact algorithms.
func family(t interface{ Fatal(...any) }, of scope, all []table, hidden bool) *privacy.DominatingPairs {
	f := &privacy.DominatingPairs{Name: "tables", Universe: of, Size: 2 * len(all), Source: "test"}
	pairs := make([]privacy.Pair, 0, 2*len(all))
	for _, a := range all {
		for _, b := range []table{a, a.reverse()} {
			l := must.Be(privacy.NewRationalPair(b.p, b.q))
			if hidden {
				l = hide(l)
			}
			pairs = append(pairs, l)
		}
	}
	f.Pair = func(_ context.Context, i int) (privacy.Pair, error) { return pairs[i], nil }
	return f
}

func hide(l *privacy.DiscretePair) *privacy.DiscretePair {
	veil := func(a evidence.RatOrInterval) evidence.RatOrInterval {
		if a.Rational.Sign() == 0 {
			return a
		}
		return evidence.RatOrInterval{Enclosure: a.Enclosure}
	}
	var atoms []privacy.Atom
	for _, a := range l.Atoms() {
		atoms = append(atoms, privacy.Atom{P: veil(a.P), Q: veil(a.Q), Offset: a.Offset, Tags: a.Tags})
	}
	return privacy.NewDiscretePair(atoms, veil(l.InfinityMass()), veil(l.QOnlyMass()), evidence.Epsilon{}, privacy.Hooks{})
}

// pairsOf returns the family of the given pairs, in order.
func pairsOf(name string, of ...privacy.Pair) *privacy.DominatingPairs {
	pair := func(_ context.Context, i int) (privacy.Pair, error) { return of[i], nil }
	return &privacy.DominatingPairs{Name: name, Size: len(of), Pair: pair}
}

// noMass is a probability of 0.
var noMass = evidence.ExactRat(new(big.Rat))

// between returns a probability that is known to lie in [lo, hi].
func between(lo, hi float64) evidence.RatOrInterval {
	return evidence.RatOrInterval{Enclosure: interval.Between(lo, hi)}
}

// digits is the precision of the big.Float series in bits.
const digits = 400

// exp returns e^q by its series after repeated halving of q.
func exp(q *big.Rat) *big.Rat {
	x := new(big.Float).SetPrec(digits).SetRat(q)
	halvings := 0
	for ; x.Sign() != 0 && x.MantExp(nil) > -20; halvings++ {
		x.Quo(x, big.NewFloat(2))
	}
	sum, term := new(big.Float).SetPrec(digits).SetInt64(1), new(big.Float).SetPrec(digits).SetInt64(1)
	for n := int64(1); n < 40; n++ {
		term.Quo(term.Mul(term, x), new(big.Float).SetInt64(n))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	out, _ := sum.Rat(nil)
	return out
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// slack bounds the relative error of exp.
var slack = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), digits-100))

// around returns v decreased and increased by its error bound.
func around(v *big.Rat) (lo, hi *big.Rat) {
	d := new(big.Rat).Mul(v, slack)
	return new(big.Rat).Sub(v, d), new(big.Rat).Add(v, d)
}

// encloses reports whether the bounds of n contain a number between lo and hi.
func encloses(n evidence.Number, lo, hi *big.Rat) bool {
	l, h := n.Bounds()
	return (l < 0 || rat(l).Cmp(hi) <= 0) && (h >= 1e308 || rat(h).Cmp(lo) >= 0)
}

// proves checks by brute force that ε(δ) lies in the bounds of n: δ(hi) ≤ δ ≤ δ(lo).
func proves(delta float64, n evidence.Number, truth func(w *big.Rat) *big.Rat) bool {
	target := interval.Decimal(delta)
	lo, hi := n.Bounds()
	if hi < 700 {
		// w is an upper bound on e^hi, where δ may be slightly larger.
		_, w := around(exp(rat(hi)))
		if truth(w).Cmp(target) > 0 {
			return false
		}
	}
	if lo > 700 { // no finite ε suffices
		return truth(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 2000))).Cmp(target) >= 0
	}
	w, _ := around(exp(rat(lo)))
	return lo == 0 || truth(w).Cmp(target) >= 0
}

// few checks a slow property for at most n random cases.
func few(t *testing.T, n int, property func(t *rapid.T)) {
	tried := 0
	rapid.Check(t, func(t *rapid.T) {
		if tried++; tried <= n {
			property(t)
		}
	})
}

// logOf returns ln w, or 0 for w = 1.
func logOf(t interface{ Fatal(...any) }, w *big.Rat) evidence.Epsilon {
	if w.Cmp(big.NewRat(1, 1)) == 0 {
		return evidence.Epsilon{}
	}
	e := must.Be(evidence.LogEpsilon("eps", w))
	return e
}

func compose(t interface{ Fatal(...any) }, times []int, families ...*privacy.DominatingPairs) *privacy.Account {
	var parts []*privacy.Account
	for _, f := range families {
		parts = append(parts, privacy.New(f))
	}
	a := must.Be(privacy.Compose(context.Background(), parts, times))
	return a
}

func ask[T any](t interface{ Fatal(...any) }, v T, err error) T {
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// ratios returns the finite ratios P/Q of a table in increasing order, and whether some loss is infinite.
func (a table) ratios() (out []*big.Rat, infinite bool) {
	for i := range a.p {
		switch {
		case a.p[i].Sign() == 0:
		case a.q[i].Sign() == 0:
			infinite = true
		default:
			out = append(out, new(big.Rat).Quo(a.p[i], a.q[i]))
		}
	}
	slices.SortFunc(out, (*big.Rat).Cmp)
	return out, infinite
}
