// Package query holds queries as the Analytic Theory paper defines them: a
// function f from a dataset metric space (D, d̄) to a value metric space (R, d).
//
// A universe supplies the datasets: unlabeled graphs under edge edits,
// histograms under bounded or unbounded neighbors, or a space given by its
// edges or its distance matrix. A query adds a value per dataset, the range
// that mechanisms may output, and the value metric.
//
// Source: G. Wu, X. Xia, Y. He, Analytic Theory to Differential Privacy,
// Sections 2 and 3.
package query
