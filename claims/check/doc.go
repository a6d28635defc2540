// Package check is the engine of the ledger: what a claim is, how it is searched for
// a counterexample, how one is made simple, and what a witness says.
//
// claim.go holds [Claim], [Outcome] and [Witness]; paper.go reads the statements of a [Paper]
// from its file and joins them with their checks; search.go the search, [Statement]:
// a bounded family from the smallest instance up, then random instances from a seed;
// grid.go the families, flat lists of axes; combine.go the checkers made of others;
// script.go writes witnesses as script. checktest runs mutants.
package check
