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

// Layered is a mechanism with p^x(r) = e^{−L^x(r)·decay}/α^x (Wu et al., Definition 13). Its results are exact if
// e^{−decay} is rational and its powers have at most maxPowerBits bits.
//
// The arithmetic counts layers from the first nonempty layer of each dataset. With k = L^x(r) − first, p^x(r) =
// e^{−k·decay}/S^x. The normalizer S^x = Σ_i n_i e^{−(i − first)·decay} is between 1 and the size of the range for
// every decay.
type Layered struct {
	*LayerTable
	name       string
	claimed    evidence.Number
	decay      evidence.Epsilon
	decayFloat float64 // decay in float64
	definition Definition

	logSum    []float64 // ln S by profile
	maxLogSum float64   // largest entry of logSum
	logError  float64
	z         *big.Rat // e^{−decay}; nil if results are not exact

	lock   sync.Mutex
	powers []interval.Interval   // powers[k] encloses e^{−k·decay}; grown on demand
	sums   map[int32]*normalizer // by profile; filled on demand
}

// normalizer caches a profile's S, the sum of its weights: an enclosure of S and of ln S, and S itself if it is rational.
type normalizer struct {
	known, logKnown bool
	sum, log        interval.Interval
	rational        *big.Rat
}

// maxPowerBits bounds the bits of the powers e^{−k·decay} in exact results.
const maxPowerBits = 1 << 18

// withDefinition records that a name and ε define the mechanism.
func (m *Layered) withDefinition(name string, eps evidence.Epsilon) *Layered {
	m.definition = Definition{name, eps}
	return m
}

// NewLayered returns the mechanism with the given layers and a decay in nats per layer.
func NewLayered(name string, layers *LayerTable, decay evidence.Epsilon, claimed evidence.Number) *Layered {
	m := &Layered{LayerTable: layers, name: name, claimed: claimed, decay: decay, decayFloat: min(decay.Value(), math.MaxFloat64)}
	m.sums = make(map[int32]*normalizer)
	m.logSum = make([]float64, len(layers.representative))
	weight := m.weights(func(t float64) float64 { return elementary.Exp(-t) })
	layers.eachProfile(func(i int, p profile) {
		sum := 0.0
		for k, layer := range p.layer {
			sum += p.count[k] * weight(int64(layer)-int64(p.layer[0]))
		}
		m.logSum[i] = elementary.Log(sum)
	})
	for _, v := range m.logSum {
		m.maxLogSum = max(m.maxLogSum, v)
	}
	m.logError = m.sumError(m.maxLogSum) + 0x1p-51*float64(layers.span)*m.decayFloat
	if z, ok := decay.RationalDecay(); ok && layers.span*int64(max(z.Num().BitLen(), z.Denom().BitLen())) <= maxPowerBits {
		m.z = z
	}
	return m
}

// weights returns a function that computes e^{−k·decay} in float64 for k ≥ 0. exp computes e^{−t}. The first
// values are precomputed.
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

// expError bounds the relative error of elementary.Exp.
const expError = 0x1p-50

// logError bounds the error of elementary.Log where its result is y. For |y| ≤ 128 the bound is at least that stated in
// package elementary, 5·2⁻⁵³ |y|. For larger |y| the last sum rounds by 2⁻⁵³ |y|, and all other errors are negligible.
func logError(y float64) float64 { return 0x1p-46 + 0x1p-51*math.Abs(y) }

// sumError bounds the error of logSum, given its largest entry. The exponent t = k·decay of a weight has two
// rounding errors. They change the weight by at most two roundings of t e^{−t} ≤ 1/e, and the exponential adds
// less than expError. The sum of at most |R| positive numbers adds |R| rounding errors. Since S ≥ 1, the total is
// below expError + |R|·2⁻⁵² of S. The logarithm adds its own error.
func (m *Layered) sumError(largest float64) float64 {
	return 0x1p-51*float64(len(m.q.Range())) + 2*expError + logError(largest)
}

// The following methods implement Mechanism.
func (m *Layered) Name() string                    { return m.name }
func (m *Layered) ClaimedEpsilon() evidence.Number { return m.claimed }

// Decay returns the decay: the privacy loss of one layer in nats.
func (m *Layered) Decay() evidence.Epsilon { return m.decay }

// offset returns the layer of r at x minus the first layer of x. It returns false if x never outputs r.
func (m *Layered) offset(x, r int) (int64, bool) {
	layer := m.table.Layer(x, r)
	return int64(layer) - int64(m.firstLayer[m.profile[x]]), layer != query.Unreached
}

// LogProb implements Mechanism. The product of offset and decay has two rounding errors of at most span·decay
// each, and the difference has one.
func (m *Layered) LogProb(x, r int) float64 {
	k, ok := m.offset(x, r)
	if !ok {
		return math.Inf(-1)
	}
	return max(-float64(k)*m.decayFloat-m.logSum[m.profile[x]], -math.MaxFloat64)
}

func (m *Layered) LogError() float64 { return m.logError }

func (m *Layered) Enclose(x, r int) interval.Interval {
	k, ok := m.offset(x, r)
	if !ok {
		return interval.Int(0)
	}
	return m.power(k).Quo(m.sum(m.profile[x]))
}

func (m *Layered) EncloseLog(x, r int) interval.Interval {
	k, ok := m.offset(x, r)
	if !ok {
		return interval.Int(0).Log() // all numbers, as for a Table
	}
	return m.decay.Enclosure().Mul(interval.Int(-k)).Sub(m.logOfSum(m.profile[x]))
}

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

// Class implements Mechanism. Every dataset is its own class, since rows of layers are not compared.
func (m *Layered) Class(x int) int { return x }

func (m *Layered) Classes() int { return m.q.Size() }

// power returns an enclosure of e^{−k·decay}, k ≥ 0.
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

// normalizer returns the cached forms of a profile's S. The caller must hold the lock.
func (m *Layered) normalizer(profile int32) *normalizer {
	n := m.sums[profile]
	if n == nil {
		n = new(normalizer)
		m.sums[profile] = n
	}
	return n
}

// sum returns an enclosure of a profile's S.
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
		for k, layer := range p.layer {
			w := m.powerLocked(int64(layer) - int64(p.layer[0]))
			n.sum = n.sum.Add(w.Mul(interval.Float(p.count[k])))
		}
	}
	return n.sum
}

// logOfSum returns an enclosure of ln S of a profile.
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

// rationalSum returns S of a profile. e^{−decay} must be rational.
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

// hornerSum returns Σ_i of[i] e^{−(layer i − first)·decay} for a rational e^{−decay} by Horner's rule, from the
// last layer on. It keeps an integer numerator over a power of the denominator, and reduces the fraction once.
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

// LogLayerProb returns −layer·decay − ln α^x, the log-probability of a value in the given layer of x. The layer
// may be empty.
func (m *Layered) LogLayerProb(x, layer int) float64 {
	p := m.profile[x]
	return -float64(int64(layer)-int64(m.firstLayer[p]))*m.decayFloat - m.logSum[p]
}
