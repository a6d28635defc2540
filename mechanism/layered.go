package mechanism

import (
	"math"
	"math/big"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Layered is a mechanism with p^x(r) = e^{−L^x(r)·unit}/α^x (Wu et al.,
// Definition 13). Its answers are exact where e^{−unit} is rational and its powers
// stay below exactBits bits.
//
// Levels count from the first one of each dataset throughout: with
// k = L^x(r) − first, p^x(r) = e^{−k·unit}/S^x and S^x = Σ_i n_i e^{−(i − first)·unit} lies
// between 1 and the size of the range, whatever the unit is.
type Layered struct {
	*LayerTable
	name       string
	claimed    evidence.Number
	decay      evidence.Epsilon
	decayFloat float64 // unit in float64
	definition Definition

	logSum    []float64 // ln S by profile
	maxLogSum float64   // of these
	logError  float64
	z         *big.Rat // e^{−unit}, nil where answers are not exact

	lock   sync.Mutex
	powers []interval.Interval   // z[k] encloses e^{−k·unit}, grown on demand
	sums   map[int32]*normalizer // by profile, on demand
}

// normalizer holds S of a profile, each form once it was asked for.
type normalizer struct {
	known, logKnown bool
	sum, log        interval.Interval
	rational        *big.Rat
}

// exactBits bounds the bits of the powers e^{−k·unit} that answers are exact with.
const maxPowerBits = 1 << 18

// following returns the mechanism as one that a name and ε define.
func (m *Layered) withDefinition(name string, eps evidence.Epsilon) *Layered {
	m.definition = Definition{name, eps}
	return m
}

// NewLayered returns the mechanism on levels that loses unit nats a level.
func NewLayered(name string, levels *LayerTable, unit evidence.Epsilon, claimed evidence.Number) *Layered {
	m := &Layered{LayerTable: levels, name: name, claimed: claimed, decay: unit, decayFloat: min(unit.Value(), math.MaxFloat64)}
	m.sums = make(map[int32]*normalizer)
	m.logSum = make([]float64, len(levels.representative))
	weight := m.weights(func(t float64) float64 { return elementary.Exp(-t) })
	levels.eachProfile(func(i int, p profile) {
		sum := 0.0
		for k, level := range p.layer {
			sum += p.count[k] * weight(int64(level)-int64(p.layer[0]))
		}
		m.logSum[i] = elementary.Log(sum)
	})
	for _, v := range m.logSum {
		m.maxLogSum = max(m.maxLogSum, v)
	}
	m.logError = m.sumError(m.maxLogSum) + 0x1p-51*float64(levels.span)*m.decayFloat
	if z, ok := unit.RationalDecay(); ok && levels.span*int64(max(z.Num().BitLen(), z.Denom().BitLen())) <= maxPowerBits {
		m.z = z
	}
	return m
}

// weights returns e^{−k·unit} for k ≥ 0 in float64: exp of −k·unit, of which the first
// are computed once.
func (m *Layered) weights(exp func(t float64) float64) func(k int64) float64 {
	const kept = 1 << 12
	table := make([]float64, min(m.span+1, kept))
	for k := range table {
		table[k] = exp(float64(k) * m.decayFloat)
	}
	return func(k int64) float64 {
		if k < int64(len(table)) {
			return table[k]
		}
		return exp(float64(k) * m.decayFloat)
	}
}

// expError is more than the relative error of elementary.Exp.
const expError = 0x1p-50

// logError is more than the error of elementary.Log where its answer is y: up to 128 by
// the bound stated there, and beyond it the last sum rounds by 2⁻⁵³ of y and all else is
// nothing beside that.
func logError(y float64) float64 { return 0x1p-46 + 0x1p-51*math.Abs(y) }

// sumError bounds the error of logSum, whose largest entry is given. The exponent
// t = k·unit of a weight is off by two roundings, and so the weight by t e^{−t} ≤ 1/e
// of two and by less than expError of itself; adding at most |R| positive numbers up errs by
// |R| roundings of the sum. Since S ≥ 1 that is less than expError + |R|·2⁻⁵² of S.
// The logarithm adds its own.
func (m *Layered) sumError(largest float64) float64 {
	return 0x1p-51*float64(len(m.q.Range())) + 2*expError + logError(largest)
}

// Name implements Mechanism.
func (m *Layered) Name() string { return m.name }

// ClaimedEpsilon implements Mechanism.
func (m *Layered) ClaimedEpsilon() evidence.Number { return m.claimed }

// Decay returns the loss in nats a level stands for: the decay of a layered
// mechanism.
func (m *Layered) Decay() evidence.Epsilon { return m.decay }

// depth returns how far the level of r lies below the first of x, false where x
// never outputs r.
func (m *Layered) offset(x, r int) (int64, bool) {
	level := m.table.Layer(x, r)
	return int64(level) - int64(m.firstLayer[m.profile[x]]), level != query.Unreached
}

// LogProb implements Mechanism. The product of depth and unit is off by two
// roundings of at most span·unit, the difference by one.
func (m *Layered) LogProb(x, r int) float64 {
	k, ok := m.offset(x, r)
	if !ok {
		return math.Inf(-1)
	}
	return max(-float64(k)*m.decayFloat-m.logSum[m.profile[x]], -math.MaxFloat64)
}

// LogError implements Mechanism.
func (m *Layered) LogError() float64 { return m.logError }

// Enclose implements Mechanism.
func (m *Layered) Enclose(x, r int) interval.Interval {
	k, ok := m.offset(x, r)
	if !ok {
		return interval.Int(0)
	}
	return m.power(k).Quo(m.sum(m.profile[x]))
}

// EncloseLog implements Mechanism.
func (m *Layered) EncloseLog(x, r int) interval.Interval {
	k, _ := m.offset(x, r)
	return m.decay.Enclosure().Mul(interval.Int(-k)).Sub(m.logOfSum(m.profile[x]))
}

// Rational implements Mechanism.
func (m *Layered) Rational(x, r int) (*big.Rat, bool) {
	if m.z == nil {
		return nil, false
	}
	k, ok := m.offset(x, r)
	if !ok {
		return new(big.Rat), true
	}
	return new(big.Rat).Quo(interval.RationalPower(m.z, big.NewInt(k)), m.rationalSum(m.profile[x])), true
}

// Class implements Mechanism: rows of levels are not compared, so every
// dataset is its own class.
func (m *Layered) Class(x int) int { return x }

// Classes implements Mechanism.
func (m *Layered) Classes() int { return m.q.Size() }

// power encloses e^{−k·unit}, k ≥ 0.
func (m *Layered) power(k int64) interval.Interval {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.powerLocked(k)
}

func (m *Layered) powerLocked(k int64) interval.Interval {
	const kept = 1 << 12
	if k >= kept {
		return m.decay.Enclosure().Mul(interval.Int(-k)).Exp()
	}
	if len(m.powers) == 0 {
		m.powers = []interval.Interval{interval.Int(1), m.decay.Decay()}
	}
	for int(k) >= len(m.powers) {
		m.powers = append(m.powers, m.powers[len(m.powers)-1].Mul(m.powers[1]))
	}
	return m.powers[k]
}

// normalizer returns what is known of a profile. The lock is held.
func (m *Layered) normalizer(profile int32) *normalizer {
	n := m.sums[profile]
	if n == nil {
		n = new(normalizer)
		m.sums[profile] = n
	}
	return n
}

// sum encloses S of a profile.
func (m *Layered) sum(profile int32) interval.Interval {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.sumLocked(profile)
}

func (m *Layered) sumLocked(profile int32) interval.Interval {
	n := m.normalizer(profile)
	if !n.known {
		p := m.profileAt(profile)
		n.sum, n.known = interval.Int(0), true
		for k, level := range p.layer {
			w := m.powerLocked(int64(level) - int64(p.layer[0]))
			n.sum = n.sum.Add(w.Mul(interval.Float(p.count[k])))
		}
	}
	return n.sum
}

// logOfSum encloses ln S of a profile.
func (m *Layered) logOfSum(profile int32) interval.Interval {
	m.lock.Lock()
	defer m.lock.Unlock()
	sum := m.sumLocked(profile)
	n := m.normalizer(profile)
	if !n.logKnown {
		n.log, n.logKnown = sum.Log(), true
	}
	return n.log
}

// rationalSum returns S of a profile at a rational e^{−unit}.
func (m *Layered) rationalSum(profile int32) *big.Rat {
	m.lock.Lock()
	defer m.lock.Unlock()
	n := m.normalizer(profile)
	if n.rational == nil {
		p := m.profileAt(profile)
		n.rational = m.hornerSum(p, wholeNumbers(p.count))
	}
	return n.rational
}

// horner returns Σ of[i] e^{−(level i − first)·unit} at a rational e^{−unit}, by
// Horner's rule from the deepest level on: whole numerators over one power of its
// denominator, reduced once.
func (m *Layered) hornerSum(p profile, of []*big.Int) *big.Rat {
	sum, scale, term := new(big.Int), big.NewInt(1), new(big.Int)
	for k := len(p.layer) - 1; k >= 0; k-- {
		sum.Add(sum, term.Mul(of[k], scale))
		if k > 0 {
			gap := big.NewInt(int64(p.layer[k]) - int64(p.layer[k-1]))
			sum.Mul(sum, new(big.Int).Exp(m.z.Num(), gap, nil))
			scale.Mul(scale, new(big.Int).Exp(m.z.Denom(), gap, nil))
		}
	}
	return new(big.Rat).SetFrac(sum, scale)
}

// LogLayerProb returns ln of what a value at the given level of x weighs beside those
// that x reaches, whether or not there is one: e^{−level·unit}/α^x.
func (m *Layered) LogLayerProb(x, level int) float64 {
	p := m.profile[x]
	return -float64(int64(level)-int64(m.firstLayer[p]))*m.decayFloat - m.logSum[p]
}
