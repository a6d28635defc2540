package mvg

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/matrix"
	"dpworkbench/mvg/internal/definite"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ErrSignal is wrapped if a signal covariance does not fit the design. Such errors also wrap evidence.ErrParameter.
var ErrSignal = errors.New("signal covariance")

const (
	pnrMethod = "determinants of the matrices as they stand, by verified factors"
	pnrSource = "(24)"
)

// PNR encloses the power-to-noise ratio (24) for a signal of covariance k. It is det(K + Σ)/det Σ for K of order m.
// For K of order mn, the covariance of the column-stacked vec, it is det(K + Ψ⊗Σ)/det(Ψ⊗Σ). Its upper end is
// infinite beyond float64. It returns an error wrapping evidence.ErrParameter if k has neither order, is not
// symmetric, or not positive semi-definite. Eigenvalues that are negative only by rounding are used as they are.
func (d *Design) PNR(k mat.Matrix) (evidence.Certified, error) {
	gain, err := d.pnr(k)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.Enclosed(gain.ratio, pnrMethod, pnrSource), nil
}

// LogPNR encloses the logarithm of PNR, with the same errors.
func (d *Design) LogPNR(k mat.Matrix) (evidence.Certified, error) {
	gain, err := d.pnr(k)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.Enclosed(gain.log(), pnrMethod, pnrSource), nil
}

// MutualInformation encloses ½ LogPNR in nats: the mutual information between a Gaussian f(X) of covariance k and its
// release. Lemma 10 holds for Gaussian f(X) only; for any other f(X) of that covariance the number is an upper bound.
// It returns an error where PNR does.
func (d *Design) MutualInformation(k mat.Matrix) (evidence.Certified, error) {
	gain, err := d.pnr(k)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.Enclosed(gain.log().Quo(interval.Int(2)), pnrMethod, "½ ln PNR; Lemma 10, for Gaussian f(X)"), nil
}

// ratio encloses a number that is at least about 1 and, separately, that number minus 1.
type ratio struct{ ratio, above interval.Interval }

func (r ratio) log() interval.Interval {
	if half := interval.Float(0.5); half.Neg().Less(r.above) && r.above.Less(half) {
		return log1p(r.above)
	}
	return r.ratio.Log()
}

// Up to order 64, determinants are computed with increasing precision until PNR − 1 is known to a relative 2⁻⁵⁶.
// Beyond that they are computed once.
const (
	closeOrder = 64
	closeBits  = 56
)

// pnr encloses PNR.
func (d *Design) pnr(k mat.Matrix) (ratio, error) {
	m, n := d.sensitivity.Shape()
	rows, cols := k.Dims()
	if rows != cols || (rows != m && rows != m*n) {
		return ratio{}, parameter.Errorf("%w is %d×%d, want order %d or %d", ErrSignal, rows, cols, m, m*n)
	}
	signal, err := matrix.Symmetric("k", k)
	if err != nil {
		return ratio{}, fmt.Errorf("%w: %w", ErrSignal, err)
	}
	if mat.Norm(signal, 1) == 0 {
		return ratio{interval.Int(1), interval.Int(0)}, nil
	}
	both := rows != m
	if r, ok := d.diagonalPNR(signal, both); ok {
		return r, nil
	}
	if err := d.semidefinite(signal, both); err != nil {
		return ratio{}, err
	}
	terms := []definite.Term{definite.Entries(signal)}
	if both {
		high, low := definite.Kronecker(d.psi.Matrix(), d.sigma.Matrix())
		terms = append(terms, high, low)
	} else {
		terms = append(terms, definite.Entries(d.sigma.Matrix()))
	}
	sum, err := definite.New(rows, terms...)
	if err != nil {
		return ratio{}, parameter.Errorf("%w is not proven positive semi-definite: with the noise added it is %w", ErrSignal, err)
	}
	if rows > closeOrder {
		f, err := sum.Factor()
		if err != nil {
			return ratio{}, parameter.Errorf("%w is not proven positive semi-definite: with the noise added it is %w", ErrSignal, err)
		}
		return d.quotient(f, both, 0)
	}
	var best ratio
	for bits := closeBits; ; bits *= 2 {
		f, err := sum.Precise(bits)
		if err == nil {
			best, err = d.quotient(f, both, bits)
		}
		switch {
		case err != nil && bits == closeBits:
			return ratio{}, parameter.Errorf("%w is not proven positive semi-definite: with the noise added it is %w", ErrSignal, err)
		case err != nil || narrow(best.above):
			return best, nil
		}
	}
}

// diagonalPNR returns Π (1 + k_i/σ_i) if all matrices are diagonal and K has no negative entry. It accumulates the
// product minus 1. A factor 1 + t turns this number from a into a + t + at, without cancellation.
func (d *Design) diagonalPNR(signal *mat.SymDense, both bool) (ratio, bool) {
	m, _ := d.sensitivity.Shape()
	if d.sigma.dense != nil || both && d.psi.dense != nil {
		return ratio{}, false
	}
	above := interval.Int(0)
	for i := range signal.SymmetricDim() {
		for j := range i {
			if signal.At(i, j) != 0 {
				return ratio{}, false
			}
		}
		k := signal.At(i, i)
		if k < 0 {
			return ratio{}, false
		}
		noise := interval.Float(d.sigma.diagonal[i%m])
		if both {
			noise = noise.Mul(interval.Float(d.psi.diagonal[i/m]))
		}
		t := interval.Float(k).Quo(noise)
		above = above.Add(t).Add(above.Mul(t))
	}
	return ratio{interval.Int(1).Add(above), above}, true
}

