package roots

import (
	"context"
	"math/big"
	"slices"
)

// Span is an open interval of (0, 1) between two roots, or the ends 0 and 1, in which a polynomial is negative.
type Span struct{ From, To Root }

// Middle returns a rational number inside the span.
func (s Span) Middle() *big.Rat {
	m := new(big.Rat).Add(s.From.Hi, s.To.Lo)
	return m.Mul(m, big.NewRat(1, 2))
}

// Negative returns where on (0, 1) p is negative, by ascending spans, the spans' ends known to the given width and
// apart from each other; nothing where p ≥ 0 throughout. It returns the context's error where that ends first.
func (p Polynomial) Negative(ctx context.Context, width *big.Rat) ([]Span, error) {
	p = p.inside()
	if n, last := signs(p); n == 0 && last >= 0 {
		return nil, nil
	}
	at, err := p.Roots(ctx)
	if err != nil {
		return nil, err
	}
	for i, r := range at {
		at[i] = p.Refine(r, width)
	}
	for i := 1; i < len(at); i++ { // so that a number lies between two
		for at[i-1].Hi.Cmp(at[i].Lo) >= 0 {
			width = new(big.Rat).Mul(width, big.NewRat(1, 16))
			at[i-1], at[i] = p.Refine(at[i-1], width), p.Refine(at[i], width)
		}
	}
	ends := slices.Concat([]Root{{new(big.Rat), new(big.Rat)}}, at, []Root{{big.NewRat(1, 1), big.NewRat(1, 1)}})
	for i := range ends { // a root's interval may begin at 0, or end at 1
		for i > 0 && i+1 < len(ends) && (ends[i].Lo.Sign() == 0 || ends[i].Hi.Cmp(big.NewRat(1, 1)) == 0) {
			width = new(big.Rat).Mul(width, big.NewRat(1, 16))
			ends[i] = p.Refine(ends[i], width)
		}
	}
	var out []Span
	for i := 1; i < len(ends); i++ {
		s := Span{ends[i-1], ends[i]}
		if p.Sign(s.Middle()) >= 0 {
			continue
		}
		out = append(out, s)
	}
	return out, nil
}
