package privacy

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/golden"
	"dpworkbench/interval"
)

// candidate is the composition of all uses at a pair of datasets, in float64.
type candidate struct {
	index       int
	screens     []*Screen
	times       []int
	composition *composition // nil until it is needed
}

// candidates returns the distinct compositions, cached.
func (a *Account) candidates(ctx context.Context) ([]*candidate, error) {
	a.guard.Lock()
	defer a.guard.Unlock()
	if a.cachedCandidates != nil {
		return a.cachedCandidates, nil
	}
	seen := map[string]bool{}
	var found []*candidate
	err := a.eachPair(ctx, func(c *candidate, key string) {
		if !seen[key] {
			seen[key] = true
			found = append(found, c)
		}
	})
	if err != nil {
		return nil, err
	}
	a.cachedCandidates = found
	return found, nil
}

// eachPair calls visit for every pair of datasets, with a key that identifies the laws of its uses.
func (a *Account) eachPair(ctx context.Context, visit func(c *candidate, key string)) error {
	known, times := make([]*pairClasses, len(a.uses)), make([]int, len(a.uses))
	for k, u := range a.uses {
		var err error
		if known[k], err = u.Of.classes(ctx); err != nil {
			return err
		}
		times[k] = u.Times
	}
	for i := range a.reference.Size {
		if err := pollContext(ctx, i); err != nil {
			return err
		}
		c := &candidate{index: i, times: times}
		var key strings.Builder
		for k, u := range a.uses {
			class := known[k].of[u.Of.pairIndex(i)]
			c.screens = append(c.screens, known[k].screens[class])
			key.WriteString(strconv.Itoa(int(class)))
			key.WriteByte(' ')
		}
		visit(c, key.String())
	}
	return nil
}

// pairIndex returns the index in this family that belongs to pair i of the datasets.
func (f *DominatingPairs) pairIndex(i int) int {
	if f.TranslationInvariant || f.Size == 1 {
		return 0
	}
	return i
}

// composition returns the composition of a candidate.
func (a *Account) composition(ctx context.Context, c *candidate) (*composition, error) {
	a.guard.Lock()
	defer a.guard.Unlock()
	if c.composition != nil {
		return c.composition, nil
	}
	composition, err := a.compositionAt(ctx, c.index)
	if err != nil {
		return nil, err
	}
	if a.width > 0 {
		composition.width = a.width
	}
	c.composition = composition
	return composition, nil
}

// compositionAt returns the composition at pair i of the datasets.
func (a *Account) compositionAt(ctx context.Context, i int) (*composition, error) {
	factors := make([]factor, len(a.uses))
	for k, u := range a.uses {
		p, err := u.Of.Pair(ctx, u.Of.pairIndex(i))
		if err != nil {
			return nil, err
		}
		factors[k] = factor{p, u.Times}
	}
	return newComposition(i, factors), nil
}

// maxOverPairs returns the maximum of a nonnegative quantity over the pairs, and the pairs that may attain it, the
// likeliest first. bound returns an upper bound of the quantity. Pairs are evaluated by descending bound, and pairs
// with a bound below the maximum reached so far are skipped. of computes the quantity, given that maximum. If the
// quantity is smaller, of may return any enclosure below the maximum.
func (a *Account) maxOverPairs(ctx context.Context, bound func(c *candidate) float64, of func(p *composition, reached float64) (evidence.RatOrInterval, error)) (evidence.RatOrInterval, []*composition, error) {
	order, err := a.ranked(ctx, bound)
	if err != nil {
		return zero, nil, err
	}
	type answer struct {
		of    *composition
		value evidence.RatOrInterval
	}
	var answers []answer
	best := zero
	for i, r := range order {
		if err := ctx.Err(); err != nil {
			return zero, nil, err
		}
		if i > 0 && interval.Float(r.bound).Less(best.Enclosure) {
			break
		}
		p, err := a.composition(ctx, r.of)
		if err != nil {
			return zero, nil, err
		}
		reached := math.Inf(-1) // lower end of the maximum over earlier pairs
		if i > 0 {
			reached, _ = best.Enclosure.Bounds()
		}
		d, err := of(p, reached)
		if err != nil {
			return zero, nil, err
		}
		if most := interval.Float(r.bound); most.CmpHi(d.Enclosure) < 0 && d.Rational == nil {
			d.Enclosure = interval.Hull(d.Enclosure.Lower(), interval.Max(most, d.Enclosure.Lower()))
		}
		answers = append(answers, answer{p, d})
		if i == 0 {
			best = d
		} else {
			best = Max(best, d)
		}
	}
	answers = slices.DeleteFunc(answers, func(a answer) bool { return a.value.Enclosure.Less(best.Enclosure) })
	slices.SortStableFunc(answers, func(a, b answer) int {
		return cmp.Or(cmp.Compare(b.value.Enclosure.Mid(), a.value.Enclosure.Mid()), a.of.index-b.of.index)
	})
	var near []*composition
	for _, a := range answers {
		near = append(near, a.of)
	}
	return best, near, nil
}

