// Package planes encloses the largest p₁(V)q₁(V) + p₂(V)q₂(V) over planes V, for the
// eigenvalues p₁ ≥ p₂ and q₁ ≥ q₂ of the compressions to V of two positive semi-definite
// matrices P and Q. It is the largest tr(PDQD) over D = aaᵀ − bbᵀ with orthonormal a, b.
//
// From below, climbs end at planes that are locally best (ascent.go). From above each of
// these is tried while the ends are apart, in the order and at the orders d that Enclose
// (enclose.go) tells:
//
//	floor.go       least directions that P and Q share go: the same question at a smaller order
//	halfplane.go   linear inequalities between p₁, p₂, q₁ and q₂, proven by covers of P and Q
//	               (halfplane_cover.go), of which a face attains a plane's (halfplane_face.go)
//	compound.go    D has rank 2: a semidefinite program in the moments DDᵀ and ωωᵀ, ω = a∧b
//	lift.go        the same in all second moments of a plane, of some directions or of the
//	               blocks that P and Q share (shared_blocks.go): the compound's is its case N = 0
//	frame_cuts.go  cuts of the points (A, B, C) of frames, A² + B² + C² = p₁q₁ + p₂q₂, each a
//	               program (frame_program.go), with tilts where frames mix (frame_tilt.go)
//
// An interior-point method (program.go, interior_point.go) finds a program's multipliers. Any
// multipliers bound; what they bound by is proven by Cholesky factorizations
// (internal/symmetric), rounding included.
package planes
