package privacy

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strings"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// lawsOf returns the pair of laws p and q, given as numerators over the denominator den.
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

// namedUniverse is a universe identified by its name.
type namedUniverse string

func (c namedUniverse) Same(o Universe) bool { return c == o }

// exclusiveUniverse is incompatible with every other exclusiveUniverse.
type exclusiveUniverse struct {
	name string
	err  error
}

func (s exclusiveUniverse) Same(o Universe) bool {
	t, ok := o.(exclusiveUniverse)
	return ok && t.name == s.name
}

func (s exclusiveUniverse) CheckCompatible(o Universe) error {
	if _, ok := o.(exclusiveUniverse); ok {
		return s.err
	}
	return nil
}

// scopedPair returns the family of p and its reverse, over the given universe.
func scopedPair(name string, of Universe, p Pair) *DominatingPairs {
	f := PairAndReverse(name, "source of "+name, p)
	f.Universe = of
	return f
}

// Compose accepts up to maxUses uses in total, however they are split into parts, and rejects more.
func TestComposeLimitsUses(t *testing.T) {
	p := lawsOf(t, 4, []int64{1, 3}, []int64{2, 2})
	a := New(scopedPair("a", namedUniverse("s"), p))
	half := must.For(Compose(t.Context(), []*Account{a}, []int{maxUses / 2}))(t)
	for _, c := range []struct {
		parts []*Account
		times []int
		fails string
	}{
		{[]*Account{a}, []int{maxUses}, ""}, {[]*Account{half}, []int{2}, ""}, {[]*Account{half, a}, []int{1, maxUses / 2}, ""}, {[]*Account{half, half}, []int{1, 1}, ""},
		{[]*Account{a}, []int{maxUses + 1}, "k = 1073741825, want 1…1073741824 uses"}, {[]*Account{a}, []int{0}, "k = 0, want 1…1073741824 uses"},
		{[]*Account{half}, []int{3}, "the composition has more than 1073741824 uses in all, want fewer"}, {[]*Account{half, a}, []int{1, maxUses/2 + 1}, "the composition has more than 1073741824 uses in all, want fewer"},
		{[]*Account{a, half}, []int{1, 2}, "the composition has more than 1073741824 uses in all, want fewer"}, {[]*Account{half, half, a}, []int{1, 1, 1}, "the composition has more than 1073741824 uses in all, want fewer"},
		{nil, nil, "0 mechanisms and 0 numbers of uses, want at least one mechanism and one number for each"}, {[]*Account{a, a}, []int{1}, "2 mechanisms and 1 numbers of uses, want at least one mechanism and one number for each"},
	} {
		got, err := Compose(t.Context(), c.parts, c.times)
		if c.fails == "" && (err != nil || got.uses[0].Times != maxUses) || c.fails != "" && (got != nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != c.fails) {
			t.Errorf("%v times: %v, %v, want %q", c.times, got, err, c.fails)
		}
	}
}

// Accounts over incompatible universes cannot be composed, in either order. Each of the two accounts composes with
// itself, with an account valid for all datasets, and with an account over an unrelated universe.
func TestComposeChecksUniverses(t *testing.T) {
	p := lawsOf(t, 4, []int64{1, 3}, []int64{2, 2})
	clash := errors.New("other datasets")
	x, y := New(scopedPair("x", exclusiveUniverse{"x", clash}, p)), New(scopedPair("y", exclusiveUniverse{"y", clash}, p))
	other, none := New(scopedPair("other", namedUniverse("s"), p)), New(PairAndReverse("none", "", p))
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
			t.Errorf("%v: IsBound is %t, want %t", names(c.parts), got.IsBound(), bounds)
		}
		lowerBounds := 0 // number of parts whose privacy is a lower bound of the result
		for _, a := range c.parts {
			if !c.shared || a.IsBound() {
				lowerBounds++
			}
		}
		if len(got.lowerBounds) != lowerBounds {
			t.Errorf("%v: %d lower bounds, want %d", names(c.parts), len(got.lowerBounds), lowerBounds)
		}
		// The reference is the part that has more than one pair.
		if c.shared && c.parts[0] != c.parts[1] && got.reference != x.uses[0].Of {
			t.Errorf("%v: the reference is %s", names(c.parts), got.reference.Name)
		}
	}
}