// ranked is a candidate with its bound.
type ranked struct {
	of    *candidate
	bound float64
}

// ranked returns the candidates by descending bound.
func (a *Account) ranked(ctx context.Context, bound func(c *candidate) float64) ([]ranked, error) {
	candidates, err := a.candidates(ctx)
	if err != nil {
		return nil, err
	}
	order := make([]ranked, len(candidates))
	for i, c := range candidates {
		if err := pollContext(ctx, i); err != nil {
			return nil, err
		}
		order[i] = ranked{c, bound(c)}
		if math.IsNaN(order[i].bound) { // no bound is known
			order[i].bound = math.Inf(1)
		}
	}
	slices.SortStableFunc(order, func(a, b ranked) int { return cmp.Compare(b.bound, a.bound) })
	return order, nil
}

// logMoment returns an upper bound on the log-moment of the composition.
func (c *candidate) logMoment(s float64) float64 {
	sum := 0.0
	for k, r := range c.screens {
		sum += float64(c.times[k]) * r.logMoment(s)
	}
	if math.IsInf(sum, 0) {
		return sum
	}
	return sum + 0x1p-50*math.Abs(sum)
}

// infinityMass returns an upper bound on the mass of infinite losses, which is 0 only if there are none.
func (c *candidate) infinityMass() float64 {
	sum := 0.0
	for k, r := range c.screens {
		sum += float64(c.times[k]) * r.InfinityMass
	}
	return min(sum*(1+1e-9), 1)
}

// maxLoss returns an upper bound on the loss, or +Inf if infinite losses occur.
func (c *candidate) maxLoss() float64 {
	if c.infinityMass() > 0 {
		return math.Inf(1)
	}
	sum := 0.0
	for k, r := range c.screens {
		sum += float64(c.times[k]) * r.maxFiniteLoss()
	}
	return max(sum+0x1p-48*math.Abs(sum), 0)
}

// chernoff minimizes a Chernoff bound at(s, exponent) over s. The exponent is the log-moment plus the logarithm of the
// maximum over l of (1 − e^{ε−l})⁺ e^{−s(l − ε)}, which is s ln s − (1 + s) ln(1 + s).
func (c *candidate) chernoff(at func(s, exponent float64) float64) float64 {
	value := func(logS float64) float64 {
		s := math.Exp(logS)
		return at(s, c.logMoment(s)+s*math.Log(s)-(1+s)*math.Log1p(s)+1e-12*(1+s))
	}
	_, best := golden.Minimize(value, math.Log(1e-6), math.Log(1e6), 22) // any s gives a bound
	return best
}

// logDeltaBound returns an approximate upper bound on ln δ(ε).
func (c *candidate) logDeltaBound(eps evidence.Epsilon) float64 {
	at := eps.Value()
	return max(c.chernoff(func(s, exponent float64) float64 { return exponent - s*at }), math.Log(c.infinityMass()))
}
