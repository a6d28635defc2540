// Package symmetric is arithmetic on small symmetric matrices: sums, changes of basis,
// enclosures of products, and proven upper bounds on eigenvalues. The proofs allow for
// rounding relative to the largest entries; for inverses and determinants of
// ill-conditioned matrices there is package definite.
package symmetric
