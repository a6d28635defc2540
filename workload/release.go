package workload

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// Noise is the Gaussian noise of a strategy for given privacy: independent, with standard deviation Sigma on each entry
// of Cx.
type Noise struct {
	Strategy *Strategy
	Sigma    float64
	Delta    evidence.Delta
	Grid     *big.Rat // measurements are rounded to multiples of Grid
}

// Calibrate returns noise with the least standard deviation at which Cx is (ε, δ)-private, rounded up to a float64. A
// nil grid means the largest power of two that is at most 2⁻³² times the standard deviation. Errors wrap
// evidence.ErrParameter.
func (s *Strategy) Calibrate(eps evidence.Epsilon, delta evidence.Delta, grid *big.Rat) (*Noise, error) {
	if err := delta.Positive("delta"); err != nil {
		return nil, err
	}
	if err := sampling.CheckGrid(grid); err != nil {
		return nil, err
	}
	least, err := gaussian.SigmaAt(eps, delta, evidence.Enclosure(s.Sensitivity))
	if err != nil {
		return nil, err
	}
	n := &Noise{s, least.Hi, delta, grid}
	if grid == nil {
		n.Grid = sampling.GridFor(new(big.Rat).SetFloat64(n.Sigma))
	}
	return n, nil
}

// Epsilon encloses the ε of the noise at n.Delta. It is computed for unrounded Gaussian noise. The rounding of the
// measurements and the computation of the answers are post-processing.
func (n *Noise) Epsilon() (evidence.Certified, error) {
	return n.Strategy.EpsilonAt(n.Delta, new(big.Rat).SetFloat64(n.Sigma))
}

// EpsilonAt encloses the least ε at which noise of standard deviation sigma on each entry of Cx is (ε, δ)-private, by
// the analytic Gaussian mechanism. Errors wrap evidence.ErrParameter.
func (s *Strategy) EpsilonAt(delta evidence.Delta, sigma *big.Rat) (evidence.Certified, error) {
	mu, err := s.ratio(sigma)
	if err != nil {
		return evidence.Certified{}, err
	}
	return gaussian.EpsilonAt(delta, mu)
}

// DeltaAt encloses the least δ at which noise of standard deviation sigma on each entry of Cx is (ε, δ)-private. Errors
// wrap evidence.ErrParameter.
func (s *Strategy) DeltaAt(eps evidence.Epsilon, sigma *big.Rat) (evidence.Certified, error) {
	mu, err := s.ratio(sigma)
	if err != nil {
		return evidence.Certified{}, err
	}
	return gaussian.DeltaAt(eps, mu), nil
}

// ratio encloses μ, the sensitivity in units of sigma.
func (s *Strategy) ratio(sigma *big.Rat) (interval.Interval, error) {
	if sigma == nil || sigma.Sign() <= 0 {
		return interval.Interval{}, parameter.Bad("sigma", sigma, "a positive number")
	}
	return evidence.Enclosure(s.Sensitivity).Quo(interval.Rat(sigma)), nil
}

// ErrorAt encloses the error at (ε, δ): the error e at unit sensitivity and unit noise, divided by the largest μ that
// is (ε, δ)-private.
func ErrorAt(e evidence.Certified, eps evidence.Epsilon, delta evidence.Delta) (evidence.Certified, error) {
	mu, err := gaussian.Mu(eps, delta)
	if err != nil {
		return evidence.Certified{}, err
	}
	at := evidence.Enclosure(e).Quo(evidence.Enclosure(mu))
	return evidence.Enclosed(at, e.Method+"; noise by the analytic Gaussian mechanism", ""), nil
}

// Release returns the answers BY for measurements Y of Cx. A measurement is an entry of Cx, computed exactly from the
// float64s, plus a normal variable with exactly the law of the noise, rounded exactly to the nearest multiple of the
// grid. x has a row for every coordinate. A column of x is a separate table or stream; a person contributes a row, of
// norm at most 1. The product with B is computed in float64, which is post-processing. A nil source means the operating
// system's generator, the only one for real releases. Timing is not protected.
//
// It returns an error wrapping evidence.ErrParameter if x has another number of rows or an entry that is not finite, or
// the context's error.
func (n *Noise) Release(ctx context.Context, x *mat.Dense, src rand.Source) (*mat.Dense, error) {
	c, err := n.Strategy.Encoder()
	if err != nil {
		return nil, err
	}
	b, err := n.Strategy.Decoder()
	if err != nil {
		return nil, err
	}
	rows, cols := c.Dims()
	if own, _ := x.Dims(); own != cols {
		return nil, parameter.Errorf("x has %d entries, want %d, one for each column of the workload", own, cols)
	}
	_, width := x.Dims()
	if err := n.Strategy.Params.Participation.admits(width); err != nil {
		return nil, err
	}
	src = sampling.Or(src)
	y := mat.NewDense(rows, width, nil)
	for k := range width {
		column := mat.Col(nil, k, x)
		if err := finite(column); err != nil {
			return nil, err
		}
		for i := range rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v, err := n.measure(exactDot(c.RawRowView(i), column), src)
			if err != nil {
				return nil, err
			}
			y.Set(i, k, v)
		}
	}
	return multiply(b, y), nil
}

