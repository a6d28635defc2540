// Package query defines finite queries as the Analytic Theory paper does: a function f from a dataset metric space
// (D, d̄) to a value metric space (R, d).
//
// A [Space] is a set of datasets with their metric. [Graphs] is the universe of unlabeled graphs, where neighbors
// differ by one edge. [Histograms] is the universe of histograms under the add/remove or the replace relation.
// [NewPathSpace] and [NewRationalSpace] build a space from edges or a distance matrix. [Space.DistanceTransform]
// computes the layers of layered mechanisms, as a [LayerTable]. [Space.SensitivityAtDistance] computes the local
// sensitivities at each distance.
//
// A [Query] assigns a value to each dataset. It has the range of values that mechanisms may output, and a value
// metric ([Metric]). Distances are integer steps of a unit whenever possible. A [Value] is a number, a fraction, a
// name or counts, and is never rounded.
//
// Datasets are the numbers 0 … Size()−1, and values are indices in the range. As with a slice, an index out of
// range panics. Other invalid arguments give an error wrapping evidence.ErrParameter.
//
// The enumeration of graphs is in graphuniverse.go (the universe), graphlevel.go (graphs by number of edges),
// graphhash.go (isomorphism-invariant hashes), canonicallabelling.go (least codes), packedrows.go (compressed
// neighbor lists) and subgraph.go (pattern counts).
//
// Source: G. Wu, X. Xia, Y. He, Analytic Theory to Differential Privacy, Sections 2 and 3.
package query
