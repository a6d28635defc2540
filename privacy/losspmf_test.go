package privacy_test

import (
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/interval"
	"dpworkbench/privacy"

	"pgregory.net/rapid"
)

// lattices draws a pair of laws whose losses lie on a lattice of ln 2, and its table. The offset is the logarithm of Σ
// p 2^−j.
func lattices(t *rapid.T) (*privacy.DiscretePair, table) {
	from, n := rapid.IntRange(-3, 1).Draw(t, "from"), rapid.IntRange(1, 4).Draw(t, "n")
	a := table{p: law(t, n, "p")}
	z := new(big.Rat)
	power := func(j int) *big.Rat { return interval.RationalPower(big.NewRat(1, 2), big.NewInt(int64(from+j))) }
	for j := range a.p {
		z.Add(z, new(big.Rat).Mul(a.p[j], power(j)))
	}
	var atoms []privacy.Atom
	veil := func(q *big.Rat) evidence.RatOrInterval { return evidence.RatOrInterval{Enclosure: interval.Rat(q)} }
	for j := range a.p {
		a.q = append(a.q, new(big.Rat).Quo(new(big.Rat).Mul(a.p[j], power(j)), z))
		if a.p[j].Sign() > 0 {
			atoms = append(atoms, privacy.Atom{P: veil(a.p[j]), Q: veil(a.q[j]), Steps: int64(from + j), Offset: interval.Rat(z).Log()})
		}
	}
	return privacy.NewDiscretePair(atoms, noMass, noMass, logOf(t, big.NewRat(2, 1)), privacy.Hooks{}), a
}

// For lattices with an irrational offset, answers are narrow and enclose the enumeration of all outputs.
func TestLatticeAnswersAreNarrow(t *testing.T) {
	t.Parallel()
	few(t, cases.Of(30, 100), func(t *rapid.T) {
		l, one := lattices(t)
		m, other := lattices(t)
		times := []int{rapid.IntRange(1, 3).Draw(t, "k"), rapid.IntRange(1, 3).Draw(t, "l")}
		f, g := privacy.PairAndReverse("a", "test", l), privacy.PairAndReverse("b", "test", m)
		f.Universe, g.Universe = scope("s"), scope("s")
		account, all := compose(t, times, f, g), []table{one.power(times[0]).times(other.power(times[1]))}
		truth := func(w *big.Rat) *big.Rat { return worst(all, func(a table) *big.Rat { return a.delta(w) }) }
		at := rapid.Float64Range(1e-3, 6).Draw(t, "eps")
		e, err := evidence.NewEpsilon("eps", at)
		d, err := account.Delta(ctx, ask(t, e, err))
		lo, hi := around(exp(rat(at)))
		if !encloses(ask(t, d, err), truth(hi), truth(lo)) {
			t.Fatalf("δ(%g) = %v is wrong", at, d)
		}
		if l, h := d.Bounds(); h-l > 1e-11*h {
			t.Fatalf("δ(%g) = %v is too wide", at, d)
		}
		delta := rapid.SampledFrom([]float64{1e-30, 1e-6, 0.1, 0.5}).Draw(t, "delta")
		n, err := account.Epsilon(ctx, evidencetest.Delta(delta))
		if !proves(delta, ask(t, n, err), truth) {
			t.Fatalf("ε(%g) = %v is wrong", delta, n)
		}
		if l, h := n.Bounds(); h-l > 1e-10*(1+h) {
			t.Fatalf("ε(%g) = %v is too wide", delta, n)
		}
	})
}
