// Package xor computes with the XOR mechanism, M(D) = f(D) ⊕ B for a query with
// values in {0, 1}^{N×P} and matrix-valued Bernoulli noise B. Numbers of
// definitions, theorems and equations are those of the mechanism's paper ("The
// exclusive or mechanism", with Algorithm 1 to 3 and Theorems 1 to 4).
//
// The noise has the quadratic law Pr[B = b] ∝ exp(bᵀΠb) on the NP bits of
// vec(Bᵀ), so that bit (i, j) of B is bit i·P + j of b, with
// Π = I_N ⊗ Θ + Σ_{i≠j} J_ij ⊗ Λ_ij (equation 3).
//
//   - [Bernoulli.Enumerate] visits all 2^{NP} states, about a nanosecond each:
//     normaliser, mean and law of the number of ones; [Bernoulli.Moments] the
//     marginals and pair moments.
//   - [Bernoulli.SmallestEpsilon] is exact privacy without the states.
//   - [Columns] is the closed form where Θ = θI and every Λ_ij = λI, which is
//     all that [Allocate] (Algorithm 1) ever gives.
//   - [Release] and [ReleaseGraph] are the mechanism and Algorithm 3.
//
// Nothing a theorem promises is taken on trust: promises are evidence.Claimed,
// and stand beside what is computed.
package xor
