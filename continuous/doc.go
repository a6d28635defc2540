// Package continuous holds what lives on the real line and in the plane: linear
// queries, the mechanisms that answer them, and the K-norm mechanism.
//
// A [Linear] query is known by its neighboring set V, a [Set] of intervals and points
// with rational ends (Wu et al., Definition 9). A [Mechanism] of it has one law for
// every dataset up to a shift, and so is described by its noise, the output minus
// f(x): [Laplace], [Geometric], [Staircase], [Gaussian] and
// [DiscreteGaussian] in closed form, and [Layered] from layers. [KNorm] is noise in the plane, with the corners of its norm's
// unit ball as [Point]s. All arithmetic on ends, layers and corners is rational;
// moments, densities and normalisers are exact where e^{−ε} is rational, and certified
// elsewhere (amount.go).
//
// A [Sequence] follows the layers R_0, R_1, … of a purest or δ-neighborhood mechanism
// until they repeat, and sums them to infinity in closed form; a [Layered] mechanism is
// such a sequence at a decay ([NewPurest], [NewDeltaNeighborhood], [NewLayered]).
// [Sequence.Certify] checks Corollary 5 on the layers as they were computed, and a
// [Cache] keeps them by radius. [Sequence.Curve], [Grid] and [BestRadii] sweep decays
// and radii in float64. ring.go holds the layers on a circle, in the arithmetic of
// scale.go; profile.go and sums.go what they weigh; sampler.go draws from them.
//
// Sources: G. Wu, X. Xia, Y. He, Analytic Theory to Differential Privacy, Sections 3.4,
// 5.1 and 5.3; Q. Geng and P. Viswanath 2016; M. Hardt and K. Talwar 2010. How the sums
// and their bounds come about stands in docs/realline.md.
package continuous
