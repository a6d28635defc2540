// Package optimize chooses mechanisms (docs/optimum.md).
//
// [NewOptimal] finds the mechanism of a finite query that distorts least at an ε, or an
// (ε, δ), on average, at worst, or as an improvement of another ([Options], [Objective]): a linear
// program whose optimum comes between bounds, with a [Certificate] that anybody can
// check (program.go, rational.go, pareto.go, free.go). [RatioToOptimum] says how far a
// mechanism is from it.
//
// [NewTight] solves for one constant per output in place of one normaliser per
// input (kernel.go). [Calibrate] takes a family of mechanisms to an exact smallest
// ε. [GreedyRadii] and [ExhaustiveRadii] choose the radii of a δ-neighborhood
// mechanism.
package optimize
