// Package mechanism defines finite differentially private mechanisms and computes their privacy and utility.
//
// A [Mechanism] gives every dataset of a query an output distribution (a law) on the query's range. Any type with the
// methods of Mechanism can be used, inside this module or outside. [Privacy] computes its smallest ε and its privacy
// profile. [Distortion], [ExpectedDistortion] and [WorstDistortion] compute its utility, and [Compare] relates two
// mechanisms. [Release] samples it exactly. [CompareProbabilities] compares one probability with another times e^{−iε}.
//
// Two types implement Mechanism. [Layered] stores an integer layer for each dataset and value, with p^x(r) ∝
// e^{−layer·decay}: the mechanisms of [NewLayered], [NewLadder], [NewExponential] and [NewInverseSensitivity]. [Table]
// stores an enclosure of each probability: [NewLaplace] and [NewGeometric] noise rounded to the range, optimal
// mechanisms, and tables that the caller supplies ([NewFinite], [New]). [ExpSum] is a sum of powers of e^{−ε}; two sums
// can be tested for equality.
//
// Datasets and values are indices. As with a slice, an index out of range panics.
package mechanism
