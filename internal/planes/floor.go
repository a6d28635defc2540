package planes

import (
	"math"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// Where many directions share the least precision of P and the least of Q, the planes
// among the others suffice. Let P ⪯ P̂ ⊕ ρI and Q ⪯ Q̂ ⊕ σI on U ⊕ U⊥ with P̂ ⪰ ρI and
// Q̂ ⪰ σI. For a plane V and the projection T of V into U the compression of P̂ ⊕ ρI to V
// is ρI + Tᵀ(P̂ − ρI)T, and as T shrinks, its eigenvalues are at most those of P̂ on any
// plane of U that contains TV; so for Q. Since p₁q₁ + p₂q₂ grows with all four, its
// maximum for P and Q is at most that for P̂ and Q̂.

// sameFloor is the distance, to a largest precision of 1, at which one is taken as the
// least.
const sameFloor = 1e-13

// negligibleSine is the sine of the angle below which a direction is taken to lie in U: what that
// costs, the upper bounds show.
const negligibleSine = 1e-12

// directionsAboveFloor returns a basis whose first k directions span U, or k = d.
func (f forms) directionsAboveFloor() (basis *mat.Dense, k int) {
	d := f.p.SymmetricDim()
	over := mat.NewDense(d, 2*d, nil)
	at := 0
	for _, m := range []*mat.SymDense{f.p, f.q} {
		var e mat.EigenSym
		if !e.Factorize(m, true) {
			return nil, d
		}
		var w mat.Dense
		e.VectorsTo(&w)
		v := e.Values(nil)
		for j := range d {
			if v[j] > v[0]+sameFloor {
				over.SetCol(at, mat.Col(nil, j, &w))
				at++
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(over, mat.SVDFullU) {
		return nil, d
	}
	basis = new(mat.Dense)
	svd.UTo(basis)
	for _, v := range svd.Values(nil) {
		if v > negligibleSine {
			k++
		}
	}
	return basis, max(k, 3)
}

// upperBoundOn returns a P̂ with P ⪯ P̂ ⊕ ρI and P̂ ⪰ ρI, in the basis's first k
// directions, which span U.
func upperBoundOn(p *mat.SymDense, basis *mat.Dense, k int) *mat.SymDense {
	turned := symmetric.Turn(p, basis)
	d := turned.SymmetricDim()
	rho := symmetric.EigenCeiling(turned.SliceSym(k, d).(*mat.SymDense))
	out := mat.NewSymDense(k, nil)
	out.CopySym(turned.SliceSym(0, k))
	rest := mat.NewSymDense(d, nil) // P − A ⊕ ρI
	for i := range d {
		for j := max(i, k); j < d; j++ {
			rest.SetSym(i, j, turned.At(i, j))
		}
		if i >= k {
			rest.SetSym(i, i, turned.At(i, i)-rho)
		}
	}
	up := math.Max(0, symmetric.EigenCeiling(rest)) // and ρ by as much
	below := symmetric.Negated(out)
	for i := range k {
		below.SetSym(i, i, below.At(i, i)+rho)
	}
	up += math.Max(0, symmetric.EigenCeiling(below))
	for i := range k {
		out.SetSym(i, i, out.At(i, i)+up*(1+4*unit))
	}
	return out
}
