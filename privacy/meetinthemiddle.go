package privacy

import (
	"context"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// This file computes δ(ε) if masses or losses are irrational and the outputs of all uses are few. The uses are split
// into two halves as in exactDelta, with enclosures. δ(ε) is the largest P(E) − e^ε Q(E) over events E. The event of
// the losses that certainly exceed ε falls short of δ(ε) by at most the contribution of losses that may exceed ε.

// maxHalfOutputs bounds the number of outputs of a half.
const maxHalfOutputs = 1 << 14

// output is a combined output of some of the uses, with a finite loss.
type output struct{ loss, p, q interval.Interval }

// halfOutputs holds the outputs of two halves of the uses, sorted by the lower ends of their losses.
type halfOutputs struct {
	a, b []output
	// ambiguous is Σ mass·min(1, width of the loss) over the outputs of the composition; mass is their total mass.
	ambiguous, mass interval.Interval
}

// meetInTheMiddle returns the halves, cached, and nil if there are too many outputs or a loss is not discrete.
func (p *composition) meetInTheMiddle() *halfOutputs {
	p.guard.Lock()
	defer p.guard.Unlock()
	if p.triedHalves {
		return p.halves
	}
	p.triedHalves = true
	var parts [][]output
	for _, f := range p.factors {
		l, ok := f.pair.(*DiscretePair)
		if !ok || multisets(len(l.atoms), f.times) > maxHalfOutputs {
			return nil
		}
		parts = append(parts, l.selfComposedOutputs(f.times))
	}
	h := &halfOutputs{}
	var ok bool
	if h.a, h.b, ok = splitInHalves(parts); !ok {
		return nil
	}
	var open, mass [2]interval.Interval
	for i, half := range [][]output{h.a, h.b} {
		slices.SortFunc(half, func(x, y output) int { return x.loss.CmpLo(y.loss) })
		open[i], mass[i] = interval.Int(0), interval.Int(0)
		for _, o := range half {
			width, most := o.loss.Sub(o.loss).Upper(), interval.Int(1)
			if !width.Less(most) {
				width = most
			}
			open[i], mass[i] = open[i].Add(width.Mul(o.p)), mass[i].Add(o.p)
		}
	}
	h.ambiguous, h.mass = open[0].Mul(mass[1]).Add(open[1].Mul(mass[0])), mass[0].Mul(mass[1])
	p.halves = h
	return h
}

// delta encloses the contribution of finite losses to the divergence of order e^ε.
func (h *halfOutputs) delta(ctx context.Context, eps evidence.Epsilon) (interval.Interval, error) {
	at, w := eps.Enclosure(), expEpsilon(eps).Enclosure
	none := interval.Int(0)
	sumP, sumQ, allP, allQ := none, none, none, none
	next := len(h.b)
	for i, x := range h.a {
		if err := pollContext(ctx, i); err != nil {
			return none, err
		}
		// Rounding up to the bits of ε cannot change whether the sum of the lower ends exceeds ε.
		for next > 0 && x.loss.Lower().Add(h.b[next-1].loss.Lower()).CmpHi(at) > 0 {
			next--
			sumP, sumQ = sumP.Add(h.b[next].p), sumQ.Add(h.b[next].q)
		}
		allP, allQ = allP.Add(x.p.Mul(sumP)), allQ.Add(x.q.Mul(sumQ))
	}
	// Losses certainly above ε count in full. Any other loss exceeds ε by at most r, the sum of the widths of both
	// enclosures, and adds at most 1 − e^{−r} times its mass.
	open := h.ambiguous.Add(interval.Max(at.Sub(at), none).Mul(h.mass))
	d := interval.Max(allP.Sub(w.Mul(allQ)), none)
	return interval.Hull(d, d.Add(open)), nil
}

// multisets returns the number of multisets of n elements from the given number of atoms.
func multisets(atoms, n int) float64 {
	count := 1.0
	for k := 1; k < atoms; k++ {
		count *= (float64(n) + float64(k)) / float64(k)
	}
	return count
}

// selfComposedOutputs returns the outputs of n uses. It merges outputs with the same multiset of atoms.
func (l *DiscretePair) selfComposedOutputs(n int) []output {
	var out []output
	var add func(at, left int, loss, ways, p, q interval.Interval)
	add = func(at, left int, loss, ways, p, q interval.Interval) {
		if at == len(l.atoms) {
			if left == 0 {
				out = append(out, output{loss, p.Mul(ways), q.Mul(ways)})
			}
			return
		}
		a := l.atoms[at]
		each := l.Loss(a)
		if at == len(l.atoms)-1 {
			add(at+1, 0, loss.Add(each.Mul(interval.Int(int64(left)))), ways, p.Mul(a.P.Enclosure.Pow(left)), q.Mul(a.Q.Enclosure.Pow(left)))
			return
		}
		for k := 0; k <= left; k++ {
			add(at+1, left-k, loss.Add(each.Mul(interval.Int(int64(k)))), ways, p, q)
			ways = ways.Mul(interval.Int(int64(left - k))).Quo(interval.Int(int64(k + 1))) // C(left, k)
			p, q = p.Mul(a.P.Enclosure), q.Mul(a.Q.Enclosure)
		}
	}
	unit := interval.Int(1)
	add(0, n, interval.Int(0), unit, unit, unit)
	return out
}

// splitInHalves returns the outputs of two halves of independent parts, and false if a half has too many outputs. It
// adds each part, in descending number of outputs, to the half with fewer outputs.
func splitInHalves(parts [][]output) (a, b []output, ok bool) {
	unit := interval.Int(1)
	a = []output{{interval.Int(0), unit, unit}}
	b = slices.Clone(a)
	slices.SortStableFunc(parts, func(x, y []output) int { return len(y) - len(x) })
	for _, part := range parts {
		if len(b) < len(a) {
			a, b = b, a
		}
		if len(a)*len(part) > maxHalfOutputs {
			return nil, nil, false
		}
		next := make([]output, 0, len(a)*len(part))
		for _, x := range a {
			for _, y := range part {
				next = append(next, output{x.loss.Add(y.loss), x.p.Mul(y.p), x.q.Mul(y.q)})
			}
		}
		a = next
	}
	return a, b, true
}
