// Package xor computes with the XOR mechanism, M(D) = f(D) ⊕ B for a query with values in {0, 1}^{N×P} and
// matrix-valued Bernoulli noise B. Numbers of definitions, theorems and equations refer to the mechanism's paper ("The
// exclusive or mechanism", with Algorithm 1 to 3 and Theorems 1 to 4).
//
// # The law of the noise
//
// A [Bernoulli] is the quadratic law Pr[B = b] ∝ exp(bᵀΠb) on the NP bits of vec(Bᵀ), so that bit (i, j) of B is bit
// i·P + j of b, with Π = I_N ⊗ Θ + Σ_{i≠j} J_ij ⊗ Λ_ij (equation 3): [NewBernoulli] makes it from blocks, [NewUniform]
// with Θ = θI and every Λ_ij = λI. [Columns] is the closed form of the uniform law. A [NoiseLaw] is any other law,
// given by the probability of every state. [Bits] is a matrix of bits.
//
// # What it does
//
// [Bernoulli.ErrorRate], [Bernoulli.LogNormalizer], [Bernoulli.MeanOnes] and [Bernoulli.Moments] use the closed form or
// enumerate each independent part; [Bernoulli.Enumerate] visits all 2^{NP} states, in about a nanosecond each.
// [Bernoulli.Bound] is the bound on the error that the paper minimises.
//
// # Its privacy
//
// [Bernoulli.Under] returns the privacy for a neighbor relation ([FlipBits], [FlipRows], [FlipEdges], [FlipPatterns])
// as a privacy.Profile. It computes the smallest ε without enumerating states (loss.go, losssearch.go, branch.go,
// spend.go), and δ(ε) of small laws (hockey.go). [NoiseLaw.Under] does the same for a table. [Bernoulli.Pairs] and
// [NoiseLaw.Pairs] return the pairs of laws, for composition. [Bernoulli.ClaimedEpsilon] is the ε of Theorem 1.
// [EdgeLeakage] bounds what a released graph reveals about an edge.
//
// # Its design
//
// [Allocate] is Algorithm 1: it spends a [Budget]. [OptimizeAlpha] searches for the best share α.
//
// # Draws
//
// [Bernoulli.Noise] draws B by one of several methods, and its [Report] states whether the draws are exact;
// [Columns.Noise] uses the closed form. [Release] is the mechanism itself, [NoiseLaw.Release] the mechanism with other
// noise, and [ReleaseGraph] is Algorithm 3. Real releases take their randomness from a [CryptoSource], and every
// outcome has exactly its probability. 128 digits of a uniform number are compared with thresholds of proven error. If
// they are too close to a threshold, more digits are compared with more precise thresholds (inversion.go).
//
// What a theorem claims is an evidence.Claimed, beside the computed number. Numbers hold for the parameters given. For
// a law from [Bernoulli.ForDecimals] they also hold for the shortest decimals of the parameters.
package xor
