// Package optimize chooses mechanisms (docs/optimum.md).
//
// [NewOptimal] finds the mechanism of a finite query with the least distortion at an ε, or an (ε, δ): on average, in
// the worst case, or as an improvement of another mechanism ([Options], [Objective]). It solves a linear program and
// encloses its optimum, with a [Certificate] that can be checked independently (program.go, rational.go, pareto.go,
// free.go). [RatioToOptimum] compares a mechanism with the optimum.
//
// [NewTight] solves for one constant per output instead of one normaliser per input (kernel.go). [Calibrate] finds the
// member of a family of mechanisms with a given smallest ε. [GreedyRadii] and [ExhaustiveRadii] choose the radii of a
// δ-neighborhood mechanism.
package optimize
