package xor

import (
	"context"
	"math"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Columns is the closed form of the law with Θ = θI and every Λ_ij = λI: the P
// columns are independent, and each is an exchangeable (Curie–Weiss) law on N
// bits, Pr[m ones] ∝ C(N, m) exp(θm + λm(m−1)). It is immutable.
type Columns struct {
	n, p          int
	theta, lambda float64
	offTheta      float64 // the exact θ is within offTheta of theta
	offLambda     float64 // the exact λ is within offLambda of lambda
	guard         sync.Mutex
	law           *columnLaw
	drawn         *inversion
}

// columnLaw is the law of the number of ones in one column. All sums are relative to the weight of no ones.
type columnLaw struct {
	terms []scaledDouble // weight of m ones, nil for long columns
	z     tally          // Σ terms
	rest  tally          // Σ terms over m ≥ 1
	ones  tally          // Σ m·term
	zeros tally          // Σ (N−m)·term
	pairs tally          // Σ m(m−1)·term
	rel   float64
}

// tally is a sum Σ f(m)·t over the terms t of m ones, for some f ≥ 0. It also has the means of m and of m(m−1) under
// the law proportional to f(m)·t, to a few digits.
type tally struct {
	sum         scaledFloat
	ones, pairs float64
}

// keepTerms is the longest column whose terms are kept.
const keepTerms = 1 << 24

// maxExponent bounds the exponents of a law, in nats: in units of ln 2 they fit
// int64 with room for differences.
const maxExponent = 0x1p60

// NewColumns returns the closed form of n × p bits. It returns an error
// wrapping evidence.ErrParameter unless 1 ≤ n, p < 2³¹, theta and lambda are finite, and
// exponents θm + λm(m−1) stay within ±2⁶⁰ nats.
func NewColumns(n, p int, theta, lambda float64) (*Columns, error) {
	if n < 1 || p < 1 {
		return nil, parameter.Errorf("shape %d × %d, want at least 1 × 1", n, p)
	}
	if n > math.MaxInt32 || p > math.MaxInt32 {
		return nil, parameter.Errorf("shape %d × %d, want at most 2³¹ − 1 rows and columns", n, p)
	}
	most := maxExponent / float64(n)
	if !(math.Abs(theta) <= most/2) {
		return nil, parameter.Bad("theta", theta, "a finite number within ±%.3g for %d objects", most/2, n)
	}
	if !(math.Abs(lambda)*float64(n) <= most/2) {
		return nil, parameter.Bad("lam", lambda, "a finite number within ±%.3g for %d objects", most/2/float64(n), n)
	}
	return &Columns{n: n, p: p, theta: theta, lambda: lambda}, nil
}

// read returns c with the uncertainty of its parameters widened by the reading r.
func (c *Columns) read(r reading) *Columns {
	more := func(off, by float64) float64 {
		if by > 0 {
			off = interval.Up(off + by)
		}
		return off
	}
	return &Columns{
		n: c.n, p: c.p, theta: c.theta, lambda: c.lambda,
		offTheta: more(c.offTheta, r.of(c.theta)), offLambda: more(c.offLambda, r.of(c.lambda)),
	}
}

// Shape returns the numbers of rows and columns.
func (c *Columns) Shape() (n, p int) { return c.n, c.p }

// Parameters returns θ and λ.
func (c *Columns) Parameters() (theta, lambda float64) { return c.theta, c.lambda }

// exponent returns the exponent of a column with m ones.
func (c *Columns) exponent(m int) float64 { return float64(m) * (c.theta + c.lambda*float64(m-1)) }

// off bounds the effect of the reading of θ and λ on the exponents of a column: the largest increase plus the
// largest decrease.
func (c *Columns) off() float64 {
	n := float64(c.n)
	return (n*c.offTheta + n*(n-1)*c.offLambda) * (1 + 8*unit)
}

// moves bounds the effect of the reading of θ and λ on the logarithm of a tally. Let the exponent of m ones change by
// g(m), with |g(m)| ≤ G(m) = m·offTheta + m(m−1)·offLambda. The derivative of the logarithm is the mean of g. Along the
// way the means of G change by a factor of at most e^(2 off).
func (c *Columns) moves(t tally) float64 {
	off := c.off()
	if off == 0 || !(off < 0x1p-10) {
		return off
	}
	return math.Min(off, (t.ones*c.offTheta+t.pairs*c.offLambda)*(1+4*off+0x1p-20))
}

// mean encloses the mean a/(per·b) of a function with values from 0 to most.
func (c *Columns) mean(a, b tally, per, most float64, law *columnLaw, source string) evidence.Certified {
	return ratio(a.sum, b.sum.times(per), most, law.rel, c.off(), c.moves(a)+c.moves(b), columnMethod, source)
}

// anew is the number of steps after which the ratio of successive terms is recomputed.
const anew = 1 << 12

// each calls visit with the weight of m ones, m = 0, …, N. It multiplies by the ratio of successive weights,
// (N−m)/(m+1)·e^{θ + 2λm}, in double-double arithmetic. A ratio is a product of at most anew factors. A weight is a
// product of m ratios, with 2m more roundings. So the relative error is at most N·(anew + 4) scaledDoubleUnit. It stops
// with ctx's error.
func (c *Columns) each(ctx context.Context, visit func(m int, t scaledDouble)) error {
	w := newScaledDouble(1, 0, 0)
	var step, grow scaledDouble
	theta, twice := interval.Float(c.theta), interval.Float(c.lambda).Mul(interval.Int(2))
	if c.lambda != 0 {
		grow = scaledDoubleExp(twice)
	}
	for m := range c.n {
		if m%anew == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			step = scaledDoubleExp(theta.Add(twice.Mul(interval.Int(int64(m)))))
		}
		visit(m, w)
		w = w.mul(step).mulRatio(c.n-m, m+1)
		if c.lambda != 0 {
			step = step.mul(grow)
		}
	}
	visit(c.n, w)
	return nil
}

