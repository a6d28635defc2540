// Package audit judges an implementation of differential privacy from outside:
// from an explicit table of output laws, or from samples of its outputs.
//
// A [Table] is judged exactly. The smallest ε at a given δ is the largest, over
// neighbors x, x' in both directions and over events S, of
// ln((P(S) − δ)/Q(S)), P and Q being the laws at x and x'; the largest event is
// found by sorting the likelihood ratios (Dwork and Roth, The Algorithmic
// Foundations of Differential Privacy, 2014, Definition 2.4; Neyman and Pearson
// 1933). It can confirm or refute a claim for the neighbors it is given.
//
// [Samples] give a lower bound on ε that holds with a stated confidence: events
// are chosen on one half of the draws and their probabilities bounded on the
// other half by Clopper and Pearson (1934). They can refute a claim, never
// confirm it.
//
// # Map
//
//   - [ReadCSV], [ReadJSON] and [NewInput] read either (csv.go, json.go, input.go),
//     [Table.Add] and [Samples.Add] fill them; [ParseNumber] says which numbers are
//     taken as rounded. Datasets and outputs go by name (names.go), a [Pair] of
//     names is two neighbors (neighbors.go).
//   - [Table.Audit] judges a [Claim] (exact.go): ε by the largest event (invert.go),
//     δ at ε (exactdelta.go). [Table.Privacy] is the table as a [privacy.Profile]
//     (curve.go).
//   - [Samples.Audit] does as [Sampling] says (sampling.go): it groups numbers
//     (bins.go), splits the draws (split.go), chooses events (choose.go) and bounds
//     them (bounds.go, binomial.go).
//   - A [Result] has the verdict, and a [Witness] with a line of script that shows
//     the same (result.go, script.go). [Plan] tells how many draws an audit needs.
//   - [Mean] and [MeanWithin] are intervals for the mean of any measure of what was
//     drawn (mean.go).
package audit