// Compose fails if the lower bounds of the parts have incompatible universes, even if the parts themselves do not.
func TestIncompatibleLowerBounds(t *testing.T) {
	clash := errors.New("other datasets")
	var parts []*Account
	for _, name := range []string{"x", "y"} {
		f := scopedPair(name, namedUniverse("s"), lawsOf(t, 4, []int64{1, 3}, []int64{2, 2}))
		f.LowerBound = scopedPair(name, exclusiveUniverse{name, clash}, lawsOf(t, 4, []int64{1, 3}, []int64{2, 2}))
		parts = append(parts, New(f))
	}
	if a, err := Compose(t.Context(), parts, []int{1, 1}); a != nil || !errors.Is(err, clash) {
		t.Errorf("%v, %v", a, err)
	}
}

func names(parts []*Account) string {
	var out []string
	for _, a := range parts {
		out = append(out, a.Name())
	}
	return strings.Join(out, ", ")
}

// The lower end of an upper bound comes from its lower bounds, or is 0 without any. It never exceeds the upper end.
func TestAsNumberLowerEnd(t *testing.T) {
	a := New(scopedPair("a", namedUniverse("s"), lawsOf(t, 4, []int64{1, 3}, []int64{2, 2})))
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
	// A rational value of a bound is not reported as exact. A certainly infinite value has Lo = +∞.
	if n, _ := (&Account{bound: true, uses: a.uses}).asNumber(evidence.ExactRat(big.NewRat(1, 2)), "what", nil); n.Kind() == evidence.KindExact {
		t.Errorf("the value of a bound is %#v, want no exact number", n)
	}
	if n, _ := (&Account{uses: a.uses}).asNumber(evidence.RatOrInterval{Enclosure: infinite}, "what", nil); n.(evidence.Certified).Lo != math.Inf(1) {
		t.Errorf("an infinite value is %#v, want Lo = +∞", n)
	}
}

// Wide enclosures carry a caveat; upper bounds and narrow enclosures do not.
func TestAsNumberCaveat(t *testing.T) {
	uses := New(scopedPair("a", namedUniverse("s"), lawsOf(t, 4, []int64{1, 3}, []int64{2, 2}))).uses
	for _, c := range []struct {
		lo, hi float64
		bound  bool
		want   bool
	}{
		{0.25, 0.5, false, true}, {0.25, 0.5, true, false}, {0.48, 0.5, false, false},
		{0.0001, 0.0005, false, false}, {0.0001, 0.002, false, true},
	} {
		a := &Account{bound: c.bound, uses: uses}
		n := must.For(a.asNumber(evidence.RatOrInterval{Enclosure: interval.Between(c.lo, c.hi)}, "what", nil))(t)
		if got := n.(evidence.Certified).Caveat != ""; got != c.want {
			t.Errorf("[%g, %g], bound %v: a caveat: %v, want %v", c.lo, c.hi, c.bound, got, c.want)
		}
	}
}

// lowerOrSelf returns the account itself only if its pairs were not rounded up and it is no upper bound.
func TestLowerOrSelf(t *testing.T) {
	lower := new(Account)
	for i, c := range []struct{ of, want *Account }{
		{&Account{bound: true}, nil}, {&Account{rounded: true}, nil}, {&Account{bound: true, lowerAccount: lower}, lower},
	} {
		if got := c.of.lowerOrSelf(); got != c.want {
			t.Errorf("case %d: %v, want %v", i, got, c.want)
		}
	}
	if got := lower.lowerOrSelf(); got != lower {
		t.Errorf("an exact account: %v, want itself", got)
	}
}

// Functions that access state shared by goroutines wait for its lock.
func TestSharedStateIsLocked(t *testing.T) {
	ctx := t.Context()
	most, least, ln3 := amount(0.75, 0.75), amount(0.25, 0.25), must.For(evidence.LogEpsilon("eps", big.NewRat(3, 1)))(t)
	atoms := []Atom{{P: most, Q: least, Steps: 1, Offset: interval.Int(0)}, {P: least, Q: most, Steps: -1, Offset: interval.Int(0)}}
	pair := NewDiscretePair(atoms, zero, zero, ln3, Hooks{})
	a := New(PairAndReverse("pair", "test", pair))
	found := must.For(a.candidates(ctx))(t)
	p := must.For(a.composition(ctx, found[0]))(t)
	for _, c := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"candidates", &a.guard, func() { _, _ = a.candidates(ctx) }},
		{"composition", &a.guard, func() { _, _ = a.composition(ctx, found[0]) }},
		{"sumsAt", &p.guard, func() { _, _ = p.sumsAt(ctx, 64) }},
		{"meetInTheMiddle", &p.guard, func() { p.meetInTheMiddle() }},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}
