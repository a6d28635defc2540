package privacy

import (
	"context"

	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// cellMass is what P and Q have between two losses next to each other.
type cellMass struct{ p, q interval.Interval }

// cellMasses returns the masses of n cells of width h, the first from loss l on, without jumps.
func (p *smooth) cellMasses(ctx context.Context, l, h interval.Interval, n int) ([]cellMass, error) {
	out := make([]cellMass, n)
	_, end := l.Add(h.Mul(interval.Int(int64(n)))).Bounds()
	from, _ := l.Bounds()
	if p.normal != nil && max(end, -from) < 1000*p.normal.Mid() { // the loss is μz + μ²/2 with z normal under P, z + μ under Q
		mu := *p.normal
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
	if p.rest != nil {
		tails = p.rest
	}
	pk, qk := tails(l)
	for k := range out {
		if k%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		pn, qn := tails(l.Add(h.Mul(interval.Int(int64(k + 1)))))
		out[k] = cellMass{pk.Sub(pn), qk.Sub(qn)}
		pk, qk = pn, qn
	}
	return out, nil
}
