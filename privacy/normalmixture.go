package privacy

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/gaussian"
	"dpworkbench/internal/elementary"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// normalMixture is a mixture of normal laws of variance 1, given by means and probabilities.
type normalMixture struct{ mean, chance []interval.Interval }

// below encloses the distribution function at x.
func (m normalMixture) below(x float64) interval.Interval {
	sum := interval.Int(0)
	for i, c := range m.chance {
		sum = sum.Add(c.Mul(gaussian.Tail(m.mean[i].Sub(interval.Float(x)))))
	}
	return sum
}

// log encloses the logarithm of the density at x, divided by the density of a standard normal law. At ±Inf it returns
// the limit, for means of one sign.
//
// Let u = 2⁻⁵³ and M the largest |sx| + s² over the means s. An exponent has an error of 4uM, and the difference of two
// exponents one of 10uM. The sum of n terms has a relative error of (n + 7)u, including the exponentials. The logarithm
// adds 5u of at most M + ln n, and the last sum adds u of 2M.
func (m normalMixture) log(x float64) interval.Interval {
	var logs, chances []float64
	size, most := 1.0, math.Inf(-1)
	for i := range m.mean {
		s := m.mean[i].Mid()
		switch {
		case s == 0 || !math.IsInf(x, 0):
			l := 0.0
			if s != 0 {
				l = s * (x - s/2)
				size = max(size, math.Abs(s*x)+s*s)
			}
			logs, chances, most = append(logs, l), append(chances, m.chance[i].Mid()), max(most, l)
		case s*x > 0:
			return infinite
		} // for s·x < 0 the term vanishes in the limit
	}
	if len(logs) == 0 {
		return infinite.Neg()
	}
	sum := 0.0
	for i, l := range logs {
		sum += chances[i] * elementary.Exp(l-most)
	}
	v := most + elementary.Log(sum)
	off := float64(len(logs)+32) * 0x1p-53 * 2 * size
	return interval.Float(v).Add(interval.Between(-off, off))
}

// mixturePair is a pair of mixtures. The means of p are at least 0 and those of q at most 0, so the loss increases
// with the output.
type mixturePair struct{ p, q normalMixture }

// continuous returns the pair as functions. From and To lie the distance far below and above all means.
func (m mixturePair) continuous(far float64) Continuous {
	c := Continuous{P: m.p.below, Q: m.q.below}
	c.From, c.To = m.ends(far)
	c.Loss = Monotone(remembered(func(x float64) interval.Interval { return m.p.log(x).Sub(m.q.log(x)) }))
	return c
}

// cells divides the outputs into cells.
func (m mixturePair) cells(ctx context.Context) ([]outputCell, error) {
	const far = 40 // a standard normal tail beyond this distance is below 10⁻³⁴⁹
	if from, to := m.ends(far); !(to-from <= 1e4) {
		return nil, parameter.Errorf("the normal laws of a mixture are more than 10^4 standard deviations apart, want a smaller distance")
	}
	return m.continuous(far).divide(ctx, 1<<12, 0)
}

// ends returns the outputs at the distance far below and above all means and 0.
func (m mixturePair) ends(far float64) (from, to float64) {
	for _, s := range slices.Concat(m.p.mean, m.q.mean) {
		lo, hi := s.Bounds()
		from, to = min(from, lo), max(to, hi)
	}
	return from - far, to + far
}

// pairs returns the family of the pair and its reverse.
func (m mixturePair) pairs(ctx context.Context, name, source string, relation query.Relation) (*DominatingPairs, error) {
	cells, err := m.cells(ctx)
	if err != nil {
		return nil, err
	}
	return pairsOfCells(name, source, relation, cells, &m), nil
}

// reverse returns the pair with p and q exchanged.
func (m *mixturePair) reverse() *mixturePair {
	if m == nil {
		return nil
	}
	return &mixturePair{m.q, m.p}
}

