package workload

import (
	"context"
	"errors"

	"dpworkbench/evidence"

	"gonum.org/v1/gonum/mat"
)

// Objective is the error of a strategy that is least.
type Objective int

const (
	// Max is the largest standard deviation of an answer.
	Max Objective = iota
	// Mean is the root of the mean variance of the answers.
	Mean
)

// String returns "max" or "mean".
func (o Objective) String() string { return [...]string{"max", "mean"}[o] }

// Options of Optimum. The zero value asks for a gap of 1e-6.
type Options struct {
	Gap float64 // relative gap between the ends at which the search stops; 0 is 1e-6
}

// Optimum is the least error of any strategy at sensitivity 1 and noise of standard deviation 1.
type Optimum struct {
	Error evidence.Certified
	// B and C are a factorisation of W with C's sensitivity at most 1 whose error is at most the upper end: BC is W
	// up to rounding, for which the upper end allows. For a Kronecker product they are nil, and Factors has the optima of
	// its factors, whose Kronecker products they would be.
	B, C    *mat.Dense
	Factors []Optimum
}

// LeastError returns the least error of w over all strategies.
func LeastError(ctx context.Context, w Workload, o Objective, p Participation, opts Options) (Optimum, error) {
	return Optimum{}, errors.New("not yet")
}
