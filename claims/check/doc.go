// Package check is the engine of the ledger. It defines claims, searches for counterexamples, minimises them, and
// writes witnesses.
//
// claim.go holds [Claim], [Outcome] and [Witness]. paper.go reads the statements of a [Paper] from its file and
// joins them with their checks. search.go holds the search, [Statement]: a bounded family from the smallest
// instance up, then random instances from a seed. grid.go builds families from lists of axes, combine.go combines
// checkers, and script.go writes witnesses as script. checktest runs mutants.
package check
