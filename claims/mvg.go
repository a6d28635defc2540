package claims

import (
	"context"
	"math"
	"slices"

	"dpworkbench/evidence"
)

const (
	mvgPaper     = "MVG"
	rankOnePaper = "R1SMG"
)

// mvgClaims returns the claims of T. Chanyaswad, A. Dytso, H. V. Poor and
// P. Mittal, A differential privacy mechanism design under matrix-valued query,
// and of its follow-up R1SMG.
func mvgClaims() []Claim {
	return slices.Concat(
		singularClaims(),
		lawClaims(),
		tailClaims(),
		mvgPrivacyClaims(),
		psdClaims(),
		proofClaims(),
		exampleClaims(),
		precisionClaims(),
		mvgAllocationClaims(),
		directionalClaims(),
		entropyClaims(),
		mvgInformationClaims(),
		mvgTableClaims(),
		rankOneClaims(),
	)
}

// epsilon64 is the distance of 1 to the next float64.
const epsilon64 = 0x1p-52

// loose runs a check and adds evidence of how much the statement gives away.
func loose(check func(context.Context, *Run) (Outcome, error), items func(context.Context) ([]Item, error)) func(context.Context, *Run) (Outcome, error) {
	return func(ctx context.Context, run *Run) (Outcome, error) {
		out, err := check(ctx, run)
		if err != nil {
			return Outcome{}, err
		}
		more, err := items(ctx)
		out.Evidence = append(out.Evidence, more...)
		return out, err
	}
}

// seenRange is the range of a number over the instances visited.
type seenRange struct {
	lo, hi float64
	seen   bool
}

func (s *seenRange) see(v float64) {
	if !s.seen || v < s.lo {
		s.lo = v
	}
	if !s.seen || v > s.hi {
		s.hi = v
	}
	s.seen = true
}

// least and most report the ends. What is seen is a root or a quotient of two numbers,
// each known to 1e-12 at worst.
func (s *seenRange) least(label string) Item { return s.end(label+", least seen", s.lo) }
func (s *seenRange) most(label string) Item  { return s.end(label+", most seen", s.hi) }

func (s *seenRange) end(label string, v float64) Item {
	return numberWithin(label, v, 1e-9*math.Abs(v), "over the instances visited", "this check")
}

// numberWithin is a number known to off on either side.
func numberWithin(label string, v, off float64, method, source string) Item {
	return Item{label, evidence.Certified{Lo: v - off, Hi: v + off, Method: method, Source: source}}
}
