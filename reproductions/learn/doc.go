// Package learn holds the learners and statistics that experiments judge noise by.
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
// Answers are float64 and carry no evidence, as they are measures of an experiment, not
// statements about privacy; but for those of a support vector machine, which certifies what
// the best weights reach.
package learn
