package records

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// NoisyMean is a noisy sum divided by a noisy count: centre + unit·S/max(1, N), clamped to [Lo, Hi]. S is the sum of
// the records' distances from the centre, in units, and N the number of records, both with geometric noise.
type NoisyMean struct {
	base
	centre, unit      *big.Rat
	sum               *big.Int // sum of the distances from the centre, in units
	top               int64    // the largest distance
	count             int64
	sumEps, countEps  evidence.Epsilon
	first             int64               // the smallest listed count
	weights           []interval.Interval // weights of the counts max(1, N) from first on
	left              interval.Interval   // total weight of the counts that are not listed
	rate, share, part interval.Interval   // −ln z, 1/(1 + z) and 1/((1 + z)(1 − z)), where z is the ratio of weights of neighboring values of S
	powers            []powers            // powers of z, of z²⁵⁶, …
}

// powers holds the powers 0 to 255 of a number.
type powers [256]interval.Interval

// keptBits bounds the weight of the omitted counts by 2^−keptBits. mostCounts bounds how far the listed counts may be
// from the number of records.
const (
	keptBits   = 110
	mostCounts = 1 << 20
)

// NewNoisyMean returns the mean under addition and removal as a noisy sum over a noisy count (Li, Lyu, Su and Yang
// 2016, Section 2.5). The fraction share of eps is spent on the sum of distances from the midpoint of [Lo, Hi], the
// rest on the count. It claims eps, the total of both releases. It returns an error wrapping evidence.ErrParameter if q
// is not a mean under addition and removal, its records have no grid, share is not between 0 and 1, or eps is so small
// that there are too many counts to sum over.
func NewNoisyMean(q *Query, eps evidence.Epsilon, share *big.Rat) (Law, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	r := q.openMean
	switch {
	case r == nil && q.neighbors == Replace:
		return nil, parameter.Errorf(`%s is under "replace", where the number of records is public: want laplace, or a mean of records under "add_remove"`, q.name)
	case r == nil:
		return nil, parameter.Errorf("%s is not a mean of records, which noisy_mean requires", q.name)
	case r.opts.Grid == nil:
		return nil, parameter.Errorf("%s has no grid, which geometric noise needs: want records with grid=…, and with clip=True if they are not on the grid", q.name)
	case share.Sign() <= 0 || share.Cmp(big.NewRat(1, 1)) >= 0 || !share.Num().IsInt64() || !share.Denom().IsInt64():
		return nil, parameter.Bad("share", share, "a fraction of 64-bit integers between 0 and 1")
	}
	a, b := share.Num().Int64(), share.Denom().Int64()
	m := &NoisyMean{count: int64(r.Len()), sumEps: eps.Ratio(a, b), countEps: eps.Ratio(b-a, b), top: r.size, unit: new(big.Rat).Mul(r.opts.Grid, big.NewRat(1, 2))}
	m.base = base{q, "noisy_mean(eps=" + eps.String() + ", share=" + text(share) + ")",
		mechanism.Claim(eps, "two geometric mechanisms, of sum and count; Li et al. 2016, Section 2.5"), func(q *Query) (Law, error) { return NewNoisyMean(q, eps, share) }}
	m.centre = new(big.Rat).Add(r.opts.Lo, r.opts.Hi)
	m.centre.Mul(m.centre, big.NewRat(1, 2))
	m.sum = new(big.Int).Lsh(r.running().first[r.Len()], 1) // the k-th grid value is 2k − size half steps from the centre
	m.sum.Sub(m.sum, new(big.Int).Mul(big.NewInt(r.size), big.NewInt(m.count)))
	if r.size%2 == 0 { // all distances are even: use whole steps
		m.top, m.unit = r.size/2, r.opts.Grid
		m.sum.Rsh(m.sum, 1)
	}
	if m.top == 0 {
		return m, nil
	}
	m.rate = m.sumEps.Enclosure().Quo(interval.Int(m.top))
	one := interval.Int(1)
	m.share = one.Quo(one.Add(m.rate.Neg().Exp()))
	m.part = m.share.Quo(m.rate.Neg().Expm1().Neg())
	for base := m.rate; ; base = base.Mul(interval.Int(256)) {
		next, step := powers{one}, base.Neg().Exp()
		for k := 1; k < len(next); k++ {
			next[k] = next[k-1].Mul(step)
		}
		if m.powers = append(m.powers, next); base.Mid() > 8 || len(m.powers) == 8 {
			if err := m.weigh(); err != nil {
				return nil, err
			}
			return m, nil
		}
	}
}

