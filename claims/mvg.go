package claims

import (
	"context"
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
		mvgPrivacyClaims(),
		mvgAllocationClaims(),
		mvgInformationClaims(),
		mvgTableClaims(),
		[]Claim{{
			ID: "r1smg", Paper: rankOnePaper, Place: "Abstract",
			Statement:  "rank-one Gaussian noise of variance 2Δ²/(εψ) is (ε, δ)-private in every dimension above 2",
			Hypotheses: "ψ = (δ Γ((M−1)/2)/(√π Γ(M/2)))^{2/(M−2)}",
			Recorded:   evidence.Refuted,
			check:      rankOneStatement().check,
		}},
	)
}

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
