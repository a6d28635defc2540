package privacy_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// fixed is a Profile that returns the same number, or an error, for every argument.
type fixed struct {
	eps evidence.Number
	err error
}

func (c fixed) Delta(context.Context, evidence.Epsilon) (evidence.Number, error) { return c.eps, c.err }

func (c fixed) Epsilon(context.Context, evidence.Delta) (evidence.Number, error) { return c.eps, c.err }

// If only the smallest ε of a mechanism is known, its uses have the δ of randomized response with that ε.
func TestPureDPIsRandomizedResponse(t *testing.T) {
	one, three := big.NewRat(1, 1), big.NewRat(3, 1)
	for name, c := range map[string]struct {
		curve privacy.Profile
		delta *big.Rat // δ of one use of the pair at ε = 0
	}{
		"ln 3":     {fixed{eps: evidence.ExactLog{Argument: three}}, big.NewRat(1, 2)},
		"nothing":  {fixed{eps: evidence.Exact{Value: new(big.Rat)}}, new(big.Rat)},
		"infinite": {fixed{eps: evidence.Certified{Lo: 1, Hi: math.Inf(1), Side: evidence.Up}}, one},
		"up to 1":  {fixed{eps: evidence.Certified{Lo: 0.5, Hi: 1, Side: evidence.Up}}, nil},
	} {
		f := privacy.PureDP(name, c.curve)
		if !f.TranslationInvariant || !f.Bound || f.Size != 1 || f.Profile == nil || f.Source == "" {
			t.Fatalf("%s: %+v", name, f.Name)
		}
		p := must.For(f.Pair(t.Context(), 0))(t)
		d := must.For(p.Delta(t.Context(), evidence.Epsilon{}))(t)
		if c.delta != nil && (d.Rational == nil || d.Rational.Cmp(c.delta) != 0) {
			t.Errorf("%s: total variation %v, want %v", name, d, c.delta)
		}
		if lo, hi := d.Enclosure.Bounds(); c.delta == nil && (lo > math.Tanh(0.5) || hi < math.Tanh(0.5) || hi-lo > 1e-15) { // tanh ½ = (e − 1)/(e + 1)
			t.Errorf("%s: total variation in [%g, %g], want %g", name, lo, hi, math.Tanh(0.5))
		}
	}
	gone := errors.New("gone")
	for name, curve := range map[string]privacy.Profile{"an error": fixed{err: gone}, "no number": fixed{}, "NaN": fixed{eps: evidence.Certified{Lo: math.NaN(), Hi: 1}}} {
		p, err := privacy.PureDP(name, curve).Pair(t.Context(), 0)
		if p != nil || err == nil || name == "an error" && !errors.Is(err, gone) || name != "an error" && !errors.Is(err, evidence.ErrUndetermined) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
		a := privacy.New(privacy.PureDP(name, curve))
		for what, ask := range map[string]func() (evidence.Number, error){
			"δ": func() (evidence.Number, error) { return a.Delta(t.Context(), evidence.Epsilon{}) },
			"ε": func() (evidence.Number, error) { return a.Epsilon(t.Context(), evidencetest.Delta(0.1)) },
		} {
			if _, err := ask(); err == nil {
				t.Errorf("%s: %s returned no error", name, what)
			}
		}
	}
}

// A family's own profile answers for one use. Compositions do not use it.
func TestProfileIsUsedForOneUse(t *testing.T) {
	f := privacy.PairAndReverse("pair", "test", twoLaws(t, rats(4, 1, 3), rats(4, 2, 2)))
	own := evidence.Exact{Value: big.NewRat(7, 9)}
	f.Profile = fixed{eps: own}
	once := privacy.New(f)
	twice := must.For(privacy.Compose(t.Context(), []*privacy.Account{once}, []int{2}))(t)
	g := privacy.PairAndReverse("pair", "test", twoLaws(t, rats(4, 1, 3), rats(4, 2, 2)))
	g.Profile, g.Universe, f.Universe = fixed{eps: own}, scope("s"), scope("s")
	both := must.For(privacy.Compose(t.Context(), []*privacy.Account{once, privacy.New(g)}, []int{1, 1}))(t)
	for name, c := range map[string]struct {
		of  *privacy.Account
		own bool
	}{"once": {once, true}, "twice": {twice, false}, "beside another": {both, false}} {
		for what, ask := range map[string]func() (evidence.Number, error){
			"δ": func() (evidence.Number, error) { return c.of.Delta(t.Context(), evidence.Epsilon{}) },
			"ε": func() (evidence.Number, error) { return c.of.Epsilon(t.Context(), evidencetest.Delta(0.1)) },
		} {
			if got := must.For(ask())(t); (got == evidence.Number(own)) != c.own {
				t.Errorf("%s: %s is %v", name, what, got)
			}
		}
	}
}

// The pair of ApproxDP has the hockey-stick divergences of the worst (ε, δ)-private mechanism, exactly, and δ outside
// [0, 1] is rejected.
func TestApproxDPPair(t *testing.T) {
	one := big.NewRat(1, 1)
	ln3 := must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1)))
	for _, c := range []struct {
		eps     evidence.Epsilon
		delta   *big.Rat
		w, want *big.Rat // δ at ln w
		name    string
	}{
		{ln3, new(big.Rat), one, big.NewRat(1, 2), "known(eps=ln(3), delta=0)"},
		{ln3, big.NewRat(1, 5), one, big.NewRat(3, 5), "known(eps=ln(3), delta=1/5)"},              // 1/5 + 4/5·1/2
		{ln3, big.NewRat(1, 5), big.NewRat(2, 1), big.NewRat(2, 5), "known(eps=ln(3), delta=1/5)"}, // 1/5 + 4/5·(3 − 2)/4
		{ln3, big.NewRat(1, 5), big.NewRat(3, 1), big.NewRat(1, 5), "known(eps=ln(3), delta=1/5)"},
		{evidence.Epsilon{}, big.NewRat(1, 5), one, big.NewRat(1, 5), "known(eps=0, delta=1/5)"},
		{ln3, one, big.NewRat(9, 1), one, "known(eps=ln(3), delta=1)"},
	} {
		f := must.For(privacy.ApproxDP(c.eps, c.delta))(t)
		if !f.TranslationInvariant || f.Size != 1 || f.Relation != query.Any || f.Bound {
			t.Errorf("%s: %+v", f.Name, f.Size)
		}
		p := must.For(f.Pair(t.Context(), 0))(t)
		at := evidence.Epsilon{}
		if c.w.Cmp(one) > 0 {
			at = must.Be(evidence.LogEpsilon("eps", c.w))
		}
		for _, of := range []privacy.Pair{p, p.Reverse()} {
			d := must.For(of.Delta(t.Context(), at))(t)
			if d.Rational == nil || d.Rational.Cmp(c.want) != 0 || of.InfinityMass().Rational.Cmp(c.delta) != 0 {
				t.Errorf("%s: δ(ln %v) is %v, want %v", f.Name, c.w, d.Rational, c.want)
			}
		}
		if f.Name != c.name {
			t.Errorf("the name is %q, want %q", f.Name, c.name)
		}
	}
	for _, delta := range []*big.Rat{big.NewRat(-1, 7), big.NewRat(8, 7)} {
		if f, err := privacy.ApproxDP(ln3, delta); f != nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != "delta = "+delta.RatString()+", want 0 <= delta <= 1" {
			t.Errorf("δ = %v: %v, %v", delta, f, err)
		}
	}
}
