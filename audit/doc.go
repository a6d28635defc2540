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
package audit
