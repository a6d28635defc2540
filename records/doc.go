// Package records builds mechanisms at one dataset of real records, or at one real
// graph, where the universe of all datasets cannot be listed.
//
// A [Query] knows f(x) and how far t changes of x can move it, up and down: that is
// where its layers are, L^x(r) the least t that reaches r. [New] takes numbers,
// [NewCategories] names, [NewGraph] a graph; their methods are the queries. Where
// Query.Exact says so the layers are the distances themselves; elsewhere they are bounds,
// A_t(x) ⊇ the values within t changes with A_t(x′) ⊆ A_{t+1}(x) for neighbors x, x′, so
// that layers of neighbors differ by at most 1, which is all that Proposition 3 of Wu et
// al. needs. docs/records.md has the proofs.
//
// A [Law] is what a mechanism outputs at that dataset: [NewPurest], [NewDeltaNeighborhood],
// [NewLadder], [NewLaplace], [NewExponential], [NewStaircase], for modes [NewPermuteAndFlip].
// Its ε is claimed, by a theorem on all datasets that one dataset cannot test. [Verify]
// tests it on every dataset of a small universe, with the same code.
package records
