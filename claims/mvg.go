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

// seenRange encloses the least and the most of a number over the instances visited.
type seenRange struct {
	low, high sigmaSpan
	seen      bool
}

// see takes an enclosure of the number at an instance.
func (s *seenRange) see(lo, hi float64) {
	if !s.seen {
		s.low, s.high, s.seen = sigmaSpan{lo, hi}, sigmaSpan{lo, hi}, true
	}
	s.low = sigmaSpan{math.Min(s.low.lo, lo), math.Min(s.low.hi, hi)}
	s.high = sigmaSpan{math.Max(s.high.lo, lo), math.Max(s.high.hi, hi)}
}

func (s *seenRange) least(label string) Item { return s.low.item(label + ", least seen") }
func (s *seenRange) most(label string) Item  { return s.high.item(label + ", most seen") }

func (s sigmaSpan) item(label string) Item {
	return Item{label, evidence.Certified{Lo: s.lo, Hi: s.hi, Method: "over the instances visited", Source: "this check"}}
}

// numberWithin is a number known to off on either side.
func numberWithin(label string, v, off float64, method, source string) Item {
	return Item{label, evidence.Certified{Lo: v - off, Hi: v + off, Method: method, Source: source}}
}
