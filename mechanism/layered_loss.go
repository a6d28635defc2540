package mechanism

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// layerLoss is the privacy loss of two neighbors, given by their profiles, at the values with the extreme layer
// difference. With gap = offset at to − offset at from, ln p^from(r)/p^to(r) = gap·decay + ln S^to/S^from.
type layerLoss struct {
	from, to int32
	gap      int64
}

// losses calls f for the extremes of an edge in both directions.
func (m *Layered) losses(e edge, f func(layerLoss)) {
	first := int64(m.firstLayer[e.px]) - int64(m.firstLayer[e.py])
	f(layerLoss{e.px, e.py, int64(e.max) + first})
	f(layerLoss{e.py, e.px, -int64(e.min) - first})
}

// smallestEpsilon returns the largest value, over neighbors and directions, of the extreme layer difference times the
// decay plus the difference of the log-normalizers.
func (m *Layered) smallestEpsilon(ctx context.Context) (evidence.Number, error) {
	const source = "largest log-ratio over all neighbors and values"
	near, infinite, err := m.candidateLosses(ctx)
	if err != nil {
		return nil, err
	}
	if infinite {
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up,
			Provenance: evidence.From(source).By("a value that just one of two neighbors can output")}, nil
	}
	cases := uint64(m.q.Space().Pairs()) * uint64(len(m.q.Range())) * 2
	if m.z != nil {
		largest := big.NewRat(1, 1)
		for l := range near {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if r := m.rationalRatio(l); r.Cmp(largest) > 0 {
				largest = r
			}
		}
		return evidence.ExactLog{Argument: largest, Cases: cases, Side: evidence.Up, Provenance: evidence.From(source)}, nil
	}
	largest := interval.Int(0)
	for l := range near {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		largest = interval.Max(largest, m.encloseLoss(l))
	}
	return evidence.EnclosedLoss(largest, "float64 filter, 256-bit intervals where it cannot decide", source), nil
}

// candidateLosses returns the losses that can be the largest, by float64 arithmetic with an error bound. infinite
// reports that one of two neighbors outputs a value that the other does not.
//
// If the decay is so small that the normalizers agree in float64, it compares first-order expansions: ln S^x = ln
// n − decay·(mean layer) + θ with 0 ≤ θ ≤ (decay·span)²/8 (Jensen's inequality and Hoeffding's lemma), and
// neighbors output equally many values n. Otherwise it compares the losses themselves. They are divided by the
// decay if that exceeds 1 nat, which avoids overflow.
func (m *Layered) candidateLosses(ctx context.Context) (near map[layerLoss]bool, infinite bool, err error) {
	value, slack := m.approximateLoss()
	all, err := eachEdge(ctx, m.LayerTable, func(n *candidates) func(e edge) {
		n.best, n.within = math.Inf(-1), 2*slack
		return func(e edge) {
			if e.infinite {
				n.infinite = true
				return
			}
			m.losses(e, func(l layerLoss) { n.add(l, value(l)) })
		}
	})
	if err != nil {
		return nil, false, err
	}
	total := &candidates{best: math.Inf(-1), within: 2 * slack}
	for _, n := range all {
		infinite = infinite || n.infinite
		for l := range n.near {
			total.add(l, value(l))
		}
	}
	total.prune(value)
	return total.near, infinite, nil
}

// candidates collects the losses that are at least best − within, where best is the largest loss.
type candidates struct {
	best, within float64
	near         map[layerLoss]bool
	infinite     bool
}

func (n *candidates) add(l layerLoss, v float64) {
	if v < n.best-n.within {
		return
	}
	n.best = max(n.best, v)
	if n.near == nil {
		n.near = make(map[layerLoss]bool)
	}
	n.near[l] = true
}

// prune deletes the losses that are less than best − within.
func (n *candidates) prune(value func(l layerLoss) float64) {
	for l := range n.near {
		if value(l) < n.best-n.within {
			delete(n.near, l)
		}
	}
}

// approximateLoss returns a function that computes losses in float64, and a bound on its errors. Both are in units of
// the decay or in nats, whichever is larger.
func (m *Layered) approximateLoss() (value func(l layerLoss) float64, slack float64) {
	span := float64(m.span)
	maxGap := span // each layer is counted from the first layer of its dataset
	if m.decayFloat*span < 0x1p-30 {
		mean := make([]float64, len(m.representative))
		m.eachProfile(func(i int, p profile) {
			for k, layer := range p.layer {
				mean[i] += p.count[k] * float64(int64(layer)-int64(p.layer[0]))
			}
			mean[i] /= p.size()
		})
		value = func(l layerLoss) float64 { return float64(l.gap) + (mean[l.from] - mean[l.to]) }
		// The mean has at most |R| + 2 rounding errors, relative to span.
		slack = m.decayFloat*span*span/4 + 0x1p-51*float64(len(m.q.Range())+4)*(span+maxGap)
	} else {
		perNat := 1 / max(1, m.decayFloat)
		decay := min(1, m.decayFloat) // in the unit of the losses
		value = func(l layerLoss) float64 { return float64(l.gap)*decay + (m.logSum[l.to]-m.logSum[l.from])*perNat }
		slack = (2*m.sumError(m.maxLogSum)+0x1p-50*m.maxLogSum)*perNat + 0x1p-50*maxGap*decay
	}
	return value, slack
}

