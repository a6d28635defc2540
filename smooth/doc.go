// Package smooth scales noise by a smooth bound of the local sensitivity, and extends
// what is smooth on a part of a universe to all of it.
//
// A [Noise] is a symmetric law on the line: Cauchy-type, Student's t or Laplace. A
// [Calibration] says by which theorem it is scaled for ε, with its β; [NewBound] takes the
// local sensitivities at distance t to the smooth sensitivity S = max e^{−βt} LS_t; and a
// [Mechanism] answers a finite query with f(x) + scale·S(x)·Z. Its law is that of the whole
// line, its expected distortion certified, its ε the theorem's, and its smallest ε
// certified: the supremum of the log-ratio of two scaled and shifted densities, tails
// included. [Mechanism.OnRange] moves the outputs to the nearest value of the range, where
// all that asks finite mechanisms can ask it.
//
// [McShane] extends a query that is Lipschitz on a set of datasets to all of them.
//
// Sources: K. Nissim, S. Raskhodnikova, A. Smith, "Smooth Sensitivity and Sampling in
// Private Data Analysis" (2007; full version 2011); M. Bun, T. Steinke, "Average-Case
// Averages: Private Algorithms for Smooth Sensitivity and Mean Estimation" (2019).
package smooth
