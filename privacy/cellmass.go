package privacy

import (
	"context"
	"math/big"

	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// cellMass is what P and Q have between two losses next to each other.
type cellMass struct{ p, q interval.Interval }

// cellMasses returns the masses of n cells of width h, the first from loss l on, without jumps.
func (p *closedForm) cellMasses(ctx context.Context, l, h interval.Interval, n int) ([]cellMass, error) {
	out := make([]cellMass, n)
	_, end := l.Add(h.Mul(interval.Int(int64(n)))).Bounds()
	from, _ := l.Bounds()
	if p.normalMu != nil && max(end, -from) < 1000*p.normalMu.Mid() { // the loss is μz + μ²/2 with z normal under P, z + μ under Q
		mu := *p.normalMu
		z := l.Sub(p.mean).Quo(mu)
		under, err := gaussian.Cells(ctx, z, h.Quo(mu), n)
		if err != nil {
			return nil, err
		}
		over, err := gaussian.Cells(ctx, z.Add(mu), h.Quo(mu), n)
		if err != nil {
			return nil, err
		}
		for k := range out {
			out[k] = cellMass{under[k], over[k]}
		}
		return out, nil
	}
	tails := p.tails
	if p.continuousTails != nil {
		tails = p.continuousTails
	}
	inside := false // the cell before lies between the jumps, where densities are exponential
	half := interval.Rat(big.NewRat(1, 2))
	grows := h.Mul(half).Exp()
	falls := interval.Int(1).Quo(grows)
	var pk, qk interval.Interval
	for k := range out {
		if err := pollContext(ctx, k); err != nil {
			return nil, err
		}
		from, to := l.Add(h.Mul(interval.Int(int64(k)))), l.Add(h.Mul(interval.Int(int64(k+1))))
		between := len(p.pointMasses) == 2 && to.Less(p.pointMasses[0].loss) && p.pointMasses[1].loss.Less(from)
		if inside && between {
			out[k] = cellMass{out[k-1].p.Mul(grows), out[k-1].q.Mul(falls)}
			continue
		}
		if k == 0 || inside {
			pk, qk = tails(from)
		}
		pn, qn := tails(to)
		out[k] = cellMass{pk.Sub(pn), qk.Sub(qn)}
		pk, qk, inside = pn, qn, between
	}
	return out, nil
}
