// Package privacy computes the privacy of mechanisms, designs, laws and releases, and of their compositions.
//
// A [Pair] is the two laws of an output at neighboring datasets, represented by the privacy loss: a [DiscretePair] has
// finitely many outputs, [Normal] and [Laplace] are laws in closed form, and [Continuous] is a pair of laws given by
// functions. [DominatingPairs] holds the pairs of a mechanism for all neighbors; the packages of mechanisms construct
// it (mechanism.Pairs, continuous.Mechanism, …). [ApproxDP] returns the pairs that dominate every (ε, δ)-private
// mechanism. An [Account] is the privacy of one use ([New], [Of]) or of many ([Compose]). It is a [Profile], with Rényi
// divergences, zero-concentrated and Gaussian privacy, the trade-off function and the worst pair of neighbors.
// docs/privacy.md has definitions and proofs.
//
// [EpsilonAt] inverts a profile δ(ε). [PureDelta] is the profile of a mechanism known only to be ε-private, and
// [ProfileFunc] makes a profile of functions.
//
// The answers of one pair are in discretepair.go and closedform.go, and the answers of a product of pairs in
// composition.go. A product is computed exactly (rationalpmf.go), from few outputs (meetinthemiddle.go), on a lattice
// of losses (losspmf.go, tailsums.go), or in float64 with proven errors (float64.go, internal/pld). Subsampling is in
// subsample.go and subsampledpair.go. float64 bounds select the candidates for the worst pair (screen.go, pairs.go).
// The corners of the trade-off function are in roc.go, tangents.go and tradeoff.go.
package privacy
