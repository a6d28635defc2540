// Package definite proves that a symmetric matrix is positive definite, and encloses its inverse, eigenvalues and
// determinant to a small relative error at any condition number. It also computes a root of the matrix, for sampling.
// If an upper bound relative to the largest entries is enough, package symmetric is faster.
//
// All of this follows from one identity. Let A = DHD, where D = diag(2^{e_i}) brings the diagonal of H near 1, and let
// X be any nonsingular matrix, however it was found. If XHXᵀ = I + E with ‖E‖₂ ≤ ε < 1, then
//
//	H is positive definite, H⁻¹ = Xᵀ(I + E)⁻¹X,
//	XᵀX/(1 + ε) ⪯ H⁻¹ ⪯ XᵀX/(1 − ε),   det H = det(I + E)/det(X)²,
//
// So every quantity that increases with the inverse is known to a relative error of about ε. Only the rounding of XHXᵀ
// needs a bound. X is the inverse of a Cholesky factor, in float64 if that makes ε small (factor.go), and in more
// precise numbers if the condition number requires them (precise.go).
package definite
