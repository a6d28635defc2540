// Package query holds queries as the Analytic Theory paper defines them: a
// function f from a dataset metric space (D, d̄) to a value metric space (R, d).
//
// A [Space] is the datasets with their metric. Universes bring one: [Graphs],
// unlabeled graphs under edge edits (graphs.go; graphgrow.go enumerates them, by the keys
// of graphkey.go and the least codes of graphcanon.go, graphpack.go keeps who their
// neighbors are in few bits, subgraph.go counts patterns), and [Histograms] under bounded or
// unbounded neighbors. One's own comes from its edges or its distance matrix
// ([NewPathSpace], [NewRationalSpace]). [Space.DistanceTransform] and [Space.SensitivityAtDistance] are the
// two searches that mechanisms need; the layers of the first are a [LayerTable] (spread.go, between
// graphs tiers.go).
//
// A [Query] adds a value per dataset, the range that mechanisms may output, and
// the value metric ([Metric]), in whole steps of a unit wherever there is one. A
// [Value] is a number, a fraction, a name or counts, and is never rounded.
//
// Datasets are the numbers 0 … Size()−1 and values are named by their place in the
// range; methods take them as a slice takes an index, and panic where they are out
// of range. All else that does not fit is an error wrapping evidence.ErrParameter.
//
// Source: G. Wu, X. Xia, Y. He, Analytic Theory to Differential Privacy,
// Sections 2 and 3.
package query