// weigh computes the weights of the noisy counts near the true number of records.
func (m *NoisyMean) weigh() error {
	rate := m.countEps.Enclosure()
	far := math.Ceil(keptBits * math.Ln2 / rate.Mid())
	if !(far < mostCounts) {
		return parameter.Errorf("%s spends eps = %s on the count, whose noise then has more than 2^21 values to sum over, want a larger eps or a smaller share", m.title, m.countEps)
	}
	m.first = max(1, m.count-int64(far))
	last := m.count + int64(far)
	w := rate.Neg().Exp()
	one := interval.Int(1)
	at := rate.Neg().Expm1().Neg().Quo(one.Add(w)) // Pr[noise = 0]
	tail := func(k int64) interval.Interval {      // Pr[noise ≥ k], k ≥ 0
		return rate.Mul(interval.Int(k)).Neg().Exp().Quo(one.Add(w))
	}
	m.weights = make([]interval.Interval, last-m.first+1)
	for k, p := int64(0), at; k <= int64(far); k, p = k+1, p.Mul(w) {
		m.weights[m.count+k-m.first] = p
		if m.count-k >= m.first {
			m.weights[m.count-k-m.first] = p
		}
	}
	m.left = interval.Hull(interval.Int(0), tail(int64(far)+1).Mul(interval.Int(2)))
	if m.first == 1 { // noisy counts up to 1 have the weight of max(1, N) = 1
		m.weights[0] = tail(m.count - 1)
		if m.count == 1 {
			m.weights[0] = one.Sub(tail(1))
		}
		m.left = interval.Hull(interval.Int(0), tail(int64(far)+1))
	}
	return nil
}

// over encloses the mean of f over the noisy counts. The values of f are in [0, most].
func (m *NoisyMean) over(ctx context.Context, most interval.Interval, f func(count *big.Rat) interval.Interval) (interval.Interval, error) {
	sum := m.left.Mul(most)
	for i, w := range m.weights {
		if i%64 == 0 && ctx.Err() != nil {
			return sum, ctx.Err()
		}
		sum = sum.Add(w.Mul(f(new(big.Rat).SetInt64(m.first + int64(i)))))
	}
	return sum, nil
}

// power encloses z^k, k ≥ 0, as a product over the base-256 digits of k. It calls Exp if k has more digits than
// there are tables.
func (m *NoisyMean) power(k *big.Int) interval.Interval {
	if k.BitLen() > min(8*len(m.powers), 62) {
		return m.rate.Mul(interval.Rat(new(big.Rat).SetInt(k))).Neg().Exp()
	}
	rest := k.Int64()
	v := m.powers[0][rest&255]
	for _, p := range m.powers[1:] {
		if rest >>= 8; rest == 0 {
			break
		}
		v = v.Mul(p[rest&255])
	}
	return v
}

// atMost encloses Pr[S ≤ k] for the noisy sum S.
func (m *NoisyMean) atMost(k *big.Int) interval.Interval {
	d := new(big.Int).Sub(k, m.sum)
	if d.Sign() < 0 {
		return m.power(d.Neg(d)).Mul(m.share)
	}
	return interval.Int(1).Sub(m.power(d.Add(d, big.NewInt(1))).Mul(m.share))
}

// excess encloses E(S − sum − a)⁺ for the noisy sum S. It is linear in a between integers.
func (m *NoisyMean) excess(a *big.Rat) interval.Interval {
	at := func(k *big.Int) interval.Interval { // Σ_{j ≥ k} Pr[S − sum > j]
		d := new(big.Int).Abs(k)
		v := m.power(d.Add(d, big.NewInt(1))).Mul(m.part)
		if k.Sign() < 0 { // (S − a)⁺ = S − a + (a − S)⁺
			v = v.Sub(interval.Rat(new(big.Rat).SetInt(k)))
		}
		return v
	}
	floor := interval.RationalFloor(a)
	part := new(big.Rat).Sub(a, new(big.Rat).SetInt(floor))
	v := at(floor)
	if part.Sign() == 0 {
		return v
	}
	return v.Add(at(new(big.Int).Add(floor, big.NewInt(1))).Sub(v).Mul(interval.Rat(part)))
}

// below encloses Pr[r ≤ v], or Pr[r < v] if open is true.
func (m *NoisyMean) below(ctx context.Context, v *big.Rat, open bool) (interval.Interval, error) {
	lo, hi := v.Cmp(m.q.rng.Lo), v.Cmp(m.q.rng.Hi)
	switch {
	case hi > 0 || hi == 0 && !open:
		return interval.Int(1), nil
	case lo < 0 || lo == 0 && open:
		return interval.Int(0), nil
	}
	slope := new(big.Rat).Sub(v, m.centre)
	slope.Quo(slope, m.unit)
	return m.over(ctx, interval.Int(1), func(count *big.Rat) interval.Interval {
		k := interval.RationalFloor(count.Mul(count, slope))
		if open && count.IsInt() {
			k.Sub(k, big.NewInt(1))
		}
		return m.atMost(k)
	})
}

// Within implements Law.
func (m *NoisyMean) Within(ctx context.Context, e *big.Rat) (interval.Interval, error) {
	if e.Sign() < 0 {
		return interval.Int(0), nil
	}
	return m.Between(ctx, new(big.Rat).Sub(m.q.value, e), new(big.Rat).Add(m.q.value, e))
}

