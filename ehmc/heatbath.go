package ehmc

import (
	"math"

	"dpworkbench/interval"
)

// bath sets bits by their conditional laws, to 128 bits of each.
type bath struct {
	law  Quadratic
	size []float64 // size[k] ≥ |Π_kk| + 2 Σ_{j≠k} |Π_kj|, what no field k exceeds
	row  []float64
}

func newBath(q Quadratic) *bath {
	d := q.Dim()
	return &bath{law: q, size: make([]float64, d), row: make([]float64, d)}
}

// measure notes row k of Π, diagonal left out.
func (b *bath) measure(k int, row []float64) {
	sum := math.Abs(b.law.Diagonal(k))
	for _, v := range row {
		sum += 2 * math.Abs(v)
	}
	b.size[k] = sum * (1 + float64(len(row)+2)*0x1p-52)
}

// below reports whether u < Pr[b_k = 1 | rest], or u < Pr[b_k = 0 | rest] where
// zero is true, for the state s: the comparison with the fraction of 128 bits
// that LogitThreshold has of the exact field.
//
// It is decided in float64 where the two are further apart than what can be
// wrong. A field is a sum of at most moves + d + 1 roundings of numbers no larger
// than its size, and the probability moves by a quarter of that at most; cutting
// u to 53 bits moves it by 2⁻⁵³; and math.Exp, assumed to have 40 right bits of
// its 53, moves the probability by 2⁻³⁹ of itself.
func (b *bath) below(u Threshold, s *State, k int, zero bool) bool {
	x := s.field[k]
	if zero {
		x = -x
	}
	p := sigmoid(x)
	v := float64(u.Hi>>11) * 0x1p-53
	margin := float64(s.moves+len(s.Bits)+1)*0x1p-54*b.size[k] + 0x1p-52 + 0x1p-39*p
	switch {
	case v < p-margin:
		return true
	case v > p+margin:
		return false
	}
	return u.Less(LogitThreshold(b.exactly(s, k, zero)))
}

// exactly encloses the field that bit k feels.
func (b *bath) exactly(s *State, k int, zero bool) interval.Interval {
	clear(b.row)
	b.law.AddRow(k, 1, b.row)
	sum := interval.Int(0)
	for j, on := range s.Bits {
		if v := b.row[j]; on && v != 0 {
			sum = sum.Add(interval.Float(v))
		}
	}
	sum = sum.Add(sum).Add(interval.Float(b.law.Diagonal(k)))
	if zero {
		sum = sum.Neg()
	}
	return sum
}
