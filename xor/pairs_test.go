package xor_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
	"dpworkbench/xor"
)

// usesOf composes k uses of a family.
func usesOf(t testing.TB, f *privacy.DominatingPairs, k int) *privacy.Account {
	t.Helper()
	a := must.Be(privacy.Compose(context.Background(), []*privacy.Account{privacy.New(f)}, []int{k}))
	return a
}

// productDelta returns the sum of (p − wq)⁺ over all outputs of k uses, for probabilities p and q of neighboring
// inputs.
func productDelta(probs []*big.Rat, step, k int, w *big.Rat) *big.Rat {
	sum := new(big.Rat)
	var visit func(p, q *big.Rat, left int)
	visit = func(p, q *big.Rat, left int) {
		if left == 0 {
			if d := new(big.Rat).Sub(p, new(big.Rat).Mul(w, q)); d.Sign() > 0 {
				sum.Add(sum, d)
			}
			return
		}
		for b := range probs {
			visit(new(big.Rat).Mul(p, probs[b]), new(big.Rat).Mul(q, probs[b^step]), left-1)
		}
	}
	visit(big.NewRat(1, 1), big.NewRat(1, 1), k)
	return sum
}

// stateChances returns the probabilities of all states from their exponents.
func stateChances(exponents []float64) []float64 {
	out, sum := make([]float64, len(exponents)), 0.0
	top := slices.Max(exponents)
	for b, e := range exponents {
		out[b] = math.Exp(e - top)
		sum += out[b]
	}
	for b := range out {
		out[b] /= sum
	}
	return out
}

// checkPairs compares a family with float64 sums over all patterns and states of a law.
func checkPairs(t *testing.T, name string, f *privacy.DominatingPairs, exponents []float64, masks map[int]bool, most int) {
	t.Helper()
	ctx := context.Background()
	if f.Bound {
		t.Fatalf("%s: the pairs are only a bound", name)
	}
	chances := stateChances(exponents)
	f.Profile = nil // other tests check the profile of one use
	for k := 1; k <= most; k++ {
		a := usesOf(t, f, k)
		type outcome struct{ p, q, loss float64 }
		var products [][]outcome
		for m := range masks {
			all := []outcome{{1, 1, 0}}
			for range k {
				var next []outcome
				for _, x := range all {
					for b, p := range chances {
						next = append(next, outcome{x.p * p, x.q * chances[b^m], x.loss + exponents[b] - exponents[b^m]})
					}
				}
				all = next
			}
			products = append(products, all)
		}
		pure, second := 0.0, 0.0
		for _, all := range products {
			moment := 0.0
			for _, x := range all {
				pure = math.Max(pure, x.loss)
				moment += x.p * math.Exp(x.loss)
			}
			second = math.Max(second, math.Log(moment))
		}
		agree := func(what string, n evidence.Number, err error, want, width float64) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %s: %v", name, what, err)
			}
			lo, hi := n.Bounds()
			if slack := 1e-12 * (1 + want); !(lo-slack <= want && want <= hi+slack) || hi-lo > width {
				t.Errorf("%s, %d uses: %s in [%v, %v], want %v", name, k, what, lo, hi, want)
			}
		}
		n, err := a.Epsilon(ctx, evidence.Delta{})
		agree("smallest ε", n, err, pure, 1e-11*(1+pure))
		n, err = a.Renyi(ctx, big.NewRat(2, 1))
		agree("D_2", n, err, second, 1e-9*(1+second))
		for _, share := range []float64{0, 0.4, 1} {
			eps := share * pure
			if eps < 1e-9 {
				eps = 0
			}
			want := 0.0
			for _, all := range products {
				d := 0.0
				for _, x := range all {
					d += math.Max(0, x.p-math.Exp(eps)*x.q)
				}
				want = math.Max(want, d)
			}
			n, err = a.Delta(ctx, evidencetest.Epsilon(eps))
			agree(fmt.Sprintf("δ(%g)", eps), n, err, want, 1e-3)
			if share > 0.5 || want < 1e-9 {
				continue
			}
			n = must.Be(a.Epsilon(ctx, evidencetest.Delta(want)))
			if lo, hi := n.Bounds(); !(lo <= eps+1e-9*(1+eps) && eps-1e-9*(1+eps) <= hi) {
				t.Errorf("%s, %d uses: ε(%g) in [%v, %v], want %v", name, k, want, lo, hi, eps)
			}
		}
	}
	for i := range f.Size { // a pattern is its own reverse
		p := must.Be(f.Pair(ctx, i))
		d := must.Be(p.Delta(ctx, evidencetest.Epsilon(0.25))).Enclosure
		if r := must.Be(p.Reverse().Delta(ctx, evidencetest.Epsilon(0.25))).Enclosure; d.Less(r) || r.Less(d) {
			t.Errorf("%s, pattern %d: δ is %v, for the reverse %v", name, i, d, r)
		}
		if !math.IsNaN(d.Mid()) && f.Screen != nil {
			loose := f.Screen(i)
			sum := loose.InfinityMass
			for _, m := range loose.P {
				sum += m
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s, pattern %d: rough masses sum to %v", name, i, sum)
			}
		}
	}
}

