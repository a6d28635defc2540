package claims

import (
	"context"
	"slices"

	"dpworkbench/evidence"
)

const analyticPaper = "Analytic Theory"

// analytic returns the claims of G. Wu, X. Xia and Y. He, Analytic Theory to
// Differential Privacy.
func analytic() []Claim {
	return slices.Concat(
		definitionClaims(),
		mediantClaims(),
		compositionClaims(),
		discreteClaims(),
		representationClaims(),
		universeClaims(),
		privacyClaims(),
		purestClaims(),
		migrationClaims(),
		originClaims(),
		lineClaims(),
		normClaims(),
		sensitivityClaims(),
		figure1Claims(),
		staircaseClaims(),
	)
}

// withCorrection runs a check and the check of the corrected statement.
func withCorrection(published, corrected func(context.Context, *Run) (Outcome, error)) func(context.Context, *Run) (Outcome, error) {
	return func(ctx context.Context, run *Run) (Outcome, error) {
		out, err := published(ctx, run)
		if err != nil {
			return Outcome{}, err
		}
		fixed, err := corrected(ctx, run)
		if err != nil {
			return Outcome{}, err
		}
		out.Corrected = &fixed
		return out, nil
	}
}

// mediantClaims holds Lemma 1, on which the change rules of utility rest.
func mediantClaims() []Claim {
	return []Claim{{
		ID: "analytic.lemma1", Paper: analyticPaper, Place: "Lemma 1",
		Statement:  "g(x) = (α₀ + α₁x)/(β₀ + β₁x) increases on the reals where α₀/β₀ < α₁/β₁ and decreases otherwise",
		Hypotheses: "α₀, α₁ ≥ 0 and β₀, β₁ > 0",
		Corrected:  "the same for x ≥ 0, or on either side of the pole −β₀/β₁",
		Recorded:   evidence.Refuted,
		check:      withCorrection(mediant(false, mediantCase.g).check, mediant(true, mediantCase.g).check),
	}}
}
