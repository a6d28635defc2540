// Package check is the engine of the ledger of claims. It defines claims, searches for counterexamples,
// minimises them, and writes them as witnesses.
//
// claim.go holds [Claim], [Outcome] and [Witness]. paper.go reads the statements of a [Paper] from its file
// and joins them with their checks. search.go holds [Statement] and its search, which visits a bounded
// family, small instances first, and then seeded random instances. grid.go builds families from lists of
// axes, combine.go combines checkers, and script.go writes witnesses as script. Its subpackage checktest
// tests the claims: their outcomes, families and mutants.
package check
