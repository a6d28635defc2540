package signrp

import "dpworkbench/claims/check"

// Causes returns the errors behind the refutations.
func Causes() []check.Cause {
	return []check.Cause{
		{ID: "signrp.dataset", Paper: Paper, Title: "which signs are perturbed depends on the data set", Text: "The set A and the count N₊ are computed from u. On a neighbor u′ the algorithm computes its own; the proofs use that of u for both. For public W some u and u′ differ in all k signs."},
		{ID: "signrp.union", Paper: Paper, Title: "events that share Y are taken for independent", Text: "|X_i| < |Y| for i = 1 … p share Y: the product of their probabilities is not that of all."},
		{ID: "signrp.lattice", Paper: Paper, Title: "a normal approximation on a lattice", Text: "Signed sums of equal coordinates take every second multiple: a fixed share of the probability is lost however many there are."},
		{ID: "signrp.gaussian", Paper: Paper, Title: "what holds for Gaussian W or for spread vectors is said of all", Text: "Rademacher projections of few or unlike coordinates are coarse: their probabilities near 0 and their normalised estimators may be worse."},
		{ID: "signrp.joint", Paper: Paper, Title: "signs that no one neighbor changes together are counted together", Text: "Each indicator allows a neighbor of its own."},
		{ID: "signrp.rounding", Paper: Paper, Title: "a number read off a figure", Text: "100 for 96.7."},
		{ID: "signrp.slips", Paper: Paper, Title: "slips of the pen", Text: "An inequality turned round."},
	}
}

// Unjudged returns the statements without a claim.
func Unjudged() []check.Unjudged {
	of := func(place, says string, reason check.Reason, more string) check.Unjudged {
		return check.Unjudged{Paper: Paper, Place: place, Says: says, Reason: reason, More: more}
	}
	return []check.Unjudged{
		of("Sections 1 to 5, Algorithms 1 to 5, Definitions 2.1 and 2.2, Propositions other than 4.4", "the main part", check.NotAtHand, "what its appendix proves or uses is judged as far as that shows it"),
		of("Appendix A.1", "iDP might be sufficient in certain applications", check.Opinion, ""),
		of("Appendix A.3", "iDP-SignOPORP is considerably worse than iDP-SignRP", check.Vague, "neither is iDP: signrp.theoremA1"),
		of("Appendix A.4, Figures 5 and 6", "utility of iDP-SignRP on MNIST and WEBSPAM", check.NeedsData, "notebooks/signrp.star has what its data sets allow"),
		of("Appendix B.1, Figure 7", "Rademacher projections have the smallest Δ₂", check.Elsewhere, "signrp.algorithm9 has Δ₂ = β for it"),
		of("Appendix C, Figure 11", "DP-RP and DP-OPORP are much better in common regimes", check.Vague, "signrp.equation16 has the formula behind it"),
		of("Appendix D, Figures 13 to 17", "utility on MNIST, CIFAR, WEBSPAM", check.NeedsData, "notebooks/signrp.star has what its data sets allow"),
	}
}
