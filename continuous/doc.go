// Package continuous provides linear queries on the real line, the mechanisms that answer them, and the K-norm
// mechanism on the line and in the plane.
//
// A [Linear] query is given by its neighboring set V, a [Set] of intervals and points with rational ends (Wu et al.,
// Definition 9). The laws of a [Mechanism] at different datasets differ only by a shift, so its noise, the output
// minus f(x), describes it: [Laplace], [Geometric], [Staircase], [Gaussian] and [DiscreteGaussian] in closed form,
// and [Layered] from layers. [KNorm] is noise in the plane; the corners of its norm's unit ball are [Point]s. Ends,
// layers and corners are rational. Moments, densities and normalisers are exact if e^{−ε} is rational, and certified
// otherwise (amount.go).
//
// A [Sequence] computes the layers R_0, R_1, … of a purest or δ-neighborhood mechanism until they are periodic, and
// sums them to infinity in closed form. A [Layered] mechanism is a sequence with a decay ([NewPurest],
// [NewDeltaNeighborhood], [NewLayered]). [Sequence.Certify] checks Corollary 5 on the computed layers. A [Cache]
// stores sequences by radius. [Sequence.Curve], [Grid] and [BestRadii] sweep decays and radii in float64. ring.go
// stores layers on a circle, with the integers of progressions.go; profile.go and sums.go compute their weights;
// sampler.go samples.
//
// Sources: G. Wu, X. Xia, Y. He, Analytic Theory to Differential Privacy, Sections 3.4, 5.1 and 5.3; Q. Geng and P.
// Viswanath 2016; M. Hardt and K. Talwar 2010. docs/realline.md derives the sums and their bounds.
package continuous
