package xor

import (
	"fmt"
	"math"
	"sync"

	"dpworkbench/evidence"
)

// Columns is the closed form of the law with Θ = θI and every Λ_ij = λI: the P
// columns are independent, and each is an exchangeable (Curie–Weiss) law on N
// bits, Pr[m ones] ∝ C(N, m) exp(θm + λm(m−1)). It is immutable.
type Columns struct {
	n, p          int
	theta, lambda float64
	once          sync.Once
	law           columnLaw
}

// columnLaw is the law of the number of ones of one column.
type columnLaw struct {
	weight []wide // weight[m], relative to that of no ones
	terms  []quad // the same to 30 digits
	logZ   [2]float64
	mean   float64 // E[m]/N
	pair   float64 // E[m(m−1)]/N(N−1), 0 for N = 1
	rest   float64 // 1 − E[m]/N, without cancellation
	rel    float64 // relative error of mean, rest and of weights
}

// NewColumns returns the closed form of n × p bits. It returns an error
// wrapping ErrParameter unless n, p ≥ 1, n·p fits an int, and theta and lambda
// are finite and of reasonable size.
func NewColumns(n, p int, theta, lambda float64) (*Columns, error) {
	if n < 1 || p < 1 {
		return nil, fmt.Errorf("%w: shape %d × %d, want at least 1 × 1", ErrParameter, n, p)
	}
	if n > math.MaxInt32 || p > math.MaxInt32 {
		return nil, fmt.Errorf("%w: shape %d × %d, want at most 2³¹ − 1 either way", ErrParameter, n, p)
	}
	if !(math.Abs(theta) <= maxEntry/4) {
		return nil, fmt.Errorf("%w: theta = %g, want a finite number", ErrParameter, theta)
	}
	if !(math.Abs(lambda)*float64(n) <= maxEntry/4) {
		return nil, fmt.Errorf("%w: lam = %g, want a finite number", ErrParameter, lambda)
	}
	return &Columns{n: n, p: p, theta: theta, lambda: lambda}, nil
}

// Shape returns the numbers of rows and columns.
func (c *Columns) Shape() (n, p int) { return c.n, c.p }

// Parameters returns θ and λ.
func (c *Columns) Parameters() (theta, lambda float64) { return c.theta, c.lambda }

// exponent returns the exponent of a column with m ones.
func (c *Columns) exponent(m int) float64 {
	return float64(m) * (c.theta + c.lambda*float64(m-1))
}

// solve computes the law of a column by the ratio of successive weights,
// (N−m)/(m+1)·e^{θ + 2λm}, in double-word arithmetic: O(N).
func (c *Columns) solve() *columnLaw {
	c.once.Do(func() {
		law := &c.law
		law.weight = make([]wide, c.n+1)
		w, step, grow := quad{.5, 0, 1}, quadExp(c.theta), quadExp(2*c.lambda)
		terms := make([]quad, c.n+1)
		top := w.e
		for m := range c.n {
			terms[m] = w
			w = w.mul(step).ratio(c.n-m, m+1)
			step = step.mul(grow)
			top = max(top, w.e)
		}
		terms[c.n] = w
		law.terms = terms

		var z, ones, zeros, pairs pair
		add := func(to *pair, t quad, times int) {
			if t.e-top < -900 {
				return // the sum is at least ½: below any rounding kept here
			}
			hi, lo := math.Ldexp(t.hi, int(t.e-top)), math.Ldexp(t.lo, int(t.e-top))
			to.add(hi * float64(times))
			to.lo += math.FMA(hi, float64(times), -(hi*float64(times))) + lo*float64(times)
		}
		for m, t := range terms {
			law.weight[m] = wide{t.hi, t.e}
			add(&z, t, 1)
			add(&ones, t, m)
			add(&zeros, t, c.n-m)
			if m > 1 {
				add(&pairs, t.ratio(m-1, 1), m)
			}
		}
		law.rel = float64(4*c.n+16)*quadUnit + 8*unit
		total := newWide(z.value())
		total.e += top
		law.logZ[0], law.logZ[1] = total.log(law.rel)
		law.mean = ones.value() / z.value() / float64(c.n)
		if c.n > 1 {
			law.pair = pairs.value() / z.value() / float64(c.n) / float64(c.n-1)
		}
		law.rest = zeros.value() / z.value() / float64(c.n)
	})
	return &c.law
}

const columnMethod = "exchangeable columns in double-word arithmetic, roundings bounded"

// LogNormalizer returns ln Σ exp(bᵀΠb).
func (c *Columns) LogNormalizer() evidence.Certified {
	law, p := c.solve(), float64(c.p)
	return evidence.Certified{
		Lo:     math.Nextafter(law.logZ[0]*p, math.Inf(-1)),
		Hi:     math.Nextafter(law.logZ[1]*p, math.Inf(1)),
		Method: columnMethod, Source: "equation (3)",
	}
}

// FlipRate returns E‖B‖²/NP, the chance that a bit is flipped; of the
// complement 1 − B where complement is true.
func (c *Columns) FlipRate(complement bool) evidence.Certified {
	law := c.solve()
	v := law.mean
	if complement {
		v = law.rest
	}
	return around(v, 2*law.rel, columnMethod, "Theorem 2")
}

// ColumnOnes returns Pr[m ones in a column] for m = 0, …, N.
func (c *Columns) ColumnOnes() []float64 {
	law := c.solve()
	top := law.weight[0].e
	for _, w := range law.weight {
		top = max(top, w.e)
	}
	p, sum := make([]float64, c.n+1), 0.0
	for m, w := range law.weight {
		p[m] = w.scaledTo(top)
		sum += p[m]
	}
	for m := range p {
		p[m] /= sum
	}
	return p
}

// moments lists marginals, which are all alike, and pair moments: those of two
// bits of one column, and products elsewhere.
func (c *Columns) moments() (*Moments, error) {
	law := c.solve()
	m := &Moments{Marginals: make([]evidence.Certified, c.n*c.p), p: c.p}
	for k := range m.Marginals {
		m.Marginals[k] = momentAround(law.mean, 2*law.rel)
	}
	pair := momentAround(law.pair, 2*law.rel)
	m.column = &pair
	return m, nil
}
