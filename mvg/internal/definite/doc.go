// Package definite encloses inverse, eigenvalues and determinant of a symmetric positive
// definite matrix, and proves that it is one, to a small relative error at any condition
// number; it also gives a root of the matrix to draw from. Where an upper bound relative to
// the largest entries is enough, package symmetric has it for less.
//
// One identity carries all of it. Let A = DHD with D = diag(2^{e_i}) such that H has a
// diagonal near 1, and let X be any nonsingular matrix, however it was found. With
// XHXᵀ = I + E and ‖E‖₂ ≤ ε < 1,
//
//	H is positive definite, H⁻¹ = Xᵀ(I + E)⁻¹X,
//	XᵀX/(1 + ε) ⪯ H⁻¹ ⪯ XᵀX/(1 − ε),   det H = det(I + E)/det(X)²,
//
// so whatever grows with the inverse is known to a relative error of about ε, and all that
// has to be proven is a bound on the rounding of XHXᵀ. X is the inverse of a Cholesky
// factor, in float64 where that brings ε down (factor.go), in longer numbers where the
// condition asks for them (precise.go).
package definite