// Pairs of laws given by blocks, of exchangeable columns and of tabulated noise agree with sums over all states.
func TestPairsAgainstAllStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 2))
	for trial := range 2 {
		for _, shape := range [][2]int{{2, 2}, {3, 1}} {
			n, p := shape[0], shape[1]
			b := randomLaw(t, n, p, 0.7, rng)
			if trial%2 == 0 {
				b = b.ForDecimals()
			}
			for name, c := range map[string]struct {
				nb    xor.Neighbors
				masks map[int]bool
			}{
				"one bit":  {xor.FlipBits(1), bitMasks(n*p, 1)},
				"two bits": {xor.FlipBits(2), bitMasks(n*p, 2)},
				"row":      {xor.FlipRows(1), rowMasks(n, p)},
			} {
				f := must.Be(b.PairsUnder(c.nb))
				checkPairs(t, fmt.Sprintf("%s of a law of %d × %d, trial %d", name, n, p, trial), f, exponents(b), c.masks, 1+trial)
			}
		}
	}
	for trial, c := range []struct {
		n, p          int
		theta, lambda float64
	}{{3, 1, 0.3, 0.1}, {2, 2, 0.3, 0}, {2, 2, -0.5, 0.25}, {3, 2, 0.2, 0.07}, {2, 3, 0.4, -0.3}, {3, 1, math.Pi / 10, math.Sqrt2 / 7}, {2, 2, 0, 0}} {
		b := must.Be(xor.NewUniform(c.n, c.p, c.theta, c.lambda))
		if trial%2 == 0 {
			b = b.ForDecimals()
		}
		for s := 1; s <= 3; s++ {
			most := 1
			if s == 1 && trial < 3 {
				most = 2
			}
			f := must.Be(b.PairsUnder(xor.FlipBits(s)))
			checkPairs(t, fmt.Sprintf("%d bits of columns %v", s, c), f, exponents(b), bitMasks(c.n*c.p, s), most)
		}
		f := must.Be(b.PairsUnder(xor.FlipRows(1)))
		checkPairs(t, fmt.Sprintf("row of columns %v", c), f, exponents(b), rowMasks(c.n, c.p), 1)
		if c.n == c.p {
			f := must.Be(b.PairsUnder(xor.FlipEdges(1)))
			checkPairs(t, fmt.Sprintf("edge of columns %v", c), f, exponents(b), edgeMasks(c.n), 1)
		}
		if c.n > 1 {
			masks := map[int]bool{}
			for _, s := range must.Be(xor.FlipRows(2).Differences(c.n, c.p)) {
				masks[s] = true
			}
			f := must.Be(b.PairsUnder(xor.FlipRows(2)))
			checkPairs(t, fmt.Sprintf("two rows of columns %v", c), f, exponents(b), masks, 1)
		}
	}
}

