// Package xor computes with the XOR mechanism, M(D) = f(D) ⊕ B for a query with
// values in {0, 1}^{N×P} and matrix-valued Bernoulli noise B. Numbers of
// definitions, theorems and equations are those of the mechanism's paper ("The
// exclusive or mechanism", with Algorithm 1 to 3 and Theorems 1 to 4).
//
// # The law of the noise
//
// A [Bernoulli] is the quadratic law Pr[B = b] ∝ exp(bᵀΠb) on the NP bits of
// vec(Bᵀ), so that bit (i, j) of B is bit i·P + j of b, with
// Π = I_N ⊗ Θ + Σ_{i≠j} J_ij ⊗ Λ_ij (equation 3): [NewBernoulli] from blocks,
// [NewUniform] where Θ = θI and every Λ_ij = λI. [Columns] is the closed form of
// the latter. A [NoiseLaw] is any other law, state by state. [Bits] is a matrix of bits.
//
// # What it does
//
// [Bernoulli.ErrorRate], [Bernoulli.LogNormalizer], [Bernoulli.MeanOnes] and
// [Bernoulli.Moments] take the closed form or enumerate each independent part;
// [Bernoulli.Enumerate] visits all 2^{NP} states, about a nanosecond each.
// [Bernoulli.Bound] is what the paper minimises instead.
//
// # Its privacy
//
// [Bernoulli.Under] gives the privacy for a neighbor relation ([FlipBits],
// [FlipRows], [FlipEdges], [FlipPatterns]) as a privacy.Profile: the smallest ε
// without the states, in loss.go, losssearch.go, branch.go and spend.go, and δ(ε)
// of small laws, in hockey.go; [NoiseLaw.Under] does for a table. [Bernoulli.Pairs] and
// [NoiseLaw.Pairs] give the laws of the loss themselves, which uses are composed by.
// [Bernoulli.ClaimedEpsilon] is what Theorem 1 promises. [EdgeLeakage] is what a release of a graph tells of an edge.
//
// # Its design
//
// [Allocate] is Algorithm 1: it spends a [Budget]. [OptimizeAlpha] searches the share α.
//
// # Draws
//
// [Bernoulli.Noise] draws B by one of several methods and says in a [Report] how
// exact they are; [Columns.Noise] is a closed form. [Release] is the mechanism itself,
// [NoiseLaw.Release] the same for other noise, and [ReleaseGraph] is Algorithm 3. Real
// releases take their randomness from a [CryptoSource], and every outcome has exactly its probability: 128 digits of a
// uniform number are compared with thresholds of proven error, and where they fall too
// near to one, in inversion.go, more digits with closer thresholds.
//
// Nothing a theorem promises is taken on trust: promises are evidence.Claimed,
// and stand beside what is computed. Numbers hold for the parameters given and,
// where a law was read so ([Bernoulli.ForDecimals]), for their shortest decimals.
package xor