// logMoment encloses the log-moment. It uses cells that suit this order, and tailMoment beyond them.
func (m mixturePair) logMoment(s interval.Interval) interval.Interval {
	cells, err := m.continuous(momentRange).divide(context.Background(), 1<<11, s.Mid())
	if err != nil {
		return interval.Hull(interval.Int(0), infinite)
	}
	unit := interval.Int(1)
	above := interval.LogSum([]interval.Interval{pessimisticPair(cells).LogMoment(s), m.tailMoment(s)}, []interval.Interval{unit, unit})
	below := interval.Max(optimisticPair(cells).LogMoment(s), interval.Int(0))
	return interval.Hull(below.Lower(), above.Upper())
}

// component returns the means of component i in p and q, and its probability. The two mixtures have the same
// probabilities, or one of them is a single law.
func (m *mixturePair) component(i int) (p, q, chance interval.Interval) {
	last := func(of normalMixture) interval.Interval { return of.mean[min(i, len(of.mean)-1)] }
	if len(m.p.chance) > i {
		return last(m.p), last(m.q), m.p.chance[i]
	}
	return last(m.p), last(m.q), m.q.chance[i]
}

// momentRange is the distance beyond all means up to which moments are computed by cells. Up to there, masses have
// accurate digits.
const momentRange = 16

// tailMoment bounds the logarithm of the integral of p^{1+s}q^{−s} beyond both ends. The integrand is convex in (p, q),
// so it is at most the sum over the components, weighted by their probabilities. For a component with means a and b it
// is e^{s(1+s)(a−b)²/2} times a normal density about a + s(a − b).
func (m *mixturePair) tailMoment(s interval.Interval) interval.Interval {
	from, to := m.ends(momentRange)
	var logs, factors []interval.Interval
	for i := range max(len(m.p.mean), len(m.q.mean)) {
		a, b, chance := m.component(i)
		apart := a.Sub(b)
		center := a.Add(s.Mul(apart))
		logs = append(logs, s.Mul(s.Add(interval.Int(1))).Mul(apart).Mul(apart).Quo(interval.Int(2)))
		factors = append(factors, chance.Mul(gaussian.Tail(interval.Float(to).Sub(center)).Add(gaussian.Tail(center.Sub(interval.Float(from))))))
	}
	return interval.LogSum(logs, factors)
}

// zcdp bounds the Rényi divergence divided by its order α. It is largest for one of the components, because the
// divergence is quasiconvex in (p, q).
func (m *mixturePair) zcdp() interval.Interval {
	most := interval.Int(0)
	for i := range max(len(m.p.mean), len(m.q.mean)) {
		a, b, _ := m.component(i)
		most = interval.Max(most, a.Sub(b).Mul(a.Sub(b)).Quo(interval.Int(2)))
	}
	return most
}

// remembered returns f with a cache: it computes each value once.
func remembered(f func(x float64) interval.Interval) func(x float64) interval.Interval {
	known := map[float64]interval.Interval{}
	return func(x float64) interval.Interval {
		v, ok := known[x]
		if !ok {
			v = f(x)
			known[x] = v
		}
		return v
	}
}

// removed returns the pair of a mixture and the standard normal law.
func (m normalMixture) removed() mixturePair {
	return mixturePair{m, normalMixture{[]interval.Interval{interval.Int(0)}, []interval.Interval{interval.Int(1)}}}
}

// bothSides returns the pair of (1 − γ)N(0, 1) + γN(s, 1) and (1 − γ)N(0, 1) + γN(−s, 1), where γ is the rate.
func bothSides(s, rate interval.Interval) mixturePair {
	chance := []interval.Interval{interval.Int(1).Sub(rate), rate}
	return mixturePair{normalMixture{[]interval.Interval{interval.Int(0), s}, chance}, normalMixture{[]interval.Interval{interval.Int(0), s.Neg()}, chance}}
}

