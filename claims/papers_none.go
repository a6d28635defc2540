//go:build noclaims

package claims

import "dpworkbench/claims/check"

// A program for the browser is built without the checks, which are a fifth of its size. The site has a second one
// with them.

func statements() []check.Claim { return nil }

func papers() []Paper { return nil }

// Field returns no statements.
func Field() []check.Claim { return nil }

// FieldPaper returns a paper without statements.
func FieldPaper() Paper { return Paper{Key: fieldKey} }
