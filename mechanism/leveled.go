package mechanism

import (
	"context"
	"math"
	"math/big"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/query"
)

// Leveled is a mechanism with p^x(r) = e^{−L^x(r)·unit}/α^x (Wu et al.,
// Definition 13). Its answers are exact where e^{−unit} is rational.
type Leveled struct {
	*Levels
	name    string
	claimed evidence.Number
	unit    evidence.Epsilon

	logAlpha []float64 // by profile
	logError float64
	z        []interval.Interval // z[k] encloses e^{−k·unit}, grown on demand
	zLock    sync.Mutex
}

// NewLeveled returns the mechanism on levels that loses unit nats a level.
func NewLeveled(name string, levels *Levels, unit evidence.Epsilon, claimed evidence.Number) *Leveled {
	m := &Leveled{Levels: levels, name: name, claimed: claimed, unit: unit}
	u, worst := unit.Value(), 0.0
	m.logAlpha = make([]float64, len(levels.profiles))
	for i, p := range levels.profiles {
		sum := 0.0
		for k, level := range p.level {
			sum += p.count[k] * math.Exp(-float64(level-p.level[0])*u)
		}
		m.logAlpha[i] = math.Log(sum) - float64(p.level[0])*u
		worst = max(worst, float64(p.level[len(p.level)-1])*u)
	}
	// Each weight w = e^{−t} is off by at most (t + 2) roundings of w, and t w ≤
	// 1/e, so α ≥ 1 (after the shift) is off by at most |R|(2 + 1/e) + |R| for
	// the sum; the logarithm and the product L·unit add theirs.
	size := float64(len(levels.q.Range()))
	m.logError = 0x1p-53 * (4*size + 4*worst + 16)
	return m
}

// Name implements Mechanism.
func (m *Leveled) Name() string { return m.name }

// ClaimedEpsilon implements Mechanism.
func (m *Leveled) ClaimedEpsilon() evidence.Number { return m.claimed }

// Unit returns the loss in nats a level stands for: the decay of a layered
// mechanism.
func (m *Leveled) Unit() evidence.Epsilon { return m.unit }

// LogProb implements Mechanism.
func (m *Leveled) LogProb(x, r int) float64 {
	level := m.row(x)[r]
	if level == query.Unreached {
		return math.Inf(-1)
	}
	return -float64(level)*m.unit.Value() - m.logAlpha[m.profile[x]]
}

// LogError implements Mechanism.
func (m *Leveled) LogError() float64 { return m.logError }

// Enclose implements Mechanism.
func (m *Leveled) Enclose(x, r int) interval.Interval {
	level := m.row(x)[r]
	if level == query.Unreached {
		return interval.Int(0)
	}
	p := m.profiles[m.profile[x]]
	alpha, _ := m.sums(p)
	return m.power(level - p.level[0]).Quo(alpha)
}

// Rational implements Mechanism.
func (m *Leveled) Rational(x, r int) (*big.Rat, bool) {
	z, ok := m.unit.RationalDecay()
	if !ok {
		return nil, false
	}
	level := m.row(x)[r]
	if level == query.Unreached {
		return new(big.Rat), true
	}
	p := m.profiles[m.profile[x]]
	alpha, _ := rationalSums(p, z)
	w := ratPower(z, level-p.level[0])
	return w.Quo(w, alpha), true
}

// Class implements Mechanism: rows of levels are not compared, so every
// dataset is its own class.
func (m *Leveled) Class(x int) int { return x }

// Classes implements Mechanism.
func (m *Leveled) Classes() int { return m.q.Size() }

// power encloses e^{−k·unit}, k ≥ 0.
func (m *Leveled) power(k int32) interval.Interval {
	m.zLock.Lock()
	defer m.zLock.Unlock()
	const kept = 1 << 12
	if k >= kept {
		return m.unit.Enclosure().Mul(interval.Int(-int64(k))).Exp()
	}
	if len(m.z) == 0 {
		m.z = []interval.Interval{interval.Int(1), m.unit.Decay()}
	}
	for int(k) >= len(m.z) {
		m.z = append(m.z, m.z[len(m.z)-1].Mul(m.z[1]))
	}
	return m.z[k]
}

// sums encloses Σ n_i z^i and Σ D_i z^i, both divided by z^{first level}.
func (m *Leveled) sums(p profile) (alpha, steps interval.Interval) {
	alpha, steps = interval.Int(0), interval.Int(0)
	for k, level := range p.level {
		w := m.power(level - p.level[0])
		alpha = alpha.Add(w.Mul(interval.Float(p.count[k])))
		steps = steps.Add(w.Mul(interval.Float(p.steps[k])))
	}
	return alpha, steps
}

// rationalSums is sums at a rational z.
func rationalSums(p profile, z *big.Rat) (alpha, steps *big.Rat) {
	alpha, steps = new(big.Rat), new(big.Rat)
	term := new(big.Rat)
	for k, level := range p.level {
		w := ratPower(z, level-p.level[0])
		alpha.Add(alpha, term.Mul(w, term.SetFloat64(p.count[k])))
		steps.Add(steps, term.Mul(w, term.SetFloat64(p.steps[k])))
	}
	return alpha, steps
}

func ratPower(q *big.Rat, k int32) *big.Rat {
	e := big.NewInt(int64(k))
	return new(big.Rat).SetFrac(new(big.Int).Exp(q.Num(), e, nil), new(big.Int).Exp(q.Denom(), e, nil))
}

