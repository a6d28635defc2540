//go:build !noclaims

package claims

import (
	"slices"

	"dpworkbench/claims/analytic"
	"dpworkbench/claims/check"
	"dpworkbench/claims/field"
	"dpworkbench/claims/mvg"
	"dpworkbench/claims/signrp"
	"dpworkbench/claims/xor"
)

// statements returns the claims of every paper, in any order.
func statements() []check.Claim {
	return slices.Concat(analytic.Claims(), mvg.Claims(), xor.Claims(), signrp.Claims())
}

// papers returns the papers, in the order in which All lists their claims.
func papers() []Paper {
	return []Paper{*analytic.Paper(), *mvg.Paper(), *mvg.RankOnePaper(), *xor.Paper(), *signrp.Paper()}
}

// Field returns the statements outside the papers, which All leaves out: of textbooks, other papers and packages.
func Field() []check.Claim { return field.Claims() }

// FieldPaper returns the paper-level texts of the statements of Field.
func FieldPaper() Paper { return *field.Paper() }
