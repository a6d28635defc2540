package records

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/smooth"
)

// Smooth is the smooth sensitivity mechanism at one dataset: f(x) + scale·S·Z on the whole line.
type Smooth struct {
	q     *Query
	by    *smooth.Calibration
	bound smooth.Bound
	moved *Added // the same, moved to the range
}

// NewSmooth returns the smooth sensitivity mechanism (Nissim, Raskhodnikova and Smith 2007) of a calibration,
// S being the largest e^{−βt}·I_t. It claims what the calibration does.
func NewSmooth(ctx context.Context, q *Query, by *smooth.Calibration) (*Smooth, error) {
	if q.local == nil || q.listed != nil && q.listed.names != nil {
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
	m := &Smooth{q: q, by: by, bound: bound}
	m.moved = &Added{q: q, title: m.Name(), claimed: by.Claim(), scale: bound.Amount().Enclosure.Mul(by.Scale()), noise: tailOf{by.Noise}}
	return m, nil
}

// rises lists I_t where it rises, as far as e^{−βt}·I_t can be largest: I_t is at most the global sensitivity.
func (q *Query) rises(ctx context.Context, beta float64) ([]smooth.Rise, error) {
	const most = 1 << 22
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
		if q.global != nil && v.Cmp(q.global) >= 0 || top*math.Exp(-beta*float64(t)) < best*(1-1e-9) {
			return out, nil
		}
		if t > most {
			return nil, parameter.Errorf("local sensitivities rise for more than %d changes, and beta = %g weighs them all", most, beta)
		}
	}
}

// tailOf is the noise of a calibration as the tail that moving it to a range asks for.
type tailOf struct{ smooth.Noise }

// Area implements Noise where nothing asks for it.
func (t tailOf) Area(interval.Interval) interval.Interval { return interval.Whole() }

// Half implements Noise.
func (t tailOf) Half() interval.Interval { return interval.Whole() }

// Draw implements Noise where nothing asks for it.
func (t tailOf) Draw(rand.Source) float64 { return math.NaN() }

// Name implements Law.
func (m *Smooth) Name() string {
	name := "smooth_sensitivity, " + m.by.Noise.Name() + "(eps=" + m.by.Epsilon.String()
	if m.by.Delta != nil && m.by.Delta.Sign() > 0 {
		name += ", delta=" + text(m.by.Delta)
	}
	return name + ")"
}

// Query implements Law.
func (m *Smooth) Query() *Query { return m.q }

// ClaimedEpsilon implements Law.
func (m *Smooth) ClaimedEpsilon() evidence.Number { return m.by.Claim() }

// Remake implements Law.
func (m *Smooth) Remake(q *Query) (Law, error) { return NewSmooth(context.Background(), q, m.by) }

// Bound returns S.
func (m *Smooth) Bound() evidence.Number {
	return m.bound.Amount().Number(method, "the largest e^{−βt} times the local sensitivity within t changes")
}

// Distortion implements Law: +Inf where the noise has no first moment.
func (m *Smooth) Distortion(context.Context) (evidence.Number, error) {
	return m.by.AbsError(m.bound.Amount()), nil
}

// Quantile returns the p-quantile of the error.
func (m *Smooth) Quantile(p *big.Rat) (evidence.Number, error) {
	return m.by.Quantile(m.bound.Amount(), p)
}

// below encloses Pr[r ≤ v].
func (m *Smooth) below(v *big.Rat) interval.Interval {
	d := new(big.Rat).Sub(v, m.q.value)
	if m.bound.IsZero() {
		if d.Sign() >= 0 {
			return interval.Int(1)
		}
		return interval.Int(0)
	}
	t := m.by.Noise.Tail(m.moved.scaled(new(big.Rat).Abs(d)))
	if d.Sign() >= 0 {
		return interval.Int(1).Sub(t)
	}
	return t
}

// Within implements Law.
func (m *Smooth) Within(ctx context.Context, e *big.Rat) (interval.Interval, error) {
	if e.Sign() < 0 {
		return interval.Int(0), nil
	}
	return m.Between(ctx, new(big.Rat).Sub(m.q.value, e), new(big.Rat).Add(m.q.value, e))
}

// Between implements Law.
func (m *Smooth) Between(_ context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	return unit(m.below(hi).Sub(m.below(lo))), nil
}

// grid is that of releases: public, by the global sensitivity or else by the grid.
func (m *Smooth) grid() *big.Rat {
	if m.q.global != nil {
		return sampling.GridFor(m.q.global)
	}
	return sampling.TwoTo(-32)
}

// Simulate implements Law: exact draws of a seeded generator.
func (m *Smooth) Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error) {
	return m.by.SampleAt(ctx, m.q.value, m.bound, n, m.grid(), src)
}

// Release draws n outputs exactly, rounded to the nearest multiple of a public grid, which is returned. A nil
// source is the operating system's generator.
func (m *Smooth) Release(ctx context.Context, n int, src Source) ([]float64, *big.Rat, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, nil, err
	}
	out, err := m.by.SampleAt(ctx, m.q.value, m.bound, n, m.grid(), src)
	return out, m.grid(), err
}

// Delta returns the δ that is claimed beside ε, nil for none.
func (m *Smooth) Delta() *big.Rat {
	if m.by.Delta == nil || m.by.Delta.Sign() == 0 {
		return nil
	}
	return m.by.Delta
}
