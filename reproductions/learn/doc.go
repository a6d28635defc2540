// Package learn holds the learners and statistics with which experiments evaluate noise.
//
// [FitRidge] is kernel ridge regression (ridge.go), [FitLogistic] logistic regression,
// whose objective [NoiseObjective] perturbs (logistic.go). [FitSVM] is the linear support
// vector machine (svm.go), with bounds from its duality gap (svmbounds.go). [Gram], [Components],
// [LostVariance] and [ResidualSum] are principal components and what is lost when
// they come from a noisy matrix (components.go). [Renumber] makes a graph of pairs of
// numbers (renumber.go), [DescribeGraph] computes its statistics (graphstat.go).
// [DegreeDivergence] compares the degrees of two graphs, [RandomDivergence] those of one
// with an Erdős–Rényi graph's (degrees.go), which [RandomGraph] and [RandomPairs] draw
// (randomgraph.go); [FitPowerLaw] is their exponent (powerlaw.go). [FitBigclam] finds
// communities (bigclam.go, affiliation.go) and [AverageF1] compares them (communities.go).
//
// Results are float64 without evidence, because they measure experiments and say nothing about privacy. Support vector
// machines are an exception: their duality gap certifies the optimum.
package learn
