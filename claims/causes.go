package claims

import (
	"slices"

	"dpworkbench/claims/analytic"
	"dpworkbench/claims/check"
	"dpworkbench/claims/mvg"
	"dpworkbench/claims/signrp"
	"dpworkbench/claims/xor"
)

// Causes returns the errors that make statements false, by paper.
func Causes() []check.Cause {
	return slices.Concat(analytic.Causes(), mvg.Causes(), xor.Causes(), signrp.Causes())
}

// Unjudged returns the statements that have no claim, by paper, with reasons.
func Unjudged() []check.Unjudged {
	return slices.Concat(analytic.Unjudged(), mvg.Unjudged(), xor.Unjudged(), signrp.Unjudged())
}
