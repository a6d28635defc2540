// Package program takes mechanisms as they are written, as algorithms, and finds their laws, their privacy and for
// which ε they are private.
//
// A [Program] runs a function once for every way its coins and draws can fall (noise.go, paths.go). Draws of unbounded
// noise stay symbols: an [Unknown] is a whole combination of them (unknown.go), comparisons (comparison.go) cut where they lie
// (cut.go, feasible.go), and a run's weight is summed in closed form, tree by tree (forest.go, summand.go), to
// polynomials and fractions in units of e^{−ε} (laurent.go, fraction.go, rates.go). An [Output] has a law at every
// dataset (law.go, cells.go, written.go).
//
// Of the ratios of an output's probabilities at neighbors (ratios.go) the largest is the smallest ε (smallest.go). Where
// ε is a symbol, [Decision] says for which of all ε > 0 a promise holds, by the roots of the ratios' polynomials
// (decide.go, sign.go). [Limits] bound what is enumerated.
package program