// tinyDecay is the decay up to which losses are enclosed by differences of the order of the decay. The 256 bits of
// a logarithm of order 1 would lose them.
const tinyDecay = 0x1p-64

// logRatio returns an enclosure of ln S^to/S^from for two profiles.
func (m *Layered) logRatio(to, from int32) interval.Interval {
	switch {
	case to == from || m.profileAt(to).sameLaw(m.profileAt(from)):
		return interval.Int(0)
	case m.decayFloat > tinyDecay:
		return m.logOfSum(to).Sub(m.logOfSum(from))
	}
	// S^to − S^from = n^to − n^from + Σ_i (n_i^to − n_i^from)(e^{−i·decay} − 1).
	p, q := m.profileAt(to), m.profileAt(from)
	decay := m.decay.Enclosure()
	sum := interval.Float(p.size() - q.size())
	for i, j := 0, 0; i < len(p.layer) || j < len(q.layer); {
		k, count := int64(math.MaxInt64), 0.0
		if i < len(p.layer) {
			k = int64(p.layer[i]) - int64(p.layer[0])
		}
		if j < len(q.layer) {
			k = min(k, int64(q.layer[j])-int64(q.layer[0]))
		}
		if i < len(p.layer) && int64(p.layer[i])-int64(p.layer[0]) == k {
			count += p.count[i]
			i++
		}
		if j < len(q.layer) && int64(q.layer[j])-int64(q.layer[0]) == k {
			count -= q.count[j]
			j++
		}
		if k > 0 && count != 0 {
			sum = sum.Add(decay.Mul(interval.Int(-k)).Expm1().Mul(interval.Float(count)))
		}
	}
	return sum.Quo(m.sum(from)).Log1p()
}

// sameLaw reports whether p and q have the same normalizer: equally many values in each layer, counted from the
// first.
func (p profile) sameLaw(q profile) bool {
	if len(p.layer) != len(q.layer) {
		return false
	}
	for i := range p.layer {
		if int64(p.layer[i])-int64(p.layer[0]) != int64(q.layer[i])-int64(q.layer[0]) || p.count[i] != q.count[i] {
			return false
		}
	}
	return true
}

// encloseLoss returns an enclosure of the loss.
func (m *Layered) encloseLoss(l layerLoss) interval.Interval {
	return m.decay.Enclosure().Mul(interval.Int(l.gap)).Add(m.logRatio(l.to, l.from))
}

// loss returns an enclosure of ln p^x(r)/p^y(r) for a value that both x and y output.
func (m *Layered) loss(x, y, r int) interval.Interval {
	kx, _ := m.offset(x, r)
	ky, _ := m.offset(y, r)
	return m.encloseLoss(layerLoss{m.profile[x], m.profile[y], ky - kx})
}

// lossOnLattice returns the loss as k·decay + rest. The rest is the same for all values.
func (m *Layered) lossOnLattice(x, y, r int) (k int64, decay evidence.Epsilon, rest interval.Interval) {
	kx, _ := m.offset(x, r)
	ky, _ := m.offset(y, r)
	return ky - kx, m.decay, m.logRatio(m.profile[y], m.profile[x])
}

// rationalRatio returns e^loss.
func (m *Layered) rationalRatio(l layerLoss) *big.Rat {
	ratio := new(big.Rat).Quo(m.rationalSum(l.to), m.rationalSum(l.from))
	return ratio.Mul(ratio, interval.RationalPower(m.z, big.NewInt(-l.gap)))
}

// exponentials implements exponentialLaw.
func (m *Layered) exponentials(x, r int) (weight, total ExpSum, eps evidence.Epsilon, ok bool) {
	if k, reached := m.offset(x, r); reached {
		weight = ExpTerm(big.NewRat(1, 1), big.NewRat(k, 1))
	}
	p := m.profileAt(m.profile[x])
	for i, layer := range p.layer {
		count, _ := new(big.Float).SetFloat64(p.count[i]).Int(nil)
		total.terms = append(total.terms, expTerm{big.NewRat(int64(layer)-int64(p.layer[0]), 1), new(big.Rat).SetInt(count)})
	}
	return weight, total, m.decay, true
}

// outcomes groups the values that x outputs by their layers at x and y. Pairs with the same key have the same
// groups and the same losses.
func (m *Layered) outcomes(x, y int) (key string, out []outcome) {
	rx, ry := m.row(x), m.row(y)
	index := make(map[[2]int32]int)
	for r, layer := range rx {
		if layer == query.Unreached {
			continue
		}
		i, ok := index[[2]int32{layer, ry[r]}]
		if !ok {
			i = len(out)
			index[[2]int32{layer, ry[r]}] = i
			out = append(out, outcome{r: r})
		}
		out[i].values = append(out[i].values, r)
	}
	slices.SortFunc(out, func(a, b outcome) int { return cmp.Or(cmp.Compare(rx[a.r], rx[b.r]), cmp.Compare(ry[a.r], ry[b.r])) })
	bytes := binary.LittleEndian.AppendUint32(nil, uint32(m.profile[y])) // the groups determine the profile of x
	for _, o := range out {
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(rx[o.r]))
		bytes = binary.LittleEndian.AppendUint32(bytes, uint32(ry[o.r]))
		bytes = binary.LittleEndian.AppendUint64(bytes, uint64(len(o.values)))
	}
	return string(bytes), out
}
