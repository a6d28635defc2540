// Package smooth provides noise scaled by smooth sensitivity, and Lipschitz extensions of queries.
//
// A [Noise] is a symmetric law on the line: Cauchy-type, Student's t or Laplace. A [Calibration] is the theorem that
// scales it for ε, with its β. [NewBound] computes the smooth sensitivity S = max e^{−βt} LS_t from the local
// sensitivities at distance t. A [Mechanism] answers a finite query with f(x) + scale·S(x)·Z on the whole line. Its
// claimed ε is that of the theorem. Its expected distortion and its smallest ε are certified: the latter is the
// supremum of the log-ratio of two scaled and shifted densities, tails included. [Mechanism.OnRange] rounds outputs
// to the range, which makes a finite mechanism.
//
// [McShane] extends a query that is Lipschitz on a set of datasets to all datasets.
//
// Sources: K. Nissim, S. Raskhodnikova, A. Smith, "Smooth Sensitivity and Sampling in
// Private Data Analysis" (2007; full version 2011); M. Bun, T. Steinke, "Average-Case
// Averages: Private Algorithms for Smooth Sensitivity and Mean Estimation" (2019).
package smooth
