// Package mvg holds the statements of T. Chanyaswad, A. Dytso, H. V. Poor and P. Mittal, A Differential Privacy
// Mechanism Design Under Matrix-Valued Query, and of its follow-up R1SMG. Claims lists them.
package mvg

import (
	_ "embed"
	"math"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

//go:embed mvg.txt
var paper string

//go:embed r1smg.txt
var rankOnePaper string

// Paper returns the contents of mvg.txt. RankOnePaper returns those of r1smg.txt, the claims of the follow-up paper.
var (
	Paper        = check.Embedded(paper)
	RankOnePaper = check.Embedded(rankOnePaper)
)

// Claims returns the claims of both papers with their checks.
func Claims() []check.Claim {
	return slices.Concat(check.Must(Paper().Checked(
		singularChecks(),
		lawChecks(),
		tailChecks(),
		mvgPrivacyChecks(),
		psdChecks(),
		proofChecks(),
		exampleChecks(),
		precisionChecks(),
		mvgAllocationChecks(),
		directionalChecks(),
		entropyChecks(),
		mvgInformationChecks(),
		mvgTableChecks(),
		evaluationChecks(),
		rivalChecks(),
		printedChecks(),
		slipChecks(),
	)), check.Must(RankOnePaper().Checked(rankOneChecks())))
}

// seenRange encloses the smallest and the largest value of a number over the visited instances.
type seenRange struct {
	low, high sigmaSpan
	seen      bool
}

// see includes an instance at which the number is in [lo, hi].
func (s *seenRange) see(lo, hi float64) {
	if !s.seen {
		s.low, s.high, s.seen = sigmaSpan{lo, hi}, sigmaSpan{lo, hi}, true
		return
	}
	s.low = sigmaSpan{math.Min(s.low.lo, lo), math.Min(s.low.hi, hi)}
	s.high = sigmaSpan{math.Max(s.high.lo, lo), math.Max(s.high.hi, hi)}
}

func (s *seenRange) least(label string) check.Item { return s.low.item(label + ", least seen") }
func (s *seenRange) most(label string) check.Item  { return s.high.item(label + ", most seen") }

func (s sigmaSpan) item(label string) check.Item {
	return check.Item{Label: label, Number: evidence.Certified{Lo: s.lo, Hi: s.hi, Provenance: evidence.From("this check").By("over the instances visited")}}
}

// numberWithin returns v as an item of evidence with an error of at most off.
func numberWithin(label string, v, off float64, method, source string) check.Item {
	return check.Item{Label: label, Number: evidence.Certified{Lo: v - off, Hi: v + off, Provenance: evidence.From(source).By(method)}}
}
