package optimize

import (
	"math"
	"math/big"

	"dpworkbench/evidence"
)

// FlipRate returns the mean number of flipped bits over the number of bits: the
// least chance that a bit is flipped, exact where MeanFlips is.
func (l *NoiseLaw) FlipRate() evidence.Number {
	bits := l.Rows * l.Columns
	if e, ok := l.flips.(evidence.Exact); ok {
		e.Value = new(big.Rat).Quo(e.Value, big.NewRat(int64(bits), 1))
		return e
	}
	lo, hi := l.flips.Bounds()
	return evidence.Certified{
		Lo: math.Nextafter(lo/float64(bits), 0), Hi: math.Nextafter(hi/float64(bits), math.Inf(1)),
		Method: "linear program, certified", Source: l.flips.Origin(),
	}
}
