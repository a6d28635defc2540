// Package mechanism says what a finite mechanism is, and answers what can be asked of
// any.
//
// A [Mechanism] is a law on the range of a query for each dataset.
// Any type with its methods is one, inside this module or outside. [Privacy] gives
// its smallest ε and its profile, [Distortion], [ExpectedDistortion] and
// [WorstDistortion] its utility, [Compare] sets it against another, and [Release]
// draws from it for research. [CompareProbabilities] decides how a probability compares with
// another times e^{−iε}.
//
// Two types serve all of them. [Layered] laws are integer levels with
// p^x(r) ∝ e^{−level·unit}: layered mechanisms, [NewLadder], [NewExponential] and
// [NewInverseSensitivity]. [Table] laws are enclosed probabilities: [NewLaplace] and
// [NewGeometric] noise moved to the range, optimal mechanisms, and what is written
// down ([NewFinite]). [ExpSum] holds sums of powers of e^{−ε} whose equality can be
// decided.
//
// Datasets and places in the range are taken as a slice takes an index, and panic
// where they are out of range.
package mechanism
