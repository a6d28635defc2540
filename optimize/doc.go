// Package optimize chooses mechanisms. It calibrates a family to an exact
// smallest ε, searches radii, and finds the optimal mechanism of a finite query
// with a certificate (docs/optimum.md), the tight mechanism, and the optimal law
// of the noise of an XOR release ([NewOptimalNoise]), whose privacy [NoiseLaw.Under]
// gives for any neighbors.
package optimize
