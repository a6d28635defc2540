package xor

import "math"

// vector is a vector of scaled numbers or zeros. If e is nil, it holds plain float64s.
type vector struct {
	m []float64
	e []int64
}

// entry returns number i.
func (v vector) entry(i int) scaledFloat {
	if v.e == nil {
		return newScaledFloat(v.m[i])
	}
	return scaledFloat{v.m[i], v.e[i]}
}

// set copies src.
func (v vector) set(src vector) {
	copy(v.m, src.m)
	copy(v.e, src.e)
}

// add adds src, entry by entry, each sum rounded once.
func (v vector) add(src vector) {
	dst, from := v.m, src.m[:len(v.m)]
	if v.e == nil {
		for i := range dst {
			dst[i] += from[i]
		}
		return
	}
	for i, m := range from {
		if m == 0 {
			continue
		}
		if dst[i] == 0 {
			dst[i], v.e[i] = m, src.e[i]
			continue
		}
		large, e, small, down := dst[i], v.e[i], m, v.e[i]-src.e[i]
		if down < 0 {
			large, e, small, down = m, src.e[i], dst[i], -down
		}
		if down < 60 { // a smaller term is below the rounding
			large += math.Float64frombits(math.Float64bits(small) - uint64(down)<<52)
		}
		if large >= 1 {
			large, e = large/2, e+1
		}
		dst[i], v.e[i] = large, e
	}
}

// total returns the sum of all entries.
func (v vector) total() scaledFloat {
	if v.e != nil {
		sum := scaledSum{e: none}
		for i := range v.m {
			sum.addScaled(v.entry(i))
		}
		return sum.rounded()
	}
	var a0, a1, a2, a3 float64
	m := v.m
	for i := 0; i+3 < len(m); i += 4 {
		a0, a1, a2, a3 = a0+m[i], a1+m[i+1], a2+m[i+2], a3+m[i+3]
	}
	for i := len(m) &^ 3; i < len(m); i++ {
		a0 += m[i]
	}
	return newScaledFloat((a0 + a1) + (a2 + a3))
}
