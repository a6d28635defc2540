// Package pld composes privacy loss distributions (PLDs) in float64, with proven bounds. Grids bound a law of a privacy
// loss from above (pessimistic discretisation) or from below (optimistic discretisation). The laws are tilted and
// convolved by fast Fourier transforms, and the hockey-stick divergence is computed from the sum. All effects of
// rounding, truncated tails and wrap-around are bounded and included, so the results are an upper and a lower bound of
// the true value. docs/privacy.md has the proof.
//
// u = 2⁻⁵³ is the rounding unit. The code writes float64(x*y) + z to prevent fused multiplication, so results are the
// same on every architecture.
package pld

const u = 0x1p-53
