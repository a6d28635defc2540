// Package signrp holds private random projections and private signs of random projections: DP-RP, DP-OPORP,
// DP-SignRP and iDP-SignRP (Sign projections, Appendices A to E), with the actual privacy of each.
//
// A data vector u lies in [−1, 1]^p. Its β-neighbors lie there too and differ from it in one coordinate by at most
// β. A [Projection] W maps u to the k numbers x = Wᵀu/√k. OPORP maps it to k unscaled sums of ±u_i over bins. A
// [Release] makes x private.
//
// # Files
//
//   - [NewProjection] and [NewOPORP] make a W (projection.go, oporp.go). [Projection.Apply] and the methods beside it
//     apply it, also to bytes (apply.go, applybytes.go, fours.go, gather_amd64.go). [Projection.Sensitivity] bounds
//     how far a neighbor moves x.
//   - [NewRP], [NewRaw], [NewSignRP] and [NewIndividual] make a [Release] (release.go), and [Release.Draw] draws
//     its answer for a vector (output.go).
//   - [Release.Pair], [Release.Neighbors], [Release.Ball] and [Release.Public] return its privacy, each a
//     [privacy.Profile] (threatmodel.go, and a file for each). The laws of signs are in law.go, signs and levels of
//     decimals in dots.go and decimal.go, ε of two laws in epsilon.go, δ in delta.go, and the worst neighbor in
//     sweep.go and longest.go.
//   - [GaussianPPlus], [RademacherPPlus] and [EstimatePPlus] compute P₊, the probability that a sign is within reach
//     of a neighbor. [PublishedGaussian] and [PublishedRademacher] are the published values. [ChernoffCount],
//     [BinomialCount] and [RandomWDelta] derive N₊ from P₊ (pgaussian.go, prademacher.go, phalves.go, prounded.go,
//     pestimate.go, ppublished.go, binomial.go).
//   - [Release.Variance], [InnerVariance], [AngleEstimate], [AngleVariance] and [VarianceRatio] compute utility
//     (variance.go, angle.go), [Normals] Lemma E.1. A [Search] compares releases by retrieval (retrieval.go,
//     hamming.go).
//
// # Three threat models
//
// The published statements mix three notions of privacy, which this package keeps apart and labels:
//
//   - individual ([Release.Pair], [Release.Neighbors], [Release.Ball]): W is public and fixed, and so is u; only u's
//     own neighbors count. The released bits are then independent Bernoulli variables whose parameters depend on u.
//   - public W ([Release.Public]): W is public and fixed, and every pair of neighbors in [−1, 1]^p counts. This is
//     differential privacy.
//   - random W ([RandomWDelta]): probabilities are over W too, and the adversary sees W. Its comment states what a
//     proof by counting sign changes establishes.
//
// The iDP releases have only individual privacy, and carry [IndividualLabel].
//
// The appendix refers to some algorithms without printing them. They are reconstructed; docs/signrp.md gives the
// lines from which each is inferred.
package signrp
