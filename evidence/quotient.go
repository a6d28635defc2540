package evidence

import (
	"math"
	"math/big"
)

// Quotient returns ε/f where it is a rational number that can be told: where
// both are float64s, or both logarithms of rationals with a common power. It
// returns false elsewhere; where just one is a logarithm there is no such number,
// since ln q is transcendental for every rational q other than 1.
func (e Epsilon) Quotient(f Epsilon) (*big.Rat, bool) {
	if (e.base == nil) != (f.base == nil) || e.den == 0 || f.den == 0 {
		return nil, false
	}
	scale := new(big.Rat).Quo(big.NewRat(e.num, e.den), big.NewRat(f.num, f.den))
	if e.base == nil {
		v := new(big.Rat).Quo(new(big.Rat).SetFloat64(e.whole), new(big.Rat).SetFloat64(f.whole))
		return v.Mul(v, scale), true
	}
	if e.base.Cmp(f.base) == 0 {
		return scale, true
	}
	// base_eᵍ = base_fʰ with small g and h, or none that is looked for.
	const most = 64
	num, _ := e.base.Float64()
	den, _ := f.base.Float64()
	ratio := math.Log(num) / math.Log(den)
	for g := int64(1); g <= most; g++ {
		h := math.Round(ratio * float64(g))
		if h < 1 || h > most || math.Abs(ratio*float64(g)-h) > 1e-9*h {
			continue
		}
		if ratPow(e.base, g).Cmp(ratPow(f.base, int64(h))) == 0 {
			return scale.Mul(scale, big.NewRat(int64(h), g)), true
		}
	}
	return nil, false
}

// Root returns c > 1 and s with e^ε = cˢ where c is a rational that is no power
// of another, and false unless ε is a logarithm. The powers c^{−j/n}, 0 ≤ j < n,
// are then linearly independent over the rationals for every n.
func (e Epsilon) Root() (c, s *big.Rat, ok bool) {
	if e.base == nil {
		return nil, nil, false
	}
	c, s = e.base, big.NewRat(e.num, e.den)
	for p := int64(2); p <= int64(max(c.Num().BitLen(), c.Denom().BitLen())); p++ {
		for {
			root, ok := ratRoot(c, p)
			if !ok {
				break
			}
			c, s = root, new(big.Rat).Mul(s, big.NewRat(p, 1))
		}
	}
	return c, s, true
}
