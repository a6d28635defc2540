package signrp

import (
	"context"
	"math"
	"sort"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
)

// normalDelta is smallestDelta for bits with Pr[+1] = Φ(z): both directions
// enclosed.
func normalDelta(ctx context.Context, a, b *law, eps evidence.Epsilon, source string) (evidence.Number, error) {
	lo1, hi1, err := oneWayNormalDelta(ctx, a, b, eps.Value())
	if err != nil {
		return nil, err
	}
	lo2, hi2, err := oneWayNormalDelta(ctx, b, a, eps.Value())
	return evidence.Certified{
		Lo: math.Max(lo1, lo2), Hi: math.Max(hi1, hi2), Loss: true,
		Method: "hockey-stick over the law of the loss, float64 with its error bound", Source: source,
	}, err
}

// enumerated is the number of differing bits up to which all patterns are
// visited.
const enumerated = 14

// coinLoss is a bit's log probabilities under two laws.
type coinLoss struct {
	plusP, minusP float64 // probabilities
	base, step    float64 // loss of −, and what + adds to it
}

// oneWayNormalDelta encloses the hockey-stick divergence of a from b; see
// levelDelta for fixed bits.
func oneWayNormalDelta(ctx context.Context, a, b *law, eps float64) (lo, hi float64, err error) {
	agree, rest := 0.0, 0.0 // logarithms
	slack := 4 * ulp * (1 + eps)
	var bits []coinLoss
	for j := range a.z {
		switch {
		case a.isFixed(j) && b.isFixed(j):
		case a.isFixed(j):
			v := b.logs(j)
			rest, slack = rest+v.of(a.level[j]), slack+v.err
		case b.isFixed(j):
			v := a.logs(j)
			agree, slack = agree+v.of(b.level[j]), slack+v.err
		case a.z[j] == b.z[j]:
			_, _, s := normalBitLoss(a.logs(j), b.logs(j))
			slack += s
		default:
			p, q := a.logs(j), b.logs(j)
			slack += 2 * (p.err + q.err)
			bits = append(bits, coinLoss{elementary.Exp(p.plus), elementary.Exp(p.minus), p.minus - q.minus, (p.plus - p.minus) - (q.plus - q.minus)})
		}
	}
	// δ = 1 − g + g·δ_rest(ε + ln rest − ln agree), g = e^agree.
	g := elementary.Exp(agree)
	slack += float64(4*len(bits)+len(a.z)+8) * ulp * (1 + math.Abs(agree) + math.Abs(rest) + totalStep(bits))
	threshold := eps + rest - agree
	dlo, dhi, err := hockeyStick(ctx, bits, threshold, slack)
	// slack in the logarithms moves every probability by that relative amount.
	lo = -elementary.Expm1(agree) + g*dlo - 4*slack
	hi = -elementary.Expm1(agree) + g*dhi + 4*slack
	return math.Max(0, lo), math.Min(1, hi), err
}

func totalStep(bits []coinLoss) float64 {
	sum := 0.0
	for _, b := range bits {
		sum += math.Abs(b.base) + math.Abs(b.step)
	}
	return sum
}

// hockeyStick encloses E max(0, 1 − e^{threshold − L}) for L the sum of the
// bits' losses, each loss sum being known to slack.
func hockeyStick(ctx context.Context, bits []coinLoss, threshold, slack float64) (lo, hi float64, err error) {
	base := 0.0
	for _, b := range bits {
		base += b.base
	}
	if len(bits) <= enumerated {
		mass, loss := []float64{1}, []float64{base}
		for _, b := range bits {
			for n := range mass {
				mass, loss = append(mass, mass[n]*b.plusP), append(loss, loss[n]+b.step)
				mass[n] *= b.minusP
			}
		}
		for n, m := range mass {
			lo += m * gain(loss[n]-slack, threshold)
			hi += m * gain(loss[n]+slack, threshold)
		}
		slop := float64(len(bits)+len(mass)) * 4 * ulp
		return lo * (1 - slop), hi*(1+slop) + tiny, nil
	}
	return latticeStick(ctx, bits, base, threshold, slack)
}

// gain is max(0, 1 − e^{threshold − loss}).
func gain(loss, threshold float64) float64 {
	if loss <= threshold {
		return 0
	}
	return -elementary.Expm1(threshold - loss)
}

// latticeStick rounds the steps to whole multiples of a width h and sums by
// position. The roundings f_i of the bits that come up + add to
// Σ f_i·Pr[+] but for a deviation beyond t with probability at most
// 2 exp(−2t²/Σf_i²) (Hoeffding 1963, Theorem 2), which counts in full.
func latticeStick(ctx context.Context, bits []coinLoss, base, threshold, slack float64) (lo, hi float64, err error) {
	const cells, eta = 1 << 16, 1e-15
	sort.Slice(bits, func(i, j int) bool { return math.Abs(bits[i].step) < math.Abs(bits[j].step) })
	span := 0.0
	for _, b := range bits {
		span += math.Abs(b.step)
	}
	h := span / (cells - float64(len(bits)))
	mass := make([]float64, 1, cells+len(bits))
	mass[0] = 1
	offset, drift, squares, worst := 0, 0.0, 0.0, 0.0
	for _, b := range bits {
		if err := ctx.Err(); err != nil {
			return 0, 1, err
		}
		n := 0
		if h > 0 {
			n = int(math.Round(b.step / h))
		}
		f := b.step - float64(n)*h
		drift += f * b.plusP
		squares += f * f
		worst += math.Abs(f)
		low, high := b.minusP, b.plusP
		if n < 0 {
			low, high, offset, n = high, low, offset+n, -n
		}
		old := len(mass)
		mass = append(mass, make([]float64, n)...)
		for i := old - 1; i >= 0; i-- { // from above: what moves up is still whole
			v := mass[i]
			mass[i] = v * low
			mass[i+n] += v * high
		}
	}
	t := math.Min(worst, math.Sqrt(squares*elementary.Log(2/eta)/2)) + slack
	for i, m := range mass {
		at := base + drift + float64(offset+i)*h
		lo += m * gain(at-t, threshold)
		hi += m * gain(at+t, threshold)
	}
	slop := float64(8*len(bits)+len(mass)) * ulp
	return math.Max(0, lo*(1-slop)-eta), hi*(1+slop) + eta + 0x1p-40*float64(len(bits))*ulp, nil
}
