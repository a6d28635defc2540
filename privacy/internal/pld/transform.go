package pld

import (
	"math"
	"math/bits"
	"sync"

	"dpworkbench/internal/elementary"
)

// levelError bounds the relative error that one level of the transform adds, in the Euclidean norm. A level maps pairs
// (a, b) to (a + b, (a − b)w) or (a + wb, a − wb), which is √2 times an isometry. Twiddle factors have errors of at
// most 6u: 3√2u by Sincos, and 1.3u from the angle, which is at most π/4. A complex product adds √5u (Brent, Percival
// and Zimmermann 2007) and a sum adds u. Together they are u + (6 + √5)u(1 + 7u) < 10u.
const levelError = 10 * u

// transformError bounds the relative error of a whole transform of 2^levels numbers, in
// the Euclidean norm: (1 + levelError)^levels − 1.
func transformError(levels int) float64 { return float64(levels) * levelError * (1 + 1e-9) }

// mostLevels bounds the length of transforms, 2^mostLevels.
const mostLevels = 23

var twiddles [mostLevels + 1]struct {
	once sync.Once
	of   []complex128
}

// twiddlesOf returns e^{−2πik/2^level} for k below 2^{level−1}.
func twiddlesOf(level int) []complex128 {
	t := &twiddles[level]
	t.once.Do(func() {
		half := 1 << (level - 1)
		t.of = make([]complex128, half)
		unit := math.Pi / float64(half) // a power of 2 divides exactly
		for k := range half {
			// Symmetry between the octants reduces the angle to at most π/4.
			turn, swap := k, false
			switch 4 * k / half {
			case 1:
				turn, swap = half/2-k, true
			case 2:
				turn, swap = k-half/2, true
			case 3:
				turn = half - k
			}
			sin, cos := elementary.Sincos(float64(turn) * unit)
			if swap {
				sin, cos = cos, sin
			}
			if 2*k > half {
				cos = -cos
			}
			t.of[k] = complex(cos, -sin)
		}
	})
	return t.of
}

// forward replaces x, whose length is a power of 2, by its discrete Fourier transform, in
// bit-reversed order.
func forward(x []complex128) {
	for level := bits.Len(uint(len(x))) - 1; level > 0; level-- {
		w, half := twiddlesOf(level), 1<<(level-1)
		for start := 0; start < len(x); start += 2 * half {
			lo, hi := x[start:start+half], x[start+half:start+2*half]
			for k, a := range lo {
				b := hi[k]
				lo[k] = a + b
				hi[k] = times(a-b, w[k])
			}
		}
	}
}

// backward replaces x, in bit-reversed order, by the inverse transform in natural order, without the division by the
// length.
func backward(x []complex128) {
	for level := 1; 1<<level <= len(x); level++ {
		w, half := twiddlesOf(level), 1<<(level-1)
		for start := 0; start < len(x); start += 2 * half {
			lo, hi := x[start:start+half], x[start+half:start+2*half]
			for k, a := range lo {
				b := times(hi[k], complex(real(w[k]), -imag(w[k])))
				lo[k] = a + b
				hi[k] = a - b
			}
		}
	}
}

// times returns x·y with a relative error of at most √5u, if nothing underflows.
func times(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float64(a*c)-float64(b*d), float64(a*d)+float64(b*c))
}