// smallestEpsilon is SmallestEpsilon for levels: the largest, over neighbors
// and directions, of the extreme level difference times the unit plus the
// difference of the log-normalisers.
func (m *Leveled) smallestEpsilon(ctx context.Context) (evidence.Number, error) {
	const source = "largest log-ratio over all neighbors and values"
	u, best := m.unit.Value(), 0.0
	type loss struct {
		from, to, diff int32 // p^from(r)/p^to(r) = z^{-diff} α^to/α^from
	}
	value := func(l loss) float64 {
		return float64(l.diff)*u + m.logAlpha[l.to] - m.logAlpha[l.from]
	}
	pairs := m.pairs()
	visit := func(f func(loss)) {
		for _, e := range pairs {
			f(loss{e.px, e.py, e.max})
			f(loss{e.py, e.px, -e.min})
		}
	}
	for _, e := range pairs {
		if e.infinite {
			return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Loss: true,
				Method: "a value that just one of two neighbors can output", Source: source}, nil
		}
	}
	visit(func(l loss) { best = max(best, value(l)) })
	close := make(map[loss]bool)
	visit(func(l loss) {
		if value(l) >= best-8*m.logError {
			close[l] = true
		}
	})
	cases := uint64(m.q.Space().Pairs()) * uint64(len(m.q.Range())) * 2
	if z, ok := m.unit.RationalDecay(); ok {
		largest := big.NewRat(1, 1)
		for l := range close {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if r := m.rationalRatio(z, l.from, l.to, l.diff); r.Cmp(largest) > 0 {
				largest = r
			}
		}
		return evidence.ExactLog{Argument: largest, Cases: cases, Source: source}, nil
	}
	unit := m.unit.Enclosure()
	logs := make(map[int32]interval.Interval) // ln α by profile
	logAlpha := func(p int32) interval.Interval {
		if _, ok := logs[p]; !ok {
			a, _ := m.sums(m.profiles[p])
			logs[p] = a.Log().Sub(unit.Mul(interval.Int(int64(m.profiles[p].level[0]))))
		}
		return logs[p]
	}
	largest := interval.Int(0)
	for l := range close {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v := unit.Mul(interval.Int(int64(l.diff)))
		if l.from != l.to {
			v = v.Add(logAlpha(l.to)).Sub(logAlpha(l.from))
		}
		largest = interval.Max(largest, v)
	}
	return evidence.EnclosedLoss(largest, "float64 filter, 256-bit intervals where it cannot decide", source), nil
}

// rationalRatio returns z^{−diff} α^to/α^from.
func (m *Leveled) rationalRatio(z *big.Rat, from, to, diff int32) *big.Rat {
	pf, pt := m.profiles[from], m.profiles[to]
	af, _ := rationalSums(pf, z)
	at, _ := rationalSums(pt, z)
	shift := pt.level[0] - pf.level[0] - diff // the sums leave out z^{first level}
	ratio := at.Quo(at, af)
	if shift < 0 {
		return ratio.Quo(ratio, ratPower(z, -shift))
	}
	return ratio.Mul(ratio, ratPower(z, shift))
}

// distortion is Distortion for levels.
func (m *Leveled) distortion(x int) evidence.Number {
	p := m.profiles[m.profile[x]]
	metric := m.q.Metric()
	const source = "Wu et al., (40)"
	if z, ok := m.unit.RationalDecay(); ok && metric.IsExact() {
		alpha, steps := rationalSums(p, z)
		v := steps.Quo(steps, alpha)
		return evidence.Exact{Value: v.Mul(v, metric.Unit()), Cases: uint64(len(m.q.Range())), Source: source}
	}
	return evidence.Enclosed(m.encloseDistortion(p), "256-bit intervals", source)
}

func (m *Leveled) encloseDistortion(p profile) interval.Interval {
	alpha, steps := m.sums(p)
	v := steps.Quo(alpha).Mul(interval.Rat(m.q.Metric().Unit()))
	return v.Mul(stepSlack(m.q))
}

// distortions is Distortions for levels: one evaluation per profile.
func (m *Leveled) distortions() []float64 {
	unit, _ := m.q.Metric().Unit().Float64()
	byProfile := make([]float64, len(m.profiles))
	u := m.unit.Value()
	deepest := int32(0)
	for _, p := range m.profiles {
		deepest = max(deepest, p.level[len(p.level)-1]-p.level[0])
	}
	var weights []float64 // of the first levels; deeper ones are computed one by one
	for k := range min(deepest+1, 1<<12) {
		weights = append(weights, math.Exp(-float64(k)*u))
	}
	for i, p := range m.profiles {
		alpha, steps := 0.0, 0.0
		for k, level := range p.level {
			d := level - p.level[0]
			w := 0.0
			if int(d) < len(weights) {
				w = weights[d]
			} else {
				w = math.Exp(-float64(d) * u)
			}
			alpha += p.count[k] * w
			steps += p.steps[k] * w
		}
		byProfile[i] = steps / alpha * unit
	}
	out := make([]float64, m.q.Size())
	for x, p := range m.profile {
		out[x] = byProfile[p]
	}
	return out
}

func (m *Leveled) profileOf(x int) int { return int(m.profile[x]) }

func (m *Leveled) encloseAt(x int) interval.Interval {
	return m.encloseDistortion(m.profiles[m.profile[x]])
}

// LogWeight returns ln α^x, the logarithm of the normaliser Σ_r e^{−L^x(r)·unit}.
func (m *Leveled) LogWeight(x int) float64 { return m.logAlpha[m.profile[x]] }