// Composing one use returns exactly the numbers of Under, or narrower intervals where Under is less precise. Larger
// laws have only bounds, which are marked as such.
func TestPairsOfOneUseAndBounds(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(23, 3))
	for name, c := range map[string]struct {
		law   *xor.Bernoulli
		bits  int
		bound bool
	}{
		"states":            {randomLaw(t, 2, 2, 0.5, rng), 2, false},
		"columns":           {must.Be(xor.NewUniform(200, 100, 0.1, 0.0001)), 3, false},
		"too many states":   {randomLaw(t, 4, 5, 0.5, rng), 1, true},
		"too many patterns": {must.Be(xor.NewUniform(100, 100, 0.1, 0.001)), 100, true},
		"long columns":      {must.Be(xor.NewUniform(1<<20, 2, 0.1, 1e-9)), 1, true},
	} {
		nb := xor.FlipBits(c.bits)
		f := must.Be(c.law.PairsUnder(nb))
		under := must.Be(c.law.Under(nb, xor.LossOptions{}))
		one, two := privacy.New(f), usesOf(t, f, 2)
		if f.Bound != c.bound || two.IsBound() != c.bound {
			t.Errorf("%s: bound is %v, want %v", name, f.Bound, c.bound)
		}
		for _, e := range []float64{0, 0.1} {
			if got, want := must.Be(one.Delta(ctx, evidencetest.Epsilon(e))), must.Be(under.Delta(ctx, evidencetest.Epsilon(e))); got != want && (name != "columns" || !liesWithin(got, want)) {
				t.Errorf("%s: δ(%g) = %v, want %v", name, e, got, want)
			}
		}
		for _, delta := range []float64{0, 0.01} {
			if got, want := withoutStatement(must.Be(one.Epsilon(ctx, evidencetest.Delta(delta)))), withoutStatement(must.Be(under.Epsilon(ctx, evidencetest.Delta(delta)))); got != want && (name != "columns" || !liesWithin(got, want)) {
				t.Errorf("%s: ε(%g) = %v, want %v", name, delta, got, want)
			}
		}
		pure, both := must.Be(under.Epsilon(ctx, evidence.Delta{})).Float(), must.Be(two.Epsilon(ctx, evidence.Delta{}))
		lo, hi := both.Bounds()
		if !(hi >= 2*pure*(1-1e-12) && hi <= 2*pure*(1+1e-9)) || (lo < hi/2) != c.bound {
			t.Errorf("%s: smallest ε of two uses in [%v, %v], want %v", name, lo, hi, 2*pure)
		}
	}
}

// Several uses of one law share the difference pattern, and uses of different laws do not. The worst pattern and state
// are described.
func TestUsesOfOneLawShareThePattern(t *testing.T) {
	ctx := context.Background()
	b := must.Be(xor.NewUniform(3, 2, 0.3, 0.1))
	nb := xor.FlipBits(2)
	a, same := privacy.New(must.Be(b.PairsUnder(nb))), privacy.New(must.Be(b.PairsUnder(nb)))
	for name, c := range map[string]struct {
		with  *privacy.Account
		bound bool
	}{
		"again":     {same, false},
		"one bit":   {privacy.New(must.Be(b.PairsUnder(xor.FlipBits(1)))), true},
		"other law": {privacy.New(must.Be(must.Be(xor.NewUniform(3, 2, 0.3, 0.2)).PairsUnder(nb))), true},
	} {
		both := must.Be(privacy.Compose(ctx, []*privacy.Account{a, c.with}, []int{1, 1}))
		if both.IsBound() != c.bound {
			t.Errorf("%s: bound is %v, want %v", name, both.IsBound(), c.bound)
		}
	}
	w := must.Be(a.Worst(ctx, nil))
	if got := fmt.Sprint(w.X, "; ", w.Y); got != "no bits; bits (0, 0) (0, 1)" {
		t.Errorf("worst pattern is %s", got)
	}
	column := must.Be(must.Be(xor.NewUniform(4, 1, 0.3, 0.1)).PairsUnder(xor.FlipBits(1)))
	w = must.Be(privacy.New(column).Worst(ctx, nil))
	if got := fmt.Sprint(w.Y, w.Outputs); got != "bits (0, 0) [bits (0, 0) (1, 0) (2, 0) (3, 0)]" {
		t.Errorf("worst state is %s", got)
	}
	if got := fmt.Sprint(must.Be(privacy.New(must.Be(responses(1, 2).PairsUnder(xor.FlipRows(1)))).Worst(ctx, nil))); got == "" {
		t.Error(got)
	}
}

// liesWithin reports whether the interval of got is inside that of want.
func liesWithin(got, want evidence.Number) bool {
	lo, hi := got.Bounds()
	least, most := want.Bounds()
	return least <= lo && hi <= most
}

// withoutStatement removes the statement, which differs between calls.
func withoutStatement(n evidence.Number) evidence.Number { return evidence.WithStatement(n, nil) }
