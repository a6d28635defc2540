// Package discretize turns mechanisms into layers (Wu et al., Definition 13),
// tells whether they are basic, and checks on the instance what that costs
// (Theorem 1) and whether the initial values give the layers back (Theorem 3).
//
// [New] discretizes a finite mechanism at an ε, [NewLine] one of a linear query. Of the
// [Discretization] that comes out, Initial and Extras are the initial values (33),
// IsBasic says whether those of layer 0 are enough, Reconstruct rebuilds the layers
// from them by a rule, and Theorem1 compares privacy and utility before and after.
// [Guarantee] is the ε at which a mechanism is discretized by default.
//
// A value belongs to layer i of dataset x where e^{−(i+1)ε} < p^x(r)/M ≤ e^{−iε},
// M being the largest probability over all datasets and values. Probabilities on
// such a boundary are common, since mechanisms are built from powers of e^{−ε}, so
// boundaries are decided: from rational probabilities, from whole exponents, from
// sums of exponentials, or by an enclosure that excludes the boundary. What none
// of them can decide is an error wrapping mechanism.ErrUndecided, never a rounding.
package discretize
