package definite

import "math/big"

// Det encloses the determinant by numbers of prec bits: 4^Σexps times det H, which is
// det(I + E)/Π x_ii², the eigenvalues of I + E being between 1 − ε and 1 + ε.
func (f *Factor) Det(prec uint) (lo, hi *big.Float) {
	end := func(mode, back big.RoundingMode, spread *big.Float) *big.Float {
		over := new(big.Float).SetPrec(prec).SetMode(back).SetInt64(1) // Π x_ii
		one := new(big.Float).SetPrec(prec).SetMode(mode).SetInt64(1)
		base := new(big.Float).SetPrec(prec).SetMode(mode).Add(one, spread)
		out := new(big.Float).SetPrec(prec).SetMode(mode).SetInt64(1)
		for i := range f.n {
			over.Mul(over, f.diagonal(i))
			out.Mul(out, base)
		}
		out.Quo(out, over)
		out.Quo(out, over)
		shift := 0
		for _, e := range f.exps {
			shift += 2 * e
		}
		return out.SetMantExp(out, shift)
	}
	lo = end(big.ToNegativeInf, big.ToPositiveInf, new(big.Float).Neg(f.spread))
	return lo, end(big.ToPositiveInf, big.ToNegativeInf, f.spread)
}

func (f *Factor) diagonal(i int) *big.Float {
	if f.long != nil {
		return f.long.at(i, i)
	}
	return new(big.Float).SetFloat64(f.x[i*f.n+i])
}

// Product encloses a product of positive numbers.
func Product(v []float64, prec uint) (lo, hi *big.Float) {
	end := func(mode big.RoundingMode) *big.Float {
		out := new(big.Float).SetPrec(prec).SetMode(mode).SetInt64(1)
		for _, x := range v {
			out.Mul(out, new(big.Float).SetFloat64(x))
		}
		return out
	}
	return end(big.ToNegativeInf), end(big.ToPositiveInf)
}
