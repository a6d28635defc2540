package claims

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/evidence"
)

const xorPaper = "XOR"

// xorClaims returns the claims of the XOR mechanism's paper.
func xorClaims() []Claim {
	return slices.Concat(
		xorLawClaims(),
		xorSamplerClaims(),
		xorMatrixClaims(),
		xorFamilyClaims(),
		xorPrivacyClaims(),
		xorTraceClaims(),
		xorAllocationClaims(),
		xorShareClaims(),
		xorBlockClaims(),
		xorUtilityClaims(),
		xorBoundClaims(),
		xorGraphClaims(),
		xorLeakageClaims(),
		xorFigureClaims(),
	)
}

// surveyed runs a check and, where it refutes, says at how many instances of the
// bounded family the statement fails.
func surveyed[I any](s statement[I]) func(context.Context, *Run) (Outcome, error) {
	return func(ctx context.Context, run *Run) (Outcome, error) {
		out, err := s.check(ctx, run)
		if err != nil || out.Verdict != evidence.Refuted || s.each == nil {
			return out, err
		}
		failures, total := int64(0), uint64(0)
		for i := range s.each {
			if err := ctx.Err(); err != nil {
				return Outcome{}, err
			}
			ok, err := s.holds(i)
			if err != nil {
				return Outcome{}, err
			}
			total++
			if !ok {
				failures++
			}
		}
		out.Evidence = append(out.Evidence, Item{
			fmt.Sprintf("failures among the %d instances of the family: %s", total, s.family),
			evidence.Exact{Value: big.NewRat(failures, 1), Cases: total, Source: "counted"},
		})
		return out, nil
	}
}

// ratioRange keeps the least and the greatest of the ratios that a check sees.
type ratioRange struct {
	least, greatest evidence.Certified
	seen            bool
}

func (r *ratioRange) see(ratio evidence.Certified) {
	if !r.seen || ratio.Lo < r.least.Lo {
		r.least = ratio
	}
	if !r.seen || ratio.Hi > r.greatest.Hi {
		r.greatest = ratio
	}
	r.seen = true
}

// measuring runs a check that sees ratios, and reports their range: how loose a
// bound is over the instances visited.
func measuring(what string, build func(*ratioRange) func(context.Context, *Run) (Outcome, error)) func(context.Context, *Run) (Outcome, error) {
	return func(ctx context.Context, run *Run) (Outcome, error) {
		var r ratioRange
		out, err := build(&r)(ctx, run)
		if err == nil && r.seen {
			out.Evidence = append(out.Evidence, Item{what + ", least visited", r.least}, Item{what + ", greatest visited", r.greatest})
		}
		return out, err
	}
}

// boolean writes a truth value as script.
func boolean(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

// ratio returns a/b.
func ratio(a, b int) *big.Rat { return big.NewRat(int64(a), int64(b)) }
