package planes

import (
	"math/rand/v2"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// Blocks that P and Q share leave a program's reflections of single blocks: the average
// of its multipliers over them is no worse, so that of F, N and H in lift.go only those
// entries count that couple what changes sign alike. Two covariances of two levels each,
// for one, fall into blocks of order 2 at most, by the angles between their subspaces.

// sameSpace is the distance between eigenvalues at which they are taken as one.
const sameSpace = 1e-7

// sharedBlocks returns a basis in which P and Q fall into blocks, and the block of each
// direction; all the same where there is but one. They are the eigenspaces of a symmetric
// matrix that commutes with both, drawn from all that do.
func (f forms) sharedBlocks() (basis *mat.Dense, of []int) {
	n := f.p.SymmetricDim()
	of = make([]int, n)
	entries := entriesOf(n)
	brackets := mat.NewDense(2*n*n, len(entries), nil)
	x := mat.NewDense(n, n, nil)
	for r, i := range entries {
		x.Zero()
		x.Set(i[0], i[1], 1/coordinateScale(i[0], i[1]))
		x.Set(i[1], i[0], 1/coordinateScale(i[0], i[1]))
		for b, m := range f.rows {
			var left, right mat.Dense
			left.Mul(m, x)
			right.Mul(x, m)
			left.Sub(&left, &right)
			for k, v := range left.RawMatrix().Data {
				brackets.Set(b*n*n+k, r, v)
			}
		}
	}
	var gram mat.Dense
	gram.Mul(brackets.T(), brackets)
	var e mat.EigenSym
	if !e.Factorize(symmetric.Symmetrized(&gram), true) {
		return nil, of
	}
	commuting := 0
	for _, v := range e.Values(nil) {
		if v < sameSpace*sameSpace {
			commuting++
		}
	}
	if commuting < 2 { // I alone
		return nil, of
	}
	// The roots of the Gram matrix's eigenvalues are accurate to 1e-8 only.
	var svd mat.SVD
	var w mat.Dense
	if !svd.Factorize(brackets, mat.SVDThinV) {
		return nil, of
	}
	svd.VTo(&w)
	sum := mat.NewSymDense(n, nil)
	src := rand.New(draw.Source(3, 4))
	for c := range commuting {
		weight := src.NormFloat64()
		for r, i := range entries {
			sum.SetSym(i[0], i[1], sum.At(i[0], i[1])+weight*w.At(r, len(entries)-1-c)/coordinateScale(i[0], i[1]))
		}
	}
	if !e.Factorize(sum, true) {
		return nil, of
	}
	basis = new(mat.Dense)
	e.VectorsTo(basis)
	v := e.Values(nil)
	for i := 1; i < n; i++ {
		of[i] = of[i-1]
		if v[i]-v[i-1] > sameSpace {
			of[i]++
		}
	}
	return basis, of
}
