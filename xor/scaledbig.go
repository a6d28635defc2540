package xor

import (
	"math/big"

	"dpworkbench/internal/sampling"
)

// scaledBigFloat is m·2ᵉ with ½ ≤ m < 1, a positive number to any precision, whose exponent never
// overflows. An operation on numbers of prec bits errs by a factor of at most
// 1 ± 2^−prec.
type scaledBigFloat struct {
	m *big.Float
	e int64
}

// normal brings m back to [½, 1).
func (a scaledBigFloat) normal() scaledBigFloat {
	e := a.m.MantExp(a.m)
	return scaledBigFloat{a.m, a.e + int64(e)}
}

func (a scaledBigFloat) mul(b scaledBigFloat) scaledBigFloat {
	return scaledBigFloat{new(big.Float).Mul(a.m, b.m), a.e + b.e}.normal()
}

// mulRatio returns a·n/d for positive n and d, rounded twice.
func (a scaledBigFloat) mulRatio(n, d int) scaledBigFloat {
	m := new(big.Float).SetPrec(a.m.Prec()).Mul(a.m, new(big.Float).SetInt64(int64(n)))
	return scaledBigFloat{m.Quo(m, new(big.Float).SetInt64(int64(d))), a.e}.normal()
}

// fixed returns ⌊a·2^shift⌋.
func (a scaledBigFloat) fixed(shift int64) *big.Int {
	if a.e+shift <= 0 {
		return new(big.Int)
	}
	v, _ := new(big.Float).SetMantExp(a.m, int(a.e+shift)).Int(nil)
	return v
}

// scaledBigOne is 1 at prec bits.
func scaledBigOne(prec uint) scaledBigFloat {
	return scaledBigFloat{new(big.Float).SetPrec(prec).SetFloat64(.5), 1}
}

// scaledBigExp returns eˣ for |x| < 2⁶², to within a factor 1 ± 2^(1−prec): j times the square
// of e^{x/2^j}, of a number below 1 in size. Each square doubles what is wrong and rounds
// once; with j + 8 bits more all that is below 2^−prec, as is the last rounding.
func scaledBigExp(x *big.Rat, prec uint) scaledBigFloat {
	j := max(0, x.Num().BitLen()-x.Denom().BitLen()+1)
	more := prec + uint(j) + 8
	small := new(big.Rat).SetFrac(x.Num(), new(big.Int).Lsh(x.Denom(), uint(j)))
	places := int(more) + 8
	least, _ := sampling.Exp(sampling.Rat(small))(places) // off by 16·2^−places, above ¼
	a := scaledBigFloat{new(big.Float).SetPrec(more).SetInt(least), int64(-places)}.normal()
	for range j {
		a = a.mul(a)
	}
	a.m.SetPrec(prec)
	return a.normal()
}

// scaledBigExps are exponentials at one precision, remembering those it has seen.
type scaledBigExps struct {
	prec uint
	seen map[float64]scaledBigFloat
}

// of returns e^{nx} for n = 1 or 2.
func (s scaledBigExps) of(n int64, x float64) scaledBigFloat {
	key := float64(n) * x // exact: no caller's doubles overflow
	v, ok := s.seen[key]
	if !ok {
		v = scaledBigExp(new(big.Rat).SetFloat64(key), s.prec)
		s.seen[key] = v
	}
	return v
}
