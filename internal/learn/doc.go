// Package learn holds the learners and statistics that experiments judge noise
// by: ridge and logistic regression, principal components, graph statistics.
package learn
