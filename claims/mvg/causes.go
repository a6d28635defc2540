package mvg

import "dpworkbench/claims/check"

// Causes returns the errors behind the refutations.
func Causes() []check.Cause {
	return []check.Cause{
		{ID: "mvg.kronecker", Paper: Paper, Title: "every covariance is taken for a Kronecker product", Text: "Matrix-variate normal laws have covariances Ψ⊗Σ alone. The normal law that maximises an entropy, or the noise that maximises the power-to-noise ratio, need not be among them."},
		{ID: "mvg.waterfill", Paper: Paper, Title: "(·)⁺ is dropped from the water-filling solution", Text: "The proof has (c − 1/λ_i)⁺; \"elementary algebraic modifications\" solve for c as if no direction were cut off, and step 2(a) of the procedure reads the difference as a quotient."},
		{ID: "mvg.variance", Paper: Paper, Title: "a singular value of Σ is a variance, and its square is budgeted as one", Text: "With Ψ = I the variance in direction i is σ_i(Σ). The condition is on Σ 1/σ_i², which Section 6.1 calls the sum of inverse variances."},
		{ID: "mvg.sensitivity", Paper: Paper, Title: "an upper bound is taken for the supremum", Text: "‖xxᵀ − yyᵀ‖_F is at most √(‖x‖⁴ + ‖y‖⁴) = √2·mc², not 2mc²: too much noise, and no harm to privacy."},
		{ID: "mvg.root", Paper: Paper, Title: "the wrong root of a quadratic", Text: "(18) and (19) take the root with the negative denominator and call it positive; two errors of sign cancel, and the comparison α ≥ ω is right."},
		{ID: "mvg.product", Paper: Paper, Title: "a product of two positive semi-definite matrices is taken for one", Text: "It need not be symmetric. Its trace is not negative all the same, and that is what is used."},
		{ID: "mvg.clt", Paper: Paper, Title: "a central limit theorem is used as an equality", Text: "Σ g_i(x_i) is normal in the limit, under conditions, not for any number of records."},
		{ID: "mvg.baselines", Paper: Paper, Title: "rivals are run with more noise than they need", Text: "At the noise that their own papers ask for the rivals of Table 4 have errors a tenth of what is printed."},
		{ID: "mvg.slips", Paper: Paper, Title: "slips of the pen", Text: "An exponent, an inverse, a transpose, a number of columns."},
		{ID: "r1smg.dimension", Paper: RankOnePaper, Title: "a tail bound that fails from dimension 4 on", Text: "The paper is not at hand: the cause is inferred from where its formula fails."},
	}
}

// Unjudged returns the statements without a claim.
func Unjudged() []check.Unjudged {
	of := func(place, says string, reason check.Reason, more string) check.Unjudged {
		return check.Unjudged{Paper: Paper, Place: place, Says: says, Reason: reason, More: more}
	}
	return []check.Unjudged{
		of("Sections 1 and 2", "what other mechanisms do and lack", check.OtherWork, ""),
		of("Definitions 1 to 8, Axioms 1 and 2", "what the words mean", check.Defines, ""),
		of("Section 4.2, Remark 1", "γ is finite in practice", check.Opinion, ""),
		of("Section 4.4", "real queries have r > 12 or s₂ ≤ γ", check.Opinion, "Examples 1 and 2 have claims"),
		of("Section 5.3", "noise is required in every direction", check.Elsewhere, "under (1) it is, as its right side is finite: mvg.theorem5; under exact privacy too, unless the direction is not released (mvg.directional.box)"),
		of("Section 5.4, Examples 3 to 5", "directional noise helps with warfarin and ratings", check.NeedsData, "notebooks/mvg_examples.star tries made data"),
		of("Section 6.3 and 6.4", "the costs of sampling and of Algorithms 1 and 2", check.Cost, ""),
		of("Section 8.1.3", "20 % of the budget for private directions", check.Opinion, ""),
		of("Section 10.1", "MVG is good even with wrong directions", check.Vague, "\"good\" has no measure"),
		of("Section 10.3.4, last paragraph", "Theorem 9 assumes nothing about the data's law", check.Elsewhere, "mvg.theorem9"),
	}
}
