// Package program computes the output laws and the privacy of mechanisms written as algorithms, and for which ε
// they are private.
//
// A [Program] runs a function once for every outcome of its coins and comparisons (noise.go, paths.go). Draws of
// unbounded noise stay symbolic: a [SymbolicDraw] is an integer combination of them (symbolicdraw.go). Comparisons
// (comparison.go) restrict their ranges (cut.go, feasible.go). A run's weight is summed in closed form, by message
// passing on a tree (treesums.go, summand.go), to polynomials and fractions in units of e^{−ε} (laurent.go,
// fraction.go, rates.go). An [Output] has a law at every dataset (law.go, cells.go, written.go).
//
// The largest ratio of an output's probabilities at neighbors (ratios.go) gives the smallest ε (smallest.go). If ε
// is symbolic, [Decision] tells for which ε > 0 a claim holds, by the roots of the ratios' polynomials (decide.go,
// sign.go). [Limits] bound the enumeration.
package program