// narrow reports whether an interval has a relative width of at most 2^−closeBits.
func narrow(a interval.Interval) bool {
	if sign, _ := a.Sign(); sign == 0 {
		return false
	}
	width, _ := a.Upper().Sub(a.Lower()).Quo(a.Lower()).Bounds()
	return math.Abs(width) <= 1.0/(1<<closeBits)
}

// quotient encloses det(K + noise) divided by the noise's determinant, det Σ or (det Ψ)^m (det Σ)^n. If bits is
// positive, the factors have spreads of 2^−bits.
func (d *Design) quotient(f *definite.Factor, both bool, bits int) (ratio, error) {
	prec := uint(256 + bits)
	lo, hi := f.Det(prec)
	lo.SetMode(big.ToNegativeInf)
	hi.SetMode(big.ToPositiveInf)
	divide := func(c Covariance, times int) error {
		under, over, err := c.det(bits, prec)
		if err != nil {
			return err
		}
		for range times {
			lo.Quo(lo, over)
			hi.Quo(hi, under)
		}
		return nil
	}
	m, n := d.sensitivity.Shape()
	rows, columns := 1, 0
	if both {
		rows, columns = n, m
	}
	if err := errors.Join(divide(d.sigma, rows), divide(d.psi, columns)); err != nil {
		return ratio{}, err
	}
	one := big.NewFloat(1)
	under := new(big.Float).SetPrec(prec).SetMode(big.ToNegativeInf).Sub(lo, one)
	over := new(big.Float).SetPrec(prec).SetMode(big.ToPositiveInf).Sub(hi, one)
	return ratio{interval.Hull(interval.Big(lo), interval.Big(hi)), interval.Hull(interval.Big(under), interval.Big(over))}, nil
}

// det encloses the determinant.
func (c Covariance) det(bits int, prec uint) (lo, hi *big.Float, err error) {
	if c.dense == nil {
		lo, hi = definite.Product(c.diagonal, prec)
		return lo, hi, nil
	}
	f := c.dense.factor
	if bits > 0 {
		if f, err = c.dense.scaled.Precise(bits); err != nil {
			return nil, nil, err
		}
	}
	lo, hi = f.Det(prec)
	return lo, hi, nil
}

// semidefinite returns an error if the whitened signal has an eigenvalue that is negative beyond rounding: below −1e-9
// times the largest eigenvalue or the noise, whichever is larger.
func (d *Design) semidefinite(signal *mat.SymDense, both bool) error {
	whiten := whitener(d.sigma)
	if both {
		small := whiten
		whiten = new(mat.Dense)
		whiten.Kronecker(whitener(d.psi), small)
	}
	// The units are those of the noise. If the whitened signal overflows, they are units in which the product is about
	// 1.
	_, large := math.Frexp(largest(signal))
	_, precise := math.Frexp(largest(whiten))
	for _, shift := range []int{0, large + 2*precise} {
		k := mat.NewSymDense(signal.SymmetricDim(), nil)
		for i := range k.SymmetricDim() {
			for j := range i + 1 {
				k.SetSym(i, j, math.Ldexp(signal.At(i, j), -shift))
			}
		}
		var e mat.EigenSym
		if !e.Factorize(symmetric.Turn(k, mat.DenseCopyOf(whiten.T())), symmetric.WithVectors) {
			continue
		}
		values := e.Values(nil)
		if sum := floats.Sum(values); math.IsNaN(sum) || math.IsInf(sum, 0) {
			continue
		}
		if least := values[0]; !(least >= -1e-9*math.Max(math.Ldexp(1, -shift), values[len(values)-1])) {
			return parameter.Errorf("%w is not positive semi-definite: eigenvalue %g after whitening", ErrSignal, math.Ldexp(least, shift))
		}
		return nil
	}
	return parameter.Errorf("eigenvalues of the %w did not converge", ErrSignal)
}

// largest returns the largest absolute value of an entry.
func largest(a mat.Matrix) float64 {
	top := 0.0
	rows, cols := a.Dims()
	for i := range rows {
		for j := range cols {
			top = math.Max(top, math.Abs(a.At(i, j)))
		}
	}
	return top
}

// whitener returns an approximate B⁻¹ for a root B of the covariance.
func whitener(c Covariance) *mat.Dense {
	n := c.Order()
	out := mat.NewDense(n, n, nil)
	if c.dense == nil {
		for i, v := range c.diagonal {
			out.Set(i, i, 1/math.Sqrt(v))
		}
		return out
	}
	// With rows scaled equally, the condition number is about the root of that of a matrix proven positive definite.
	exps := c.dense.factor.Exps()
	lower := mat.NewTriDense(n, mat.Lower, nil)
	for i := range n {
		for j := range i + 1 {
			lower.SetTri(i, j, math.Ldexp(c.dense.root.At(i, j), -exps[i]))
		}
	}
	var inverse mat.TriDense
	_ = inverse.InverseTri(lower) // an ill-conditioned inverse suffices
	for i := range n {
		for j := range i + 1 {
			out.Set(i, j, math.Ldexp(inverse.At(i, j), -exps[j]))
		}
	}
	return out
}
