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

// Smooth is the smooth sensitivity mechanism at one dataset: f(x) + scale·S·Z, moved to the range.
type Smooth struct {
	*Added
	by    *smooth.Calibration
	bound smooth.Bound
}

// NewSmooth returns the smooth sensitivity mechanism (Nissim, Raskhodnikova and Smith 2007) of a calibration,
// S being the largest e^{−βt}·I_t, whose answers are moved to the nearest value of the range. It claims what the calibration does.
func NewSmooth(ctx context.Context, q *Query, by *smooth.Calibration) (*Smooth, error) {
	if q.local == nil {
		return nil, parameter.Errorf("%s has no local sensitivity that is known at a distance, which smooth_sensitivity weighs", q.name)
	}
	rises, err := q.rises(ctx, by.BetaEnclosure().Mid())
	if err != nil {
		return nil, err
	}
	bound, err := smooth.NewBound(rises, by)
	if err != nil {
		return nil, err
	}
	title := "smooth_sensitivity, " + by.Noise.Name() + "(eps=" + by.Epsilon.String()
	if !by.Delta.IsZero() {
		title += ", delta=" + text(by.Delta.Rat())
	}
	return &Smooth{newAdded(q, title+")", bound.Amount().Enclosure.Mul(by.Scale()), drawn{by.Noise}, by.Claim(), nil), by, bound}, nil
}

// OnLine returns the same noise, left on the whole line.
func (m *Smooth) OnLine() Law { return &Smooth{m.Added.OnLine().(*Added), m.by, m.bound} }

// mostRises bounds the distances at which local sensitivities are asked for; tests lower it.
var mostRises = 1 << 22

// rises lists I_t where it rises, as far as e^{−βt}·I_t can be largest: I_t is at most the global sensitivity.
func (q *Query) rises(ctx context.Context, beta float64) ([]smooth.Rise, error) {
	var out []smooth.Rise
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
			out = append(out, smooth.Rise{From: t, Value: v})
		}
		best = max(best, float(v)*math.Exp(-beta*float64(t)))
		if q.still || q.global != nil && v.Cmp(q.global) >= 0 || top*math.Exp(-beta*float64(t)) < best*(1-1e-9) {
			return out, nil
		}
		if t > mostRises {
			return nil, parameter.Errorf("local sensitivities rise for more than %d changes, and beta = %g weighs them all", mostRises, beta)
		}
	}
}

// drawn is the noise of a calibration, which draws exactly and so not by Draw.
type drawn struct{ smooth.Noise }

// Draw implements Noise where nothing asks for it.
func (drawn) Draw(rand.Source) float64 { return math.NaN() }

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

// Bound returns S.
func (m *Smooth) Bound() evidence.Number {
	return evidence.WithSide(m.bound.Amount().Number(method, "the largest e^{−βt} times the local sensitivity within t changes"), evidence.Up)
}

// Distortion implements Law: +Inf where the range has no end and the noise no first moment.
func (m *Smooth) Distortion(ctx context.Context) (evidence.Number, error) {
	if m.rng == (Range{}) {
		return m.by.AbsError(m.bound.Amount()), nil
	}
	return m.Added.Distortion(ctx)
}

// Simulate implements Law: exact draws of a seeded generator.
func (m *Smooth) Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error) {
	out, _, err := m.Release(ctx, n, src)
	return out, err
}

// Release draws n outputs exactly: noise is added, and the sum moved to the nearest value of the range; where that is
// continuous, to the nearest multiple of a public grid first, which is returned. A nil source is the operating system's generator.
func (m *Smooth) Release(ctx context.Context, n int, src Source) ([]float64, *big.Rat, error) {
	grid, answer := m.rng.grid(m.q)
	multiples, err := m.by.MultiplesAt(ctx, answer, m.bound, n, grid, src)
	if err != nil {
		return nil, nil, err
	}
	return lists.Each(multiples, func(k *big.Int) float64 { return m.rng.placed(k, grid) }), m.rng.rounded(grid), nil
}

// Delta returns the δ that is claimed beside ε.
func (m *Smooth) Delta() evidence.Delta { return m.by.Delta }
