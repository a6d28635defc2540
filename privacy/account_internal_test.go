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
		{nil, nil, "0 mechanisms and 0 numbers of uses, want at least one mechanism and one number for each"}, {[]*Account{a, a}, []int{1}, "2 mechanisms and 1 numbers of uses, want at least one mechanism and one number for each"},
	} {
		got, err := Compose(t.Context(), c.parts, c.times)
		if c.fails == "" && (err != nil || got.uses[0].Times != maxUses) || c.fails != "" && (got != nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != c.fails) {
			t.Errorf("%v times: %v, %v, want %q", c.times, got, err, c.fails)
		}
	}
}

// Families of datasets that exclude each other are composed with themselves, with what is of all datasets, and with
// what is counted by nothing of the kind; not with each other, whichever comes first.
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

// Lower bounds of parts that cannot be of one dataset are refused, though the parts can.
func TestIncompatibleLowerBounds(t *testing.T) {
	clash := errors.New("other datasets")
	var parts []*Account
	for _, name := range []string{"x", "y"} {
		f := scopedPair(name, counted("s"), lawsOf(t, 4, []int64{1, 3}, []int64{2, 2}))
		f.LowerBound = scopedPair(name, apartFrom{name, clash}, lawsOf(t, 4, []int64{1, 3}, []int64{2, 2}))
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

// The lower end of an upper bound is that of its parts, or 0 without any. It is never above the upper end.
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

// Functions that goroutines share wait for their lock.
func TestSharedStateIsLocked(t *testing.T) {
	ctx := t.Context()
	a := New(PairAndReverse("pair", "test", ternaryPair(t)))
	found := must.For(a.candidates(ctx))(t)
	p := must.For(a.composition(ctx, found[0]))(t)
	for _, c := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"the products that differ", &a.guard, func() { _, _ = a.candidates(ctx) }},
		{"a product", &a.guard, func() { _, _ = a.composition(ctx, found[0]) }},
		{"the law of a sum", &p.guard, func() { _, _ = p.sumsAt(ctx, 64) }},
		{"two halves", &p.guard, func() { p.meetInTheMiddle() }},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}
