// Package signrp holds private random projections and private signs of random
// projections: DP-RP, DP-OPORP, DP-SignRP and iDP-SignRP (Sign projections,
// Appendices A to E), with the privacy that each of them really has.
//
// A data vector u lies in [−1, 1]^p. Its β-neighbors lie there too and differ
// from it in one coordinate by at most β. A [Projection] W takes u to the k
// numbers x = Wᵀu/√k; OPORP takes it to k sums of ±u_i over bins, unscaled. A
// [Release] makes x private.
//
// # Map
//
//   - [NewProjection] and [NewOPORP] make a W (projection.go, oporp.go);
//     [Projection.Apply] and its kin apply it, to bytes too (apply.go,
//     applybytes.go, dotbytes.go, pairs.go, gather_amd64.go), and [Projection.Sensitivity] says
//     how far a neighbor moves x.
//   - [NewRP], [NewRaw], [NewSignRP] and [NewIndividual] make a [Release]
//     (release.go), and [Release.Release] draws its answer for a vector (output.go).
//   - [Release.Pair], [Release.Neighbors], [Release.Ball] and [Release.Public] tell
//     its privacy, each a [privacy.Profile] (reading.go, and a file for each). The laws
//     of signs are in law.go, signs and levels of decimals in dots.go and decimal.go,
//     ε of two laws in epsilon.go, δ in delta.go and deltanormal.go, the worst of
//     all neighbors in sweep.go and longest.go.
//   - [GaussianPPlus], [RademacherPPlus] and [EstimatePPlus] find P₊, the chance that
//     a sign is within reach of a neighbor, beside [PublishedGaussian] and
//     [PublishedRademacher]; [ChernoffCount], [BinomialCount] and [RandomWDelta] go on
//     from it to N₊ (pgaussian.go, prademacher.go and the other files in p,
//     binomial.go).
//   - [Release.Variance], [InnerVariance], [AngleEstimate], [AngleVariance] and
//     [VarianceRatio] tell utility (variance.go, angle.go), [Normals] Lemma E.1, and a
//     [Search] judges releases by retrieval (retrieval.go, hamming.go).
//
// # Three readings of privacy
//
// The published statements mix three things, which this package keeps apart and
// labels:
//
//   - individual ([Release.Pair], [Release.Neighbors], [Release.Ball]): W is public
//     and fixed, and so is u; only u's own neighbors count. The released bits are
//     then independent Bernoulli variables whose parameters depend on u.
//   - public W ([Release.Public]): W is public and fixed, and every pair of
//     neighbors in [−1, 1]^p counts. This is differential privacy.
//   - random W ([RandomWDelta]): probabilities are over W too, and W is part of
//     what the adversary sees. What a proof by counting sign changes establishes
//     here is stated there.
//
// The iDP releases have only the first reading, and carry [IndividualLabel].
//
// The algorithms that the appendix refers to but does not print are
// reconstructed; docs/signrp.md gives the lines each is inferred from.
package signrp
