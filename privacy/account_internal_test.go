package privacy

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// lawsOf returns the pair of two laws over a common denominator.
func lawsOf(t testing.TB, den int64, p, q []int64) *DiscretePair {
	t.Helper()
	rats := func(nums []int64) (out []*big.Rat) {
		for _, n := range nums {
			out = append(out, big.NewRat(n, den))
		}
		return out
	}
	return must.For(NewRationalPair(rats(p), rats(q)))(t)
}

// counted is a scope by name.
type counted string

func (c counted) Same(o Universe) bool { return c == o }

// apartFrom is a scope whose datasets are those of no other of its kind.
type apartFrom struct {
	name string
	err  error
}

func (s apartFrom) Same(o Universe) bool {
	t, ok := o.(apartFrom)
	return ok && t.name == s.name
}

func (s apartFrom) CheckCompatible(o Universe) error {
	if _, ok := o.(apartFrom); ok {
		return s.err
	}
	return nil
}

// scopedPair is a family of one pair and its reverse with a scope.
func scopedPair(name string, of Universe, p Pair) *DominatingPairs {
	f := PairAndReverse(name, "source of "+name, p)
	f.Universe = of
	return f
}

// An account is called by its parts and how often they are used, those of one family counted together, parts of parts in turn.
func TestNamesOfAccounts(t *testing.T) {
	p := lawsOf(t, 4, []int64{1, 3}, []int64{2, 2})
	a, b := New(scopedPair("a", counted("s"), p)), New(scopedPair("b", counted("s"), p))
	two := must.For(Compose(t.Context(), []*Account{a, b, a}, []int{2, 1, 3}))(t)
	if two.Name() != "2 × a + b + 3 × a" {
		t.Errorf("it is called %q", two.Name())
	}
	all := must.For(Compose(t.Context(), []*Account{two, a}, []int{3, 4}))(t)
	if all.Name() != "3 × 2 × a + b + 3 × a + 4 × a" {
		t.Errorf("it is called %q", all.Name())
	}
	if len(all.uses) != 2 || all.uses[0] != (Use{a.uses[0].Of, 19}) || all.uses[1] != (Use{b.uses[0].Of, 3}) {
		t.Errorf("it is used %v", all.uses)
	}
	if all.bound || all.lowerBounds != nil || all.reference == nil {
		t.Errorf("a bound: %t, by %v", all.bound, all.lowerBounds)
	}
}

// As many uses as are allowed are allowed, one part or many, and no more.
func TestMostUses(t *testing.T) {
	p := lawsOf(t, 4, []int64{1, 3}, []int64{2, 2})
	a := New(scopedPair("a", counted("s"), p))
	half := must.For(Compose(t.Context(), []*Account{a}, []int{maxUses / 2}))(t)
	for _, c := range []struct {
		parts []*Account
		times []int
		fails string
	}{
		{[]*Account{a}, []int{maxUses}, ""}, {[]*Account{half}, []int{2}, ""}, {[]*Account{half, a}, []int{1, maxUses / 2}, ""}, {[]*Account{half, half}, []int{1, 1}, ""},
		{[]*Account{a}, []int{maxUses + 1}, "k = 1073741825, want 1…1073741824 uses"}, {[]*Account{a}, []int{0}, "k = 0, want 1…1073741824 uses"},
		{[]*Account{half}, []int{3}, "more than 1073741824 uses in all"}, {[]*Account{half, a}, []int{1, maxUses/2 + 1}, "more than 1073741824 uses in all"},
		{[]*Account{a, half}, []int{1, 2}, "more than 1073741824 uses in all"}, {[]*Account{half, half, a}, []int{1, 1, 1}, "more than 1073741824 uses in all"},
		{nil, nil, "0 mechanisms and 0 numbers of uses, want at least one, and as many of both"}, {[]*Account{a, a}, []int{1}, "2 mechanisms and 1 numbers of uses, want at least one, and as many of both"},
	} {
		got, err := Compose(t.Context(), c.parts, c.times)
		if c.fails == "" && (err != nil || got.uses[0].Times != maxUses) || c.fails != "" && (got != nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != c.fails) {
			t.Errorf("%v times: %v, %v, want %q", c.times, got, err, c.fails)
		}
	}
}

