// Package symmetric computes with small symmetric matrices: sums, changes of basis, enclosures of products, and proven
// upper bounds on eigenvalues. Its bounds are tight relative to the largest entries; package definite encloses
// inverses and determinants of ill-conditioned matrices.
package symmetric