// mixture returns the account of Gaussian noise with a random sensitivity (Choquette-Choo and others 2024,
// arXiv:2310.15526).
func (u *eventUses) mixture(ctx context.Context, e *event) (*Account, error) {
	sigma, err := e.number("standard_deviation", largest)
	if err != nil {
		return nil, err
	}
	means, err := e.numbers("sensitivities", largest)
	if err != nil {
		return nil, err
	}
	chances, err := e.numbers("sampling_probs", one)
	if err != nil {
		return nil, err
	}
	all, moved := new(big.Rat), new(big.Rat)
	for i, c := range chances {
		if all.Add(all, c); i < len(means) && means[i].Sign() > 0 {
			moved.Add(moved, c)
		}
	}
	switch off, _ := new(big.Rat).Sub(all, one).Float64(); {
	case len(means) != len(chances):
		return nil, parameter.Errorf("MixtureOfGaussians has %d sensitivities and %d sampling_probs, want the same number", len(means), len(chances))
	case math.Abs(off) > 1e-9:
		return nil, parameter.Errorf("the sampling_probs of MixtureOfGaussians sum to %s, want 1", shortRat(all))
	case u.relation == query.Replace:
		return nil, parameter.Errorf("MixtureOfGaussiansDpEvent describes adding or removing a record: want neighbors %q or %q", query.AddRemove, query.ReplaceSpecial)
	case moved.Sign() == 0:
		return u.noLoss()
	case sigma.Sign() == 0:
		everything, err := u.known(new(big.Rat), one)
		if err != nil {
			return nil, err
		}
		return u.subsample(ctx, everything, moved.Quo(moved, all), Poisson)
	}
	var at, weight []*big.Rat // equal sensitivities are merged
	for i, c := range chances {
		j := slices.IndexFunc(at, func(q *big.Rat) bool { return new(big.Rat).Mul(q, sigma).Cmp(means[i]) == 0 })
		switch c = new(big.Rat).Quo(c, all); {
		case j >= 0:
			weight[j].Add(weight[j], c)
		case c.Sign() > 0:
			at, weight = append(at, new(big.Rat).Quo(means[i], sigma)), append(weight, c)
		}
	}
	if i := slices.IndexFunc(at, func(q *big.Rat) bool { return q.Sign() > 0 }); len(at) == 1 || len(at) == 2 && at[1-i].Sign() == 0 {
		return u.subsample(ctx, New(NormalPairs("Gaussian noise", "Gaussian noise", interval.Rat(at[i]))), weight[i], Poisson)
	}
	var m normalMixture
	for i, q := range at {
		m.mean, m.chance = append(m.mean, interval.Rat(q)), append(m.chance, interval.Rat(weight[i]))
	}
	f, err := m.removed().pairs(ctx, fmt.Sprintf("a mixture of %d normal laws of σ = %s", len(m.mean), shortRat(sigma)), "Choquette-Choo and others 2024", u.relation)
	if err != nil {
		return nil, err
	}
	return u.one(f), nil
}