// solve computes the law of a column in O(N) time. It returns ctx's error.
func (c *Columns) solve(ctx context.Context) (*columnLaw, error) {
	c.guard.Lock()
	defer c.guard.Unlock()
	if c.law != nil {
		return c.law, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	law := &columnLaw{}
	var terms []scaledDouble
	if c.n <= keepTerms {
		terms = make([]scaledDouble, 0, c.n+1)
	}
	// Each sum is computed relative to its largest term.
	tops := [4]int64{none, none, none, none} // over m ≥ 0, ≥ 1, ≥ 2 and ≤ N−1
	if err := c.each(ctx, func(m int, t scaledDouble) {
		if terms != nil {
			terms = append(terms, t)
		}
		for k := range min(m+1, 3) {
			tops[k] = max(tops[k], t.e)
		}
		if m < c.n {
			tops[3] = max(tops[3], t.e)
		}
	}); err != nil {
		return nil, err
	}
	var sums [5]struct {
		sum         interval.DoubleDouble
		ones, pairs float64
	}
	add := func(k int, t scaledDouble, top int64, m, times int) {
		v := t.addTo(&sums[k].sum, top, times) * float64(m)
		sums[k].ones += v
		sums[k].pairs += v * float64(m-1)
	}
	visit := func(m int, t scaledDouble) {
		add(0, t, tops[0], m, 1)
		if m > 0 {
			add(1, t, tops[1], m, 1)
			add(2, t, tops[1], m, m)
		}
		if m < c.n {
			add(3, t, tops[3], m, c.n-m)
		}
		if m > 1 {
			add(4, t.mulRatio(m-1, 1), tops[2], m, m)
		}
	}
	if terms != nil {
		for m, t := range terms {
			visit(m, t)
		}
	} else if err := c.each(ctx, visit); err != nil {
		return nil, err
	}
	law.terms = terms
	for k, to := range []*tally{&law.z, &law.rest, &law.ones, &law.zeros, &law.pairs} {
		v := sums[k].sum.Float()
		if to.sum = newScaledFloat(v); v > 0 {
			to.sum.e += [...]int64{tops[0], tops[1], tops[1], tops[3], tops[2]}[k]
			to.ones, to.pairs = sums[k].ones/v, sums[k].pairs/v
		}
	}
	law.rel = float64(c.n)*(anew+8)*scaledDoubleUnit + 8*unit
	c.law = law
	return law, nil
}

const columnMethod = "exchangeable columns in double-word arithmetic, roundings bounded"

// bit returns the same law as n·p columns of one bit if bits are independent, so that computations do not take O(N)
// time. Otherwise it returns c.
func (c *Columns) bit() *Columns {
	if c.lambda != 0 || c.offLambda != 0 || c.n == 1 {
		return c
	}
	return &Columns{n: 1, p: c.n * c.p, theta: c.theta, offTheta: c.offTheta}
}

// LogNormalizer returns ln Σ exp(bᵀΠb). It returns ctx's error.
func (c *Columns) LogNormalizer(ctx context.Context) (evidence.Certified, error) {
	c = c.bit()
	law, err := c.solve(ctx)
	if err != nil {
		return evidence.Certified{}, err
	}
	one := interval.EndsOf(logOnePlus(law.rest.sum, law.rel, c.moves(law.rest), c.moves(law.z)))
	if p := float64(c.p); p > 1 {
		one = one.Mul(interval.EndsOf(p, p))
	}
	return evidence.Certified{Lo: one.Lo, Hi: one.Hi, Provenance: evidence.From("equation (3)").By(columnMethod)}, nil
}

// FlipRate returns E‖B‖²/NP, the probability that a bit is flipped, or E‖1 − B‖²/NP for the complement. It returns
// ctx's error.
func (c *Columns) FlipRate(ctx context.Context, complement Variant) (evidence.Certified, error) {
	return c.MeanOnes(ctx, complement, float64(c.n)*float64(c.p))
}

// MeanOnes returns E‖B‖²/per for an integer per, or E‖1 − B‖²/per. It returns an
// error wrapping evidence.ErrParameter unless per is at least 1 and finite, and ctx's
// error.
func (c *Columns) MeanOnes(ctx context.Context, complement Variant, per float64) (evidence.Certified, error) {
	if !(per >= 1 && per <= math.MaxFloat64) {
		return evidence.Certified{}, parameter.Bad("per", per, "a whole number, at least 1")
	}
	c = c.bit()
	law, err := c.solve(ctx)
	if err != nil {
		return evidence.Certified{}, err
	}
	sum := law.ones
	if complement {
		sum = law.zeros
	}
	most := float64(c.n) * float64(c.p) / per
	if most != 1 {
		most = interval.Up(most)
	}
	sum.sum = sum.sum.times(float64(c.p))
	return c.mean(sum, law.z, per, most, law, "Theorem 2"), nil
}

// ColumnOnes returns Pr[m ones in a column] for m = 0, …, N. It returns an error wrapping evidence.ErrParameter
// beyond 2²⁴ objects, and ctx's error.
func (c *Columns) ColumnOnes(ctx context.Context) ([]float64, error) {
	law, err := c.kept(ctx)
	if err != nil {
		return nil, err
	}
	p := make([]float64, c.n+1)
	for m, t := range law.terms {
		lo, hi := scaledFloat{t.v.Hi, t.e}.quo(law.z.sum).bounds(0)
		p[m] = lo + (hi-lo)/2
	}
	return p, nil
}

// kept is solve for at most keepTerms objects, so that the law has its terms. It returns an error wrapping
// evidence.ErrParameter for more.
func (c *Columns) kept(ctx context.Context) (*columnLaw, error) {
	if c.n > keepTerms {
		return nil, parameter.Errorf("columns of %d objects, want at most %d to list their law or draw from it", c.n, keepTerms)
	}
	return c.solve(ctx)
}

// moments returns the marginals, which are all equal, and the pair moment of two bits of one column. Bits of different
// columns are independent. It returns ctx's error.
func (c *Columns) moments(ctx context.Context) (*Moments, error) {
	law, err := c.solve(ctx)
	if err != nil {
		return nil, err
	}
	n := float64(c.n)
	m := &Moments{Marginals: make([]evidence.Certified, c.n*c.p), p: c.p}
	one := c.mean(law.ones, law.z, n, 1, law, "equation (2)")
	for k := range m.Marginals {
		m.Marginals[k] = one
	}
	pair := c.mean(law.pairs, law.z, max(n*(n-1), 1), 1, law, "equation (2)")
	m.column = &pair
	return m, nil
}
