// Package privacy has the one notion that every mechanism, design, law and
// release answers in, and what many uses of them cost.
//
// A [Pair] is the two laws of an output at neighboring datasets, seen through the
// privacy loss: [Losses] of finitely many outputs, [Normal] and [Laplace] laws, [Independent]
// parts, and [Continuous] laws of one's own. A [Family] is the pairs of a mechanism, one for each two neighbors; rooms give theirs
// (mechanism.Pairs, continuous.Pairs, …), and [Known] is that of anything that is (ε, δ)-private. An [Account] is
// one use of a family ([New]) or many ([Compose]): a [Curve] that also tells Rényi divergences,
// zero-concentrated and Gaussian privacy, the trade-off function and where most is
// revealed. docs/privacy.md has the definitions and proofs.
//
// A room that knows a curve in one direction gets the other from [EpsilonAt],
// and what is known of a mechanism that is ε-private alone from [PureDelta]. A
// [Profile] is a curve made of both: a smallest ε and, where there is one, a δ(ε).
//
// Answers of one pair are in losses.go and smooth.go, its rungs in laid.go; products of pairs in product.go: exactly (exact.go), by few outputs (halves.go), or by laws of
// sums of losses (ladder.go, sums.go) on a lattice or on grids (grids.go, spread.go), over the losses by splitting (bins.go) and under them by
// merging (cells.go, cellmass.go), coarser as sums widen (coarsen.go). Records that are drawn first are in subsample.go and blend.go. The worst pair is found by
// bounds in float64 (rough.go, pairs.go); corners of the trade-off function are in roc.go, tangents.go and tradeoff.go.
package privacy
