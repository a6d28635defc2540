// Package pld composes privacy loss distributions (PLDs) in float64, with proven
// bounds. A law of a privacy loss is bounded on a grid, from above by a pessimistic
// discretisation or from below by an optimistic one; the laws are tilted, convolved by
// fast Fourier transforms, and the hockey-stick divergence is read from the sum. All that
// rounding, cut tails and wrap-around can change is bounded and counted: the results are
// an upper and a lower bound of what real arithmetic would give. docs/privacy.md has the
// proof.
//
// u = 2⁻⁵³ is the rounding unit. No product and sum are fused: float64(x*y) + z rounds
// twice on every architecture.
package pld

const u = 0x1p-53
