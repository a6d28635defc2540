// Package learn holds the few statistical routines that the papers' experiments
// use: kernel ridge regression, covariance, principal components.
package learn
