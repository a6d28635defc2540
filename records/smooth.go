package records

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/smooth"
)

// Smooth is the smooth sensitivity mechanism at one dataset: f(x) + scale·S·Z, clamped to the range. S is the smooth
// sensitivity and Z the noise.
type Smooth struct {
	*Added
	by    *smooth.Calibration
	bound smooth.Bound
}

// NewSmooth returns the smooth sensitivity mechanism (Nissim, Raskhodnikova and Smith 2007) for a calibration. S is
// the largest e^{−βt}·I_t. Answers are clamped to the nearest value of the range. It claims what the calibration
// claims.
func NewSmooth(ctx context.Context, q *Query, by *smooth.Calibration) (*Smooth, error) {
	if q.local == nil {
		return nil, parameter.Errorf("%s has no known local sensitivity at a distance, which smooth_sensitivity requires", q.name)
	}
	steps, err := q.sensitivitySteps(ctx, by.BetaEnclosure().Mid())
	if err != nil {
		return nil, err
	}
	bound, err := smooth.NewBound(steps, by)
	if err != nil {
		return nil, err
	}
	title := "smooth_sensitivity, " + by.Noise.Name() + "(eps=" + by.Epsilon.String()
	if !by.Delta.IsZero() {
		title += ", delta=" + text(by.Delta.Rat())
	}
	return &Smooth{newAdded(q, title+")", bound.Amount().Enclosure.Mul(by.Scale()), calibratedNoise{by.Noise}, by.Claim(), nil), by, bound}, nil
}

// OnLine returns the same mechanism without clamping.
func (m *Smooth) OnLine() Law { return &Smooth{m.Added.OnLine().(*Added), m.by, m.bound} }

// mostSteps bounds the number of distances at which local sensitivities are computed; tests lower it.
var mostSteps = 1 << 22

// sensitivitySteps lists the t at which I_t increases, up to the last t at which e^{−βt}·I_t can be the maximum. It
// uses that I_t is at most the global sensitivity.
func (q *Query) sensitivitySteps(ctx context.Context, beta float64) ([]smooth.RationalStep, error) {
	var out []smooth.RationalStep
	top := math.Inf(1)
	if q.global != nil {
		top = float(q.global)
	}
	best := 0.0
	for t := 0; ; t++ {
		if t%256 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			parallel.Report(ctx, int64(t), 0, "changes")
		}
		v := q.local(t)
		if n := len(out); n == 0 || v.Cmp(out[n-1].Value) > 0 {
			out = append(out, smooth.RationalStep{From: t, Value: v})
		}
		best = max(best, float(v)*math.Exp(-beta*float64(t)))
		if q.isConstant || q.global != nil && v.Cmp(q.global) >= 0 || top*math.Exp(-beta*float64(t)) < best*(1-1e-9) {
			return out, nil
		}
		if t > mostSteps {
			return nil, parameter.Errorf("local sensitivities increase for more than %d changes, and the smooth sensitivity at beta = %g depends on all of them, want a larger beta", mostSteps, beta)
		}
	}
}

// calibratedNoise is the noise of a calibration. It has an exact sampler and does not use Draw.
type calibratedNoise struct{ smooth.Noise }

// Draw implements Noise, but nothing calls it.
func (calibratedNoise) Draw(rand.Source) float64 { return math.NaN() }

// Remake implements Law.
func (m *Smooth) Remake(q *Query) (Law, error) {
	out, err := NewSmooth(context.Background(), q, m.by)
	if err != nil {
		return nil, err
	}
	if m.rng == (Range{}) && q.rng != (Range{}) {
		return out.OnLine(), nil
	}
	return out, nil
}

// Bound returns S, the smooth sensitivity.
func (m *Smooth) Bound() evidence.Number {
	return evidence.WithSide(m.bound.Amount().Number(method, "the largest e^{−βt} times the local sensitivity within t changes"), evidence.Up)
}

// Distortion implements Law. It is +Inf if the range is infinite and the noise has no first moment.
func (m *Smooth) Distortion(ctx context.Context) (evidence.Number, error) {
	if m.rng == (Range{}) {
		return m.by.AbsError(m.bound.Amount()), nil
	}
	return m.Added.Distortion(ctx)
}

// Simulate implements Law. It draws exactly, from a seeded generator.
func (m *Smooth) Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error) {
	out, _, err := m.Release(ctx, n, src)
	return out, err
}

// Release draws n outputs exactly: it adds noise and clamps the sum to the range. On a continuous range it rounds
// the sum to the nearest multiple of a public grid first, and returns that grid. A nil source stands for the
// operating system's generator.
func (m *Smooth) Release(ctx context.Context, n int, src Source) ([]float64, *big.Rat, error) {
	grid, answer := m.rng.grid(m.q)
	multiples, err := m.by.MultiplesAt(ctx, answer, m.bound, n, grid, src)
	if err != nil {
		return nil, nil, err
	}
	return lists.Each(multiples, func(k *big.Int) float64 { return m.rng.placed(k, grid) }), m.rng.rounded(grid), nil
}

// Delta returns the claimed δ.
func (m *Smooth) Delta() evidence.Delta { return m.by.Delta }
