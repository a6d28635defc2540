// Package records builds mechanisms at one dataset of real records, or at one real graph, whose universe of datasets is
// too large to list.
//
// A [Query] knows f(x) and how far t changes of x can move it up and down. These moves determine its layers: the layer
// L^x(r) is the least t that reaches r. [New] takes numbers, [NewCategories] names, and [NewGraph] a graph; the methods
// of these datasets return queries. If Query.Exact is true, the layers are the distances themselves. Otherwise they are
// bounds: sets A_t(x) that contain the values within t changes, with A_t(x′) ⊆ A_{t+1}(x) for neighbors x, x′. So
// layers of neighbors differ by at most 1, which is all that Proposition 3 of Wu et al. needs. docs/records.md has the
// proofs.
//
// A [Law] is the output law of a mechanism at this dataset: [NewPurest], [NewDeltaNeighborhood], [NewLadder],
// [NewLaplace], [NewExponential], [NewStaircase], and for modes [NewPermuteAndFlip]. Its ε is claimed: it follows from
// a theorem about all datasets, which one dataset cannot test. [Verify] tests the claim on every dataset of a small
// universe, with the same code.
package records