// Between implements Law.
func (m *NoisyMean) Between(ctx context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	upTo, err := m.below(ctx, hi, false)
	if err != nil {
		return upTo, err
	}
	under, err := m.below(ctx, lo, true)
	return inUnit(upTo.Sub(under)), err
}

// Distortion implements Law.
func (m *NoisyMean) Distortion(ctx context.Context) (evidence.Number, error) {
	const source = "noisy sum over noisy count, at this dataset"
	if m.top == 0 {
		return evidence.Exact{Value: new(big.Rat), Provenance: evidence.From(source)}, nil
	}
	d, err := m.errorFrom(ctx, m.q.value)
	return evidence.Enclosed(d, method, source), err
}

// errorFrom encloses E|r − v| for v in [Lo, Hi]. For a count N, (r − v)⁺ is unit/N times the excess of S over N(v −
// centre)/unit, minus its excess over N·top, because r is clamped to Hi.
func (m *NoisyMean) errorFrom(ctx context.Context, v *big.Rat) (interval.Interval, error) {
	at := new(big.Rat).Sub(v, m.centre)
	at.Quo(at, m.unit)
	width := new(big.Rat).Sub(m.q.rng.Hi, m.q.rng.Lo)
	sum := new(big.Rat).SetInt(m.sum)
	return m.over(ctx, interval.Rat(width), func(count *big.Rat) interval.Interval {
		from := new(big.Rat).Mul(at, count)
		end := new(big.Rat).SetInt64(m.top)
		end.Mul(end, count)
		up := m.excess(new(big.Rat).Sub(from, sum)).Sub(m.excess(new(big.Rat).Sub(end, sum)))
		down := m.excess(from.Sub(sum, from)).Sub(m.excess(end.Add(end, sum)))
		return up.Add(down).Mul(interval.Rat(count.Quo(m.unit, count)))
	})
}

// off implements errorShifter.
func (m *NoisyMean) off(ctx context.Context, c *big.Rat) (interval.Interval, error) {
	d, beyond, side := m.q.rng.toward(m.q.value, c)
	if m.top == 0 {
		return interval.Rat(beyond), nil
	}
	if side == 1 {
		d = new(big.Rat).Neg(d)
	}
	near, err := m.errorFrom(ctx, new(big.Rat).Add(m.q.value, d))
	if err != nil {
		return near, err
	}
	own, err := m.errorFrom(ctx, m.q.value)
	return near.Sub(own).Add(interval.Rat(beyond)), err
}

// Simulate implements Law.
func (m *NoisyMean) Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error) {
	r := rand.New(src)
	noise := func(rate float64) float64 { return math.Floor(r.ExpFloat64()/rate) - math.Floor(r.ExpFloat64()/rate) }
	centre, unit, lo, hi := float(m.centre), float(m.unit), float(m.q.rng.Lo), float(m.q.rng.Hi)
	sum, _ := new(big.Float).SetInt(m.sum).Float64()
	rate, other := m.sumEps.Value()/max(1, float64(m.top)), m.countEps.Value()
	return drawing(ctx, n, 4096, func() (float64, error) {
		if m.top == 0 {
			return lo, nil
		}
		s, c := sum+noise(rate), max(1, float64(m.count)+noise(other))
		return min(max(centre+unit*s/c, lo), hi), nil
	})
}

// Release draws n outputs with exactly their law, each rounded to the nearest float64. A nil source stands for the
// operating system's generator.
func (m *NoisyMean) Release(ctx context.Context, n int, src Source) ([]float64, *big.Rat, error) {
	if m.top == 0 {
		out, err := drawing(ctx, n, 4096, func() (float64, error) { return float(m.q.value), nil })
		return out, nil, err
	}
	unit := big.NewRat(1, 1)
	var draws [2]func(rand.Source) (continuous.Noise, error)
	for i, eps := range []evidence.Epsilon{m.sumEps.Ratio(1, m.top), m.countEps} {
		var err error
		if draws[i], err = sampler(unit, func(q *continuous.Linear) (continuous.ExactlySampled, error) { return continuous.NewGeometric(q, eps) }); err != nil {
			return nil, nil, err
		}
	}
	src = sampling.Or(src)
	out, err := drawing(ctx, n, 256, func() (float64, error) {
		s, err := draws[0](src)
		if err != nil {
			return 0, err
		}
		c, err := draws[1](src)
		if err != nil {
			return 0, err
		}
		v, count := new(big.Rat).SetInt(m.sum), big.NewRat(m.count, 1)
		v.Add(v, s.Point)
		if count.Add(count, c.Point); count.Cmp(unit) > 0 {
			v.Quo(v, count)
		}
		v.Mul(v, m.unit).Add(v, m.centre)
		if v.Cmp(m.q.rng.Lo) < 0 {
			v = m.q.rng.Lo
		} else if v.Cmp(m.q.rng.Hi) > 0 {
			v = m.q.rng.Hi
		}
		return sampling.Float(v), nil
	})
	return out, nil, err
}
