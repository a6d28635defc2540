package pld

import (
	"math"

	"dpworkbench/internal/elementary"
)

// Sampled returns the list of the subsampled pair. l is the list of the pair (P, Q), or of (Q, P) for an addition. The
// result is an upper bound for a rate of at least γ if pessimistic, and otherwise a lower bound for a rate of at most γ.
// Divergences of all orders increase with the rate.
//
// Let l have the masses p and q = pe^{−l}. Let H(t) be its divergence Σ (p − tq)⁺, which bounds the divergence of the
// pair at every order t ≥ 0.
//
//   - Removal has the masses γp + (1 − γ)q and q, and the divergence γH((t − 1 + γ)/γ) for t ≥ 1 − γ. For smaller t its
//     divergence is linear, like 1 − t, the divergence of the pair. It is a bound if the masses q of an upper bound sum
//     to 1, or if the masses p of a lower bound sum to at most 1.
//   - Addition has the masses p and (1 − γ)p + γq, and the divergence (1 − t(1 − γ))⁺ H(tγ/(1 − t(1 − γ))).
//   - Replacement has the masses of removal for l > 0, the masses p and (1 − γ)p + γq for l < 0, and the additional mass
//     (1 − γ)Σ_{l > 0}(p − q) at the loss 0. Its divergence is that of removal for t ≥ 1 and that of addition for t < 1.
func (l *List) Sampled(rate float64, of Neighbor, pessimistic bool) *List {
	if rate == 1 {
		return l
	}
	m := &Mixture{Rate: rate}
	out := &List{LossError: l.LossError, LogError: l.LogError + 2*l.LossError}
	side := -1.0
	if pessimistic {
		side = 1
	}
	put := func(loss, log float64) {
		if log > math.Inf(-1) {
			out.Loss, out.Log = append(out.Loss, loss), append(out.Log, log)
		}
	}
	infinity := max(l.Infinity+side*l.InfinityError, 0)
	massP, massQ, apart, slack := float64(rate*infinity), 0.0, infinity, 0.0
	for i, x := range l.Loss {
		loss, log := 0.0, l.Log[i]
		if of == Addition || of == Replacement && x < 0 {
			loss = -m.dilute(-x)
		} else {
			loss = m.dilute(x)
			log += loss - x
			apart += elementary.Exp(min(l.Log[i], 0)) * max(-expm1(-x), 0)
		}
		slack += elementary.Exp(min(l.Log[i], 0))
		off := m.lossError(math.Abs(loss), math.Abs(x))
		out.LossError = max(out.LossError, l.LossError+off)
		out.LogError = max(out.LogError, l.LogError+2*l.LossError+off+4*u*(math.Abs(log)+math.Abs(x)+math.Abs(loss)))
		massQ += elementary.Exp(min(l.Log[i]-x, 1))
		massP += elementary.Exp(min(log, 1))
		put(loss, log)
	}
	relative := out.LogError*(1+out.LogError) + l.LossError + (float64(len(l.Loss))+64)*u
	rest := log1p(-rate) // ln(1 − γ)
	switch of {
	case Removal:
		if lack := 1 - massQ*(1-side*2*relative); lack > 0 { // mass that Q lacks; a lower bound needs no exact value
			put(rest, elementary.Log(lack)+rest)
			massP += lack * elementary.Exp(rest)
		}
		if !pessimistic {
			out.drop(massP*(1+2*relative) - 1)
		}
	case Addition:
		if infinity > 0 {
			put(-rest, elementary.Log(infinity))
		}
		infinity = 0
	default:
		if apart += side * (apart*2*relative + slack*(l.LossError+64*u)); apart > 0 {
			put(0, elementary.Log(apart)+rest)
		}
	}
	out.LossError += 8 * u * (1 + math.Abs(rest))
	out.LogError += 16 * u * (1 + math.Abs(rest) + 700)
	out.Infinity = float64(rate*infinity) * (1 + side*8*u)
	return out
}

// drop removes at least the given mass, starting with the least losses.
func (l *List) drop(mass float64) {
	*l = *l.rising()
	for len(l.Loss) > 0 && mass > 0 {
		all := elementary.Exp(min(l.Log[0]-l.LogError, 0)) * (1 - 8*u)
		if left := (all - mass) * (1 - 8*u); left > all/2 { // only part of this mass is removed
			l.Log[0] = elementary.Log(left) - l.LogError - 8*u*(1+math.Abs(l.Log[0]))
			return
		}
		l.Loss, l.Log = l.Loss[1:], l.Log[1:]
		mass -= all
	}
}

// LogMoment returns bounds of ln Σ p e^{sl} over the finite losses l, for s > 0.
func (l *List) LogMoment(s float64) (lo, hi float64) {
	top, far := math.Inf(-1), 0.0
	for i, x := range l.Loss {
		top, far = max(top, l.Log[i]+s*x), max(far, math.Abs(x), math.Abs(l.Log[i]))
	}
	if math.IsInf(top, -1) {
		return top, top
	}
	total := 0.0
	for i, x := range l.Loss {
		total += elementary.Exp(max(l.Log[i]+float64(s*x)-top, -700))
	}
	k := top + elementary.Log(total)
	off := l.LogError + s*l.LossError + u*(float64(len(l.Loss))+64+8*(1+s)*far+8*math.Abs(k))
	return k - 2*off - 1e-290, k + 2*off + 1e-290
}
