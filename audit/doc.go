// Package audit tests an implementation of differential privacy as a black box: from an explicit table of output
// laws, or from samples of its outputs.
//
// A [Table] is evaluated exactly. The smallest ε at a given δ is the maximum of ln((P(S) − δ)/Q(S)) over neighbors
// x, x' in both directions and over events S, where P and Q are the laws at x and x'. The maximising event is found
// by sorting the likelihood ratios (Dwork and Roth, The Algorithmic Foundations of Differential Privacy, 2014,
// Definition 2.4; Neyman and Pearson 1933). A table can confirm or refute a claim for the given neighbors.
//
// [Samples] give a lower bound on ε that holds with a stated confidence. Events are chosen on one half of the
// draws, and their probabilities bounded on the other half by Clopper and Pearson (1934). Samples can refute a
// claim, never confirm it.
//
// # Files
//
//   - [ReadCSV] and [NewInput] read either (csv.go, input.go), and [Table.Add] and [Samples.Add]
//     fill them. [ParseNumber] decides which numbers are rounded. Datasets and outputs have names (names.go); a
//     [Pair] of names is two neighbors (neighbors.go).
//   - [Table.Audit] tests a [Claim] (exact.go): ε by the maximising event (invert.go), δ at ε (exactdelta.go).
//     [Table.Privacy] is the table as a [privacy.Profile] (curve.go).
//   - [Samples.Audit] is configured by [Sampling] (sampling.go). It groups numbers (bins.go), splits the draws
//     (split.go), chooses events (choose.go) of the outputs and their features (features.go), and bounds them
//     (bounds.go, binomial.go).
//   - A [Result] has the verdict, and a [Witness] with a script line that reproduces it (result.go, script.go).
//     [Plan] computes the number of draws that an audit needs.
//   - [Mean] and [MeanWithin] are confidence intervals for the mean of any measure of the draws (mean.go).
package audit
