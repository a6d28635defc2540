// Package learn holds the learners and statistics that experiments judge noise by.
//
// [FitRidge] is kernel ridge regression (ridge.go), [FitLogistic] logistic regression,
// whose objective [NoiseObjective] perturbs (logistic.go). [Gram], [Components],
// [LostVariance] and [ResidualSum] are principal components and what is lost when
// they come from a noisy matrix (components.go). [Renumber] makes a graph of pairs of
// numbers (renumber.go), [DescribeGraph] computes its statistics, and
// [DegreeDivergence] compares the degrees of two (graphstat.go).
//
// Answers are float64 and carry no evidence: they are measures of an experiment, not
// statements about privacy.
package learn
