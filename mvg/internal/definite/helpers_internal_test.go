package definite

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// RandomConditioned returns AAᵀ for a random A, rounded to float64, with a condition number near 10^decades. Its rows
// and columns are scaled by up to 2^±spread.
func RandomConditioned(n int, decades float64, spread int, rng *rand.Rand) *mat.SymDense {
	a := symmetric.RandomBasis(n, rng)
	for j := range n {
		k := math.Pow(10, -decades/2*float64(j)/float64(max(1, n-1)))
		for i := range n {
			a.Set(i, j, k*a.At(i, j))
		}
	}
	s := mat.NewSymDense(n, nil)
	s.SymOuterK(1, a)
	for i := range n {
		e := 0
		if spread > 0 {
			e = rng.IntN(2*spread) - spread
		}
		for j := range n {
			v := math.Ldexp(s.At(i, j), e)
			if i == j {
				v = math.Ldexp(v, e)
			}
			s.SetSym(i, j, v)
		}
	}
	return s
}

func symmetricOf(n int, at func(i, j int) float64) *mat.SymDense {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, at(i, j))
		}
	}
	return s
}

// pascal has determinant 1 and a condition number of about 16ⁿ/n.
func pascal(n int) *mat.SymDense {
	return symmetricOf(n, func(i, j int) float64 { return float64(new(big.Int).Binomial(int64(i+j), int64(i)).Int64()) })
}

func hilbert(n int) *mat.SymDense {
	return symmetricOf(n, func(i, j int) float64 { return 1 / float64(i+j+1) })
}

func Cases(rng *rand.Rand) map[string][]mat.Symmetric {
	out := map[string][]mat.Symmetric{
		"order 1":        {mat.NewSymDense(1, []float64{3e-310})},
		"nearly equal":   {mat.NewSymDense(2, []float64{1, 1 - 1e-14, 1 - 1e-14, 1})},
		"an ulp apart":   {mat.NewSymDense(2, []float64{1, 1 - 0x1p-53, 1 - 0x1p-53, 1})},
		"far apart":      {mat.NewSymDense(2, []float64{1e-300, 1e-10, 1e-10, 1e300})},
		"pascal 20":      {pascal(20)},
		"hilbert 11":     {hilbert(11)},
		"two terms":      {mat.NewSymDense(2, []float64{1e12, 1e12, 1e12, 1e12 + 1}), mat.NewSymDense(2, []float64{1, 0, 0, 1})},
		"tiny beside":    {mat.NewSymDense(2, []float64{1, 1, 1, 1}), mat.NewSymDense(2, []float64{1e-40, 0, 0, 1e-40})},
		"three terms":    {hilbert(6), pascal(6), RandomConditioned(6, 3, 0, rng)},
		"scaled hilbert": {RandomConditioned(7, 6, 400, rng)},
	}
	for k := range 40 {
		n, decades := 2+rng.IntN(7), 14*rng.Float64()
		out[fmt.Sprintf("random %d", k)] = []mat.Symmetric{RandomConditioned(n, decades, rng.IntN(2)*30, rng)}
	}
	return out
}

// Skewed returns I plus normal noise of standard deviation by, a basis that is nearly orthonormal.
func Skewed(n int, by float64, rng *rand.Rand) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, 1)
		for j := range n {
			d.Set(i, j, d.At(i, j)+by*rng.NormFloat64())
		}
	}
	return d
}

// Exact is a matrix of rationals. Its arithmetic shares no code with the package.
type Exact [][]*big.Rat

func Exactly(terms ...mat.Symmetric) Exact {
	n := terms[0].SymmetricDim()
	return matrix(n, n, func(i, j int) *big.Rat {
		v := new(big.Rat)
		for _, t := range terms {
			v.Add(v, Rat(t.At(i, j)))
		}
		return v
	})
}

// Pivots returns the pivots of an elimination. ok is false if one is zero.
func (a Exact) Pivots() (d []*big.Rat, ok bool) {
	n, b := len(a), a.Plus(new(big.Rat), a)
	for k := range n {
		if b[k][k].Sign() == 0 {
			return d, false
		}
		d = append(d, b[k][k])
		for i := k + 1; i < n; i++ {
			f := new(big.Rat).Quo(b[i][k], b[k][k])
			for j := k; j < n; j++ {
				b[i][j].Sub(b[i][j], new(big.Rat).Mul(f, b[k][j]))
			}
		}
	}
	return d, true
}

// Det returns the determinant. It is 0 if a pivot is zero.
func (a Exact) Det() *big.Rat {
	det := big.NewRat(1, 1)
	d, ok := a.Pivots()
	if !ok {
		return new(big.Rat)
	}
	for _, v := range d {
		det.Mul(det, v)
	}
	return det
}

func (a Exact) Positive() bool {
	d, ok := a.Pivots()
	for _, v := range d {
		ok = ok && v.Sign() > 0
	}
	return ok
}

func EntriesOf(terms []mat.Symmetric) (out []Term) {
	for _, t := range terms {
		out = append(out, Entries(t))
	}
	return out
}

// Plus returns a + bC.
func (a Exact) Plus(b *big.Rat, c Exact) Exact {
	return matrix(len(a), len(a[0]), func(i, j int) *big.Rat { return new(big.Rat).Add(a[i][j], new(big.Rat).Mul(b, c[i][j])) })
}

func (a Exact) Inverse() Exact {
	n := len(a)
	wide := a.Plus(new(big.Rat), a)
	for i, row := range Ident(n) {
		wide[i] = append(wide[i], row...)
	}
	for k := range n { // without pivoting: a is positive definite
		p := new(big.Rat).Inv(wide[k][k])
		for j := range 2 * n {
			wide[k][j].Mul(wide[k][j], p)
		}
		for i := range n {
			if i != k {
				f := new(big.Rat).Set(wide[i][k])
				for j := range 2 * n {
					wide[i][j].Sub(wide[i][j], new(big.Rat).Mul(f, wide[k][j]))
				}
			}
		}
	}
	out := make(Exact, n)
	for i := range out {
		out[i] = wide[i][n:]
	}
	return out
}

func Ident(n int) Exact {
	return Exactly(symmetricOf(n, func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] }))
}

func Rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// matrix returns a rows×cols matrix in rationals.
func matrix(rows, cols int, at func(i, j int) *big.Rat) Exact {
	out := make(Exact, rows)
	for i := range out {
		for j := range cols {
			out[i] = append(out[i], at(i, j))
		}
	}
	return out
}