// Families of datasets that exclude each other are composed with themselves, with what is of all datasets, and with what is counted by nothing
// of the kind; not with each other, whichever comes first.
func TestExclusiveScopes(t *testing.T) {
	p := lawsOf(t, 4, []int64{1, 3}, []int64{2, 2})
	clash := errors.New("other datasets")
	x, y := New(scopedPair("x", apartFrom{"x", clash}, p)), New(scopedPair("y", apartFrom{"y", clash}, p))
	other, none := New(scopedPair("other", counted("s"), p)), New(PairAndReverse("none", "", p))
	everywhere := New(PureDP("everywhere", ProfileFunc{Pure: func(context.Context) (evidence.Number, error) { return evidence.FromFloat(1), nil }}))
	for _, c := range []struct {
		parts  []*Account
		clash  bool
		shared bool
	}{
		{[]*Account{x, x}, false, true}, {[]*Account{x, y}, true, false}, {[]*Account{y, x}, true, false}, {[]*Account{other, x, y}, true, false}, {[]*Account{x, other, y}, true, false},
		{[]*Account{x, other}, false, false}, {[]*Account{other, x}, false, false}, {[]*Account{x, none}, false, false}, {[]*Account{none, x}, false, false},
		{[]*Account{none, none}, false, true}, {[]*Account{x, everywhere}, false, true}, {[]*Account{everywhere, x}, false, true}, {[]*Account{none, other, none}, false, false},
	} {
		times := make([]int, len(c.parts))
		for i := range times {
			times[i] = 1
		}
		got, err := Compose(t.Context(), c.parts, times)
		if c.clash {
			if got != nil || !errors.Is(err, clash) {
				t.Errorf("%v: %v, %v, want a clash", names(c.parts), got, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", names(c.parts), err)
			continue
		}
		bounds := !c.shared
		for _, a := range c.parts {
			bounds = bounds || a.IsBound()
		}
		if got.IsBound() != bounds {
			t.Errorf("%v: a bound: %t, want %t", names(c.parts), got.IsBound(), bounds)
		}
		lowerBounds := 0 // what one part shows, all of them do, where the pairs are a bound
		for _, a := range c.parts {
			if !c.shared || a.IsBound() {
				lowerBounds++
			}
		}
		if len(got.lowerBounds) != lowerBounds {
			t.Errorf("%v: bounded from below by %d accounts, want %d", names(c.parts), len(got.lowerBounds), lowerBounds)
		}
		// Pairs are counted by whoever has more than one.
		if c.shared && c.parts[0] != c.parts[1] && got.reference != x.uses[0].Of {
			t.Errorf("%v: pairs are counted by %s", names(c.parts), got.reference.Name)
		}
	}
}

func names(parts []*Account) string {
	var out []string
	for _, a := range parts {
		out = append(out, a.Name())
	}
	return strings.Join(out, ", ")
}

// Answers say how they were found, and whence the pairs come: of one family alone.
func TestWhatAnswersSay(t *testing.T) {
	third := must.Be(evidence.NewEpsilon("eps", 0.3))
	response := must.For(ApproxDP(third, big.NewRat(1, 100)))(t)
	infinityMass := must.For(ApproxDP(evidence.Epsilon{}, one))(t)
	p := lawsOf(t, 4, []int64{1, 3}, []int64{2, 2})
	a, b := scopedPair("a", counted("s"), p), scopedPair("b", counted("o"), p)
	composed := func(times int, families ...*DominatingPairs) *Account {
		var parts []*Account
		var all []int
		for _, f := range families {
			parts, all = append(parts, New(f)), append(all, times)
		}
		return must.For(Compose(t.Context(), parts, all))(t)
	}
	normal := NormalPairs("normal", "source of normal", interval.Float(0.5))
	const (
		delta  = "hockey-stick divergence of the worst pair, both directions"
		sums   = "sums of losses on a lattice, masses cut off and accounted for"
		bound  = "product of dominating pairs, an upper bound"
		moment = "sums of log-moments in 256-bit intervals"
	)
	for name, c := range map[string]struct {
		n              evidence.Number
		method, source string
	}{
		"δ of one family":     {must.Be(composed(2, normal).Delta(t.Context(), third)), sums, delta + "; source of normal"},
		"δ of two families":   {must.Be(composed(1, response, normal).Delta(t.Context(), third)), sums, delta},
		"δ of bounds":         {must.Be(composed(1, a, b).Delta(t.Context(), third)), bound, delta},
		"ε":                   {must.Be(composed(2, normal).Epsilon(t.Context(), evidencetest.Delta(0.01))), sums, "least ε of the worst pair; source of normal"},
		"ε without end":       {must.Be(composed(2, normal).Epsilon(t.Context(), evidence.Delta{})), "losses without a bound", "largest loss of the worst pair; source of normal"},
		"ε of sure outputs":   {must.Be(composed(2, infinityMass).Epsilon(t.Context(), evidence.Delta{})), "an output that just one of two neighbors can have", "largest loss of the worst pair; Kairouz, Oh and Viswanath 2015"},
		"ε of likely outputs": {must.Be(composed(2, response).Epsilon(t.Context(), evidence.Delta{})), "an output that just one of two neighbors can have", "largest loss of the worst pair; Kairouz, Oh and Viswanath 2015"},
		"D":                   {must.Be(composed(2, normal).Renyi(t.Context(), big.NewRat(3, 1))), moment, "Rényi divergence of the worst pair, both directions (Mironov 2017); source of normal"},
		"ρ":                   {must.Be(composed(2, normal).ZCDP(t.Context())), "branch and bound over α, convexity of the log-moment", "sup of D_α/α over α > 1 (Bun and Steinke 2016, Definition 1.1); source of normal"},
		"μ":                   {must.Be(composed(2, normal).GDP(t.Context())), "normal quantiles in intervals, at the corners of the trade-off function", "largest Φ⁻¹(P(E)) − Φ⁻¹(Q(E)) (Dong, Roth and Su 2022); source of normal"},
	} {
		got, ok := c.n.(evidence.Certified)
		if !ok || got.Side != evidence.Up || got.Method != c.method || got.Source != c.source {
			t.Errorf("%s: %T by %q from %q, want %q from %q", name, c.n, got.Method, got.Source, c.method, c.source)
		}
	}
	exactly := must.Be(composed(2, a).Delta(t.Context(), evidence.Epsilon{}))
	if e, ok := exactly.(evidence.Exact); !ok || e.Source != delta+"; source of a" {
		t.Errorf("δ of laws is %#v", exactly)
	}
	log := must.Be(composed(2, a).Epsilon(t.Context(), evidence.Delta{}))
	if e, ok := log.(evidence.ExactLog); !ok || e.Source != "largest loss of the worst pair" || e.Argument.Cmp(big.NewRat(4, 1)) != 0 {
		t.Errorf("the smallest ε of laws is %#v", log)
	}
}

// An amount is the larger of two where one is for sure, and encloses both where that is open; rationals stay.
func TestLargerAmounts(t *testing.T) {
	between := func(lo, hi float64) evidence.RatOrInterval {
		return evidence.RatOrInterval{Enclosure: interval.Between(lo, hi)}
	}
	half, third := evidence.ExactRat(big.NewRat(1, 2)), evidence.ExactRat(big.NewRat(1, 3))
	for i, c := range []struct {
		a, b   evidence.RatOrInterval
		lo, hi float64
		exact  bool
	}{
		{half, third, 0.5, 0.5, true}, {half, half, 0.5, 0.5, true}, {half, between(0.1, 0.2), 0.5, 0.5, true}, {half, between(0.6, 0.7), 0.6, 0.7, false},
		{half, between(0.4, 0.7), 0.5, 0.7, false}, {between(0.1, 0.3), between(0.2, 0.25), 0.2, 0.3, false}, {between(0.1, 0.2), between(0.3, 0.4), 0.3, 0.4, false},
	} {
		for _, got := range []evidence.RatOrInterval{Max(c.a, c.b), Max(c.b, c.a)} {
			if lo, hi := got.Enclosure.Bounds(); lo != c.lo || hi != c.hi || (got.Rational != nil) != c.exact {
				t.Errorf("case %d: [%g, %g], exact: %t", i, lo, hi, got.Rational != nil)
			}
		}
	}
}

// Of what is an upper bound the lower end is what the parts show, and 0 without any; it never passes the upper end.
func TestLowerEndsOfBounds(t *testing.T) {
	a := New(scopedPair("a", counted("s"), lawsOf(t, 4, []int64{1, 3}, []int64{2, 2})))
	d := evidence.RatOrInterval{Enclosure: interval.Between(0.25, 0.5)}
	shows := func(v float64) func(*Account) (evidence.Number, error) {
		return func(*Account) (evidence.Number, error) { return evidence.Certified{Lo: v, Hi: 2 * v}, nil }
	}
	gone := errors.New("gone")
	for i, c := range []struct {
		of     *Account
		below  func(*Account) (evidence.Number, error)
		lo, hi float64
		fails  bool
	}{
		{&Account{}, shows(0.4), 0.25, 0.5, false}, {&Account{bound: true}, shows(0.4), 0, 0.5, false}, {&Account{rounded: true}, shows(0.4), 0, 0.5, false},
		{&Account{bound: true, lowerBounds: []*Account{a}}, shows(0.4), 0.4, 0.5, false}, {&Account{rounded: true, lowerBounds: []*Account{a}}, shows(0.4), 0.4, 0.5, false},
		{&Account{bound: true, lowerBounds: []*Account{a, a}}, shows(0.75), 0.5, 0.5, false},
		{&Account{bound: true, lowerBounds: []*Account{a}}, func(*Account) (evidence.Number, error) { return nil, gone }, 0, 0, true},
	} {
		c.of.uses = a.uses
		n, err := c.of.asNumber(d, "what", c.below)
		if c.fails {
			if n != nil || !errors.Is(err, gone) {
				t.Errorf("case %d: %v, %v", i, n, err)
			}
			continue
		}
		if lo, hi := must.For(n, err)(t).Bounds(); lo != c.lo || hi != c.hi {
			t.Errorf("case %d: [%g, %g], want [%g, %g]", i, lo, hi, c.lo, c.hi)
		}
	}
	// A rational amount of a bound is no exact number, and one that is infinite for sure has both ends there.
	if n, _ := (&Account{bound: true, uses: a.uses}).asNumber(evidence.ExactRat(big.NewRat(1, 2)), "what", nil); n.Kind() == evidence.KindExact {
		t.Errorf("a bound is %#v", n)
	}
	if n, _ := (&Account{uses: a.uses}).asNumber(evidence.RatOrInterval{Enclosure: infinite}, "what", nil); n.(evidence.Certified).Lo != math.Inf(1) {
		t.Errorf("what is infinite is %#v", n)
	}
}
