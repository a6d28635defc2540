// Package discretize computes layers of mechanisms (Wu et al., Definition 13), decides whether they are basic, and
// checks the effect on the instance (Theorem 1) and whether the initial values give the layers back (Theorem 3).
//
// [New] discretizes a finite mechanism at an ε, [NewLine] one of a linear query. For the resulting [Discretization],
// Initial returns the initial values (33), Extras those beyond layer 0, and IsBasic reports whether there are no
// extras. Reconstruct rebuilds the layers from the initial values by a rule, and Theorem1 compares privacy and utility
// before and after. [Guarantee] is the default ε.
//
// A value belongs to layer i of dataset x if e^{−(i+1)ε} < p^x(r)/M ≤ e^{−iε}, where M is the largest probability over
// all datasets and values. Probabilities on such a boundary are common, since mechanisms are built from powers of
// e^{−ε}. So boundaries are decided: from rational probabilities, from integer exponents, from sums of exponentials, or
// by an enclosure that excludes the boundary. If none of them decides, the result is an error wrapping
// mechanism.ErrUndecided, never a rounding.
package discretize
