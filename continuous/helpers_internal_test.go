package continuous

// These helpers serve the tests inside and outside the package.

import (
	"math/big"
	"math/rand/v2"
	"slices"
)

// RandomSet draws up to three intervals or points in [0, span], which may overlap, and a radius.
func RandomSet(r *rand.Rand, span int, points bool) (v [][2]int, radius int) {
	for range 1 + r.IntN(3) {
		lo := r.IntN(span + 1)
		hi := lo
		if !points && r.IntN(3) > 0 {
			hi = min(span, lo+r.IntN(1+span/3))
		}
		v = append(v, [2]int{lo, hi})
	}
	if slices.Max(flatten(v)) == 0 {
		v = append(v, [2]int{span, span})
	}
	if r.IntN(2) == 0 {
		radius = r.IntN(span)
	}
	return v, radius
}

func flatten(v [][2]int) (out []int) {
	for _, p := range v {
		out = append(out, p[0], p[1])
	}
	return out
}

// ScaledQuery returns the linear query whose V has the given integers over scale as ends.
func ScaledQuery(v [][2]int, scale int64) (*Linear, error) {
	var ends [][2]*big.Rat
	for _, p := range v {
		ends = append(ends, [2]*big.Rat{big.NewRat(int64(p[0]), scale), big.NewRat(int64(p[1]), scale)})
	}
	return NewLinear(ends)
}
