package claims

import (
	"context"
	"math/big"
	"slices"
	"strings"

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

// inTurn runs the checks of the parts of a statement, up to the first that fails.
func inTurn(parts ...func(context.Context, *Run) (Outcome, error)) func(context.Context, *Run) (Outcome, error) {
	return func(ctx context.Context, run *Run) (Outcome, error) {
		var all Outcome
		for i, part := range parts {
			out, err := part(ctx, run)
			if err != nil {
				return Outcome{}, err
			}
			out.Instances += all.Instances
			if i > 0 && out.Verdict == evidence.Confirmed {
				if out.Scope == all.Scope {
					out.Scope += ", for each part"
				} else {
					out.Scope = all.Scope + "; " + out.Scope
				}
				out.Evidence = append(all.Evidence, out.Evidence...)
			}
			if all = out; out.Verdict != evidence.Confirmed {
				break
			}
		}
		return all, nil
	}
}

// withException checks "this holds, and the stronger does not": the exception to the
// stronger statement that its search finds is evidence. Where it finds none, nothing is
// decided.
func withException(holds, stronger func(context.Context, *Run) (Outcome, error)) func(context.Context, *Run) (Outcome, error) {
	return func(ctx context.Context, run *Run) (Outcome, error) {
		out, err := holds(ctx, run)
		if err != nil || out.Verdict != evidence.Confirmed {
			return out, err
		}
		exception, err := stronger(ctx, run)
		if err != nil {
			return Outcome{}, err
		}
		if exception.Verdict != evidence.Refuted {
			out.Verdict = evidence.Undecided
			return out, nil
		}
		var at []string
		for _, f := range exception.Witness.Fields {
			at = append(at, f.Name+" = "+f.Value)
		}
		out.Evidence = append(out.Evidence, Item{
			"instances until the exception " + strings.Join(at, ", "),
			evidence.Exact{Value: big.NewRat(int64(exception.Instances), 1), Source: "counted"},
		})
		out.Evidence = append(out.Evidence, exception.Evidence...)
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