// truncated returns the account of Gaussian noise on the sum of a Poisson sample of n records at rate s, of which at
// most b are kept (arXiv:2508.15089). With probability t at least b of the other n − 1 records are drawn. The upper
// bound reveals whether this happens. If it does, the differing record replaces another one with probability s, and its
// contribution may move the sum to either side. The lower bound is the privacy of datasets whose other records
// contribute 0. There the differing record is drawn and kept with probability s(1 − t) + (b/n)Pr[Binomial(n, s) > b].
func (u *eventUses) truncated(ctx context.Context, e *event) (*Account, error) {
	n, err := e.whole("dataset_size", 0, 1e7)
	if err != nil {
		return nil, err
	}
	rate, err := e.number("sampling_probability", one)
	if err != nil {
		return nil, err
	}
	most, err := e.whole("truncated_batch_size", 0, 1e7)
	if err != nil {
		return nil, err
	}
	sigma, err := e.number("noise_multiplier", largest)
	switch {
	case err != nil:
		return nil, err
	case rate.Sign() == 0 || most == 0 || n == 0:
		return u.noLoss()
	case sigma.Sign() == 0:
		return u.known(new(big.Rat), one)
	}
	mu, unit := interval.Rat(new(big.Rat).Inv(sigma)), interval.Int(1)
	full, err := atLeast(ctx, n-1, most, rate)
	if err != nil {
		return nil, err
	}
	own := normalMixture{[]interval.Interval{interval.Int(0), mu}, []interval.Interval{unit.Sub(interval.Rat(rate)), interval.Rat(rate)}}
	pair := own.removed()
	if u.relation == query.Replace {
		pair = bothSides(mu, interval.Rat(rate))
	}
	cells, err := pair.cells(ctx)
	if err != nil {
		return nil, err
	}
	scale(cells, unit.Sub(full))
	kept := interval.Rat(rate).Mul(unit.Sub(full)) // probability that a record is drawn and kept
	if most < n {
		more, err := atLeast(ctx, n, most+1, rate)
		if err != nil {
			return nil, err
		}
		share := more.Quo(full).Mul(interval.Int(most)).Quo(interval.Int(n))
		kept = kept.Add(more.Mul(interval.Int(most)).Quo(interval.Int(n)))
		others, err := bothSides(mu.Mul(interval.Int(2)), share).cells(ctx)
		if err != nil {
			return nil, err
		}
		scale(others, full)
		cells = append(cells, others...)
	}
	f := pairsOfCells(fmt.Sprintf("truncated sampling (%d of %d at %s) of Gaussian noise of multiplier %s", most, n, shortRat(rate), shortRat(sigma)), "arXiv:2508.15089, an upper bound", u.relation, cells, nil)
	real := normalMixture{[]interval.Interval{interval.Int(0), mu}, []interval.Interval{unit.Sub(kept), kept}}.removed()
	if u.relation == query.Replace {
		real = bothSides(mu, kept)
	}
	below, err := real.cells(ctx)
	if err != nil {
		return nil, err
	}
	f.Bound, f.LowerBound = true, pairsOfCells(f.Name, f.Source, u.relation, below, nil).LowerBound
	return u.one(f), nil
}

// scale multiplies the masses of cells.
func scale(cells []outputCell, by interval.Interval) {
	for i := range cells {
		cells[i].p, cells[i].q = cells[i].p.Mul(by), cells[i].q.Mul(by)
	}
}

// atLeast encloses Pr[Binomial(n, rate) ≥ k]. For k above the mean it sums the terms from k on. The ratios of
// successive terms decrease, which bounds the omitted terms.
func atLeast(ctx context.Context, n, k int64, rate *big.Rat) (interval.Interval, error) {
	unit, p := interval.Int(1), interval.Rat(rate)
	rest := new(big.Rat).Sub(one, rate)
	switch {
	case k <= 0:
		return unit, nil
	case k > n:
		return interval.Int(0), nil
	case rest.Sign() == 0:
		return unit, nil
	case big.NewRat(k, 1).Cmp(new(big.Rat).Mul(big.NewRat(n+1, 1), rate)) < 0: // at least n − k + 1 are not drawn
		fewer, err := atLeast(ctx, n, n-k+1, rest)
		return unit.Sub(fewer), err
	}
	q := interval.Rat(rest)
	term := q.Pow(int(n - k))
	for i := range k {
		if i%4096 == 0 && ctx.Err() != nil {
			return term, ctx.Err()
		}
		term = term.Mul(interval.Int(n - i)).Quo(interval.Int(i + 1)).Mul(p)
	}
	sum, first := term, term.Mul(interval.TwoTo(-300))
	for i := k; i < n; i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			return term, ctx.Err()
		}
		factor := interval.Int(n - i).Quo(interval.Int(i + 1)).Mul(p).Quo(q)
		if left := term.Mul(factor).Quo(unit.Sub(factor)); left.Upper().Less(first.Lower()) {
			return interval.Hull(sum, sum.Add(left)), nil
		}
		term = term.Mul(factor)
		sum = sum.Add(term)
	}
	return sum, nil
}
