package privacy

import (
	"context"
	"math"
	"math/big"
	"slices"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Use is a number of uses of one mechanism on the same dataset with independent noise.
type Use struct {
	Of    *DominatingPairs
	Times int
}

// Account is the privacy of a fixed set of uses of mechanisms on the same dataset: a profile, Rényi divergences and
// more. Every use sees the same two neighboring datasets. The pairs of the account are therefore the products of the
// pairs that the uses have at these datasets, and its privacy is that of the worst product. It is safe for concurrent
// use.
type Account struct {
	uses      []Use
	reference *DominatingPairs // family whose universe and size define the pairs of datasets
	bound     bool             // the pairs are an upper bound
	name      string
	assumes   string // what the answers assume about the uses: see Assumes

	// Each of lowerBounds is a lower bound on the privacy.
	lowerBounds  []*Account
	rounded      bool     // the pairs were rounded up
	bracketed    bool     // each pair that was rounded up has a lower bound: see composition.bracketed
	lowerAccount *Account // account of the lower bounds of all uses, if each use has one

	guard            sync.Mutex
	cachedCandidates []*candidate // nil until needed

	width float64 // the largest relative width of an answer; 0 for the default
}

// New returns the account of one use.
func New(f *DominatingPairs) *Account {
	a := &Account{uses: []Use{{f, 1}}, reference: f, bound: f.Bound, name: f.Name}
	if f.LowerBound != nil {
		a.rounded, a.bracketed, a.lowerAccount = true, true, New(f.LowerBound)
		a.lowerBounds = []*Account{a.lowerAccount}
	}
	return a
}

// lowerOrSelf returns an account that is a lower bound of a, possibly a itself. It returns nil if only parts of a have
// a lower bound.
func (a *Account) lowerOrSelf() *Account {
	switch {
	case a.lowerAccount != nil:
		return a.lowerAccount
	case a.bound || a.rounded:
		return nil
	}
	return a
}

// Name names the mechanisms and the numbers of uses.
func (a *Account) Name() string { return a.name }

// IsBound reports whether answers are upper bounds. The lower end of an answer is then a lower bound from single parts.
func (a *Account) IsBound() bool { return a.bound }

// validated returns an error if a profile from outside the package returned an invalid number.
func validated(n evidence.Number, err error) (evidence.Number, error) {
	if err == nil {
		err = evidence.Check(n)
	}
	return n, err
}

// ownProfile returns the profile that the family of a single use provides, or nil.
func (a *Account) ownProfile() Profile {
	if len(a.uses) == 1 && a.uses[0].Times == 1 {
		return a.uses[0].Of.Profile
	}
	return nil
}

// Delta implements Profile.
func (a *Account) Delta(ctx context.Context, eps evidence.Epsilon) (n evidence.Number, err error) {
	defer a.cite(&n, &err)
	if c := a.ownProfile(); c != nil {
		return validated(c.Delta(ctx, eps))
	}
	if c, laws := a.concentrated(); c != nil {
		return a.deltaByRenyi(ctx, c, laws, eps)
	}
	d, near, err := a.maxOverPairs(ctx, deltaBound(eps), func(p *composition, _ float64) (evidence.RatOrInterval, error) { return p.delta(ctx, eps) })
	if err != nil {
		return nil, err
	}
	n, err = a.asNumber(d, "hockey-stick divergence of the worst pair, both directions", a.below(near, &eps, func(u *Account) (evidence.Number, error) { return u.Delta(ctx, eps) }))
	return a.withStatement(n, err, CompositionStatement{At: &eps})
}

// Epsilon implements Profile.
func (a *Account) Epsilon(ctx context.Context, delta evidence.Delta) (n evidence.Number, err error) {
	defer a.cite(&n, &err)
	if c := a.ownProfile(); c != nil {
		return validated(c.Epsilon(ctx, delta))
	}
	if c, laws := a.concentrated(); c != nil {
		return a.epsilonByRenyi(ctx, c, laws, delta)
	}
	if delta.IsZero() {
		n, err := a.pure(ctx)
		return a.withStatement(n, err, CompositionStatement{Delta: new(big.Rat)})
	}
	exact := delta.Rat()
	least, _ := delta.Bounds()
	// For finite losses δ ≤ e^{exponent − sε}, and the infinity mass is added.
	e, near, err := a.maxOverPairs(ctx, func(c *candidate) float64 {
		left := math.Log(least-c.infinityMass()) - 1e-12
		if !(least > c.infinityMass()) {
			return math.Inf(1)
		}
		return min(c.chernoff(func(s, exponent float64) float64 { return (exponent - left) / s })*(1+1e-12), c.maxLoss())
	}, func(p *composition, reached float64) (evidence.RatOrInterval, error) {
		return p.epsilon(ctx, exact, reached)
	})
	if err != nil {
		return nil, err
	}
	n, err = a.asNumber(e, "least ε of the worst pair", a.below(near, nil, func(u *Account) (evidence.Number, error) { return u.Epsilon(ctx, delta) }))
	return a.withStatement(n, err, CompositionStatement{Delta: exact})
}

// deltaBound returns an upper bound of δ(ε) that is a float64.
func deltaBound(eps evidence.Epsilon) func(c *candidate) float64 {
	at := eps.Value()
	return func(c *candidate) float64 {
		finite := math.Exp(c.chernoff(func(s, exponent float64) float64 { return exponent - s*at*(1-0x1p-52) }))
		return min(c.infinityMass()+finite*(1+1e-9)+minScreenMass, 1)
	}
}

// pure returns the smallest ε at δ = 0: the maximum over pairs of the sum of the largest losses.
func (a *Account) pure(ctx context.Context) (evidence.Number, error) {
	const source = "largest loss of the worst pair"
	most, near, err := a.maxOverPairs(ctx, (*candidate).maxLoss, func(p *composition, _ float64) (evidence.RatOrInterval, error) { return p.maxLoss(), nil })
	if err != nil {
		return nil, err
	}
	if n := a.exactLogOf(near, func(p *composition) *big.Rat {
		if sign(p.infinityMass()) != 0 {
			return nil
		}
		_, ratio := p.maxFiniteLoss()
		return ratio
	}, source); n != nil {
		return n, nil
	}
	return a.asNumber(most, source, func(u *Account) (evidence.Number, error) { return u.pure(ctx) })
}

// exactLogOf returns the logarithm of the largest rational that of returns for the pairs in near, or of 1 if that is
// larger. It returns nil if of returns nil for a pair, or if the pairs of the account are bounds or claimed.
func (a *Account) exactLogOf(near []*composition, of func(p *composition) *big.Rat, source string) evidence.Number {
	if a.bound || a.rounded || a.claimedBy() != "" {
		return nil
	}
	most := one
	for _, p := range near {
		r := of(p)
		if r == nil {
			return nil
		}
		if r.Cmp(most) > 0 {
			most = r
		}
	}
	return evidence.ExactLog{Argument: most, Side: evidence.Up, Provenance: evidence.From(source)}
}

// Max returns the larger of two numbers.
func Max(a, b evidence.RatOrInterval) evidence.RatOrInterval {
	switch {
	case a.Rational != nil && b.Rational != nil:
		if a.Rational.Cmp(b.Rational) < 0 {
			return b
		}
		return a
	case a.Enclosure.Less(b.Enclosure):
		return b
	case b.Enclosure.Less(a.Enclosure):
		return a
	}
	return evidence.RatOrInterval{Enclosure: interval.Max(a.Enclosure, b.Enclosure)}
}

// claimedBy returns the theorem behind the first use with unknown laws, and "" if all laws are known.
func (a *Account) claimedBy() string {
	for _, u := range a.uses {
		if u.Of.ClaimedBy != "" {
			return u.Of.ClaimedBy
		}
	}
	return ""
}

// below returns ask if the lower ends of answers must come from the lower bounds of the account. It returns nil if the
// enclosures of all given compositions already have lower ends that hold for the lower bounds of their pairs. The
// answer is δ at eps, or ε if eps is nil.
func (a *Account) below(of []*composition, eps *evidence.Epsilon, ask func(u *Account) (evidence.Number, error)) func(u *Account) (evidence.Number, error) {
	if !a.bracketed || !a.rounded || a.bound || slices.ContainsFunc(of, func(p *composition) bool { return !p.bracketed(eps) }) {
		return ask
	}
	return nil
}

// asNumber returns d as a privacy loss, exact if it is rational. If below is not nil and the account is an upper bound
// or was rounded up, the lower end is the best that below returns for the lower bounds. If below is nil, both ends of d
// hold.
func (a *Account) asNumber(d evidence.RatOrInterval, what string, below func(u *Account) (evidence.Number, error)) (evidence.Number, error) {
	if by := a.claimedBy(); by != "" {
		_, hi := d.Enclosure.Bounds()
		return evidence.Claimed{Value: hi, Provenance: evidence.From(what + " of what is claimed by " + by)}, nil
	}
	source, method := what, "sums of losses on a lattice, masses cut off and accounted for"
	if len(a.uses) == 1 && a.uses[0].Of.Source != "" {
		source += "; " + a.uses[0].Of.Source
	}
	if !a.rounded && !a.bound && d.Rational != nil {
		return evidence.Exact{Value: new(big.Rat).Set(d.Rational), Side: evidence.Up, Provenance: evidence.From(source)}, nil
	}
	if a.bound {
		method = "product of dominating pairs, an upper bound"
	}
	out := evidence.EnclosedLoss(d.Enclosure, method, source)
	if d.Enclosure.CmpLo(infinite) >= 0 {
		out.Lo, out.Method = math.Inf(1), "losses without a bound"
		if d.Enclosure == infinite {
			out.Method = "an output that just one of two neighbors can have"
		}
	}
	if below != nil {
		if a.bound || a.rounded {
			out.Lo = 0
		}
		for _, u := range a.lowerBounds {
			n, err := below(u)
			if err != nil {
				return nil, err
			}
			lo, _ := n.Bounds()
			out.Lo = min(max(out.Lo, lo), out.Hi)
		}
	}
	if !a.bound && out.Hi-out.Lo > max(1e-3, 0.1*out.Hi) && !math.IsInf(out.Hi, 1) {
		out.Caveat = "a wide enclosure: the truth may lie anywhere between the two ends, lo and hi"
	}
	return out, nil
}