func finite(x []float64) error {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return parameter.Bad(fmt.Sprintf("x[%d]", i), v, "a finite number")
		}
	}
	return nil
}

// measure returns v plus a draw of the noise, rounded to the grid.
func (n *Noise) measure(v *big.Rat, src rand.Source) (float64, error) {
	z := sampling.Rat(new(big.Rat).SetFloat64(n.Sigma)).Mul(sampling.Normal(src).Number())
	k, err := sampling.Round(sampling.Sum(sampling.Rat(v), z), n.Grid)
	if err != nil {
		return 0, err
	}
	return sampling.Multiple(k, n.Grid), nil
}

// exactDot returns Σ a_i b_i without rounding.
func exactDot(a, b []float64) *big.Rat {
	const low = 2 * (1074 + 52) // products are multiples of 2^−low
	sum, term := new(big.Int), new(big.Int)
	for i, x := range a {
		if x == 0 || b[i] == 0 {
			continue
		}
		m, e := whole(x)
		n, f := whole(b[i])
		term.Mul(big.NewInt(m), big.NewInt(n))
		sum.Add(sum, term.Lsh(term, uint(e+f+low)))
	}
	return new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), low))
}

// whole returns integers m and e with v = m·2^e.
func whole(v float64) (m int64, e int) {
	f, e := math.Frexp(v)
	return int64(f * 0x1p53), e - 53
}

// A Stream releases the answers of a stream one by one. The answer of step i needs only the vectors up to step i. The
// vectors may depend on earlier answers, because all noise is drawn independently of them (Denisov, McMahan, Rush,
// Smith and Thakurta, arXiv:2202.08312, Theorem 2.1). A Stream keeps every vector and measurement, and is not safe for
// concurrent use.
type Stream struct {
	Noise *Noise
	c, b  *mat.Dense
	src   rand.Source
	x, y  [][]float64 // one slice for each entry of the vectors
	step  int
}

// NewStream returns a stream before its first step. It returns an error wrapping evidence.ErrParameter if an answer of
// the strategy needs measurements of later steps.
func (n *Noise) NewStream(src rand.Source) (*Stream, error) {
	s := n.Strategy
	if s.Memory < 0 {
		return nil, parameter.Errorf("the strategy %q of %s cannot answer a stream: "+
			"its encoder or the workload is not lower triangular", s.Name, s.Workload.Name())
	}
	c, err := s.Encoder()
	if err != nil {
		return nil, err
	}
	b, err := s.Decoder()
	return &Stream{Noise: n, c: c, b: b, src: sampling.Or(src)}, err
}

// Step returns the number of steps released so far.
func (s *Stream) Step() int { return s.step }

// Add releases the answer of the next step for its vector x. It returns an error wrapping evidence.ErrParameter, and
// takes no step, if the stream is at its end, an entry is not finite, or x is not as long as that of the first step.
func (s *Stream) Add(ctx context.Context, x []float64) ([]float64, error) {
	n, _ := s.c.Dims()
	switch {
	case s.step == n:
		return nil, parameter.Errorf("the stream has ended: all of its %d steps are released", n)
	case len(x) == 0 || s.step > 0 && len(x) != len(s.x):
		return nil, parameter.Errorf("x has %d entries, want %d as in the first step", len(x), max(1, len(s.x)))
	}
	if err := cmp.Or(s.Noise.Strategy.Params.Participation.admits(len(x)), finite(x)); err != nil {
		return nil, err
	}
	if s.step == 0 {
		s.x, s.y = make([][]float64, len(x)), make([][]float64, len(x))
	}
	out, drawn := make([]float64, len(x)), make([]float64, len(x))
	for k, v := range x {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		past := append(s.x[k][:s.step:s.step], v)
		var err error
		if drawn[k], err = s.Noise.measure(exactDot(s.c.RawRowView(s.step)[:s.step+1], past), s.src); err != nil {
			return nil, err
		}
	}
	for k, v := range x {
		s.x[k], s.y[k] = append(s.x[k], v), append(s.y[k], drawn[k])
		for j, y := range s.y[k] {
			out[k] += float64(s.b.At(s.step, j) * y)
		}
	}
	s.step++
	return out, nil
}
