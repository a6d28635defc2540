package xor

import "dpworkbench/claims/check"

// Causes returns the errors behind the refutations.
func Causes() []check.Cause {
	return []check.Cause{
		{ID: "xor.theorem1", Paper: Paper, Title: "Theorem 1's proof bounds a root of squares by the modulus of a sum", Text: "√Σx² ≤ |Σx| fails for mixed signs, and for Λ cross terms are said to vanish that do not. Norms of eigenvalues do not bound row sums, which the smallest ε is made of."},
		{ID: "xor.orientation", Paper: Paper, Title: "a bit 1 of the noise is a flip, and positive parameters make it likelier", Text: "Under (5) all parameters are positive: more budget, more flips. The complement of the noise is as private and has the utility that is claimed."},
		{ID: "xor.diagonal", Paper: Paper, Title: "equal eigenvalues make a multiple of the identity", Text: "U diag(λ, …, λ) U⁻¹ = λI for every U: no structure is kept, and off the diagonal entries are 0, not positive."},
		{ID: "xor.potential", Paper: Paper, Title: "the potential step is left out of the motion", Text: "The cited sampler changes the energy at y_i = 0; without that the signs are fair coins, whatever Π."},
		{ID: "xor.twice", Paper: Paper, Title: "symmetric entries count twice", Text: "Tr[BΘBᵀ] has θ_pq and θ_qp, the sum over i ≠ j has Λ_ij and Λ_ji."},
		{ID: "xor.quarter", Paper: Paper, Title: "the factor ¼ of b = (s + 1)/2 is lost", Text: "bᵀΠb = ¼(sᵀΠs + 2sᵀΠ1 + 1ᵀΠ1). It is not part of the normaliser: the law is another."},
		{ID: "xor.leakage", Paper: Paper, Title: "an inequality of privacy is used as an equality, for one answer", Text: "In Appendix D e^ε stands where at most e^ε may, and ζ is the prior odds of an answer that the maximum does not choose."},
		{ID: "xor.rivals", Paper: Paper, Title: "mechanisms are called ε-private by name", Text: "Noise whose scale or support depends on the graph, lists in place of edges, and slopes left out of a change of variables."},
		{ID: "xor.figures", Paper: Paper, Title: "printed numbers that no noise of the stated privacy has", Text: "At the stated allocation nearly half of all bits are flipped; what is printed would need noise with an ε of several nats."},
		{ID: "xor.density.typos", Paper: Paper, Title: "cells of Table 2 that disagree with each other", Text: "Edges over pairs is not the density beside them."},
	}
}

// Unjudged returns the statements without a claim.
func Unjudged() []check.Unjudged {
	of := func(place, says string, reason check.Reason, more string) check.Unjudged {
		return check.Unjudged{Paper: Paper, Place: place, Says: says, Reason: reason, More: more}
	}
	return []check.Unjudged{
		of("Sections 1 and 2", "what other mechanisms do and lack", check.OtherWork, ""),
		of("Definitions 1 to 7", "what the words mean", check.Defines, ""),
		of("Section 5.1", "minimising a ratio of sums is NP-hard in general", check.OtherWork, ""),
		of("Section 5.2", "standard HMC has errors of order τ³ a step", check.OtherWork, ""),
		of("Section 5.2", "the memory that Algorithm 2 needs", check.Cost, "docs/xor.md has measured costs"),
		of("Footnote 4", "photonic quantum computers make the noise", check.OtherWork, ""),
		of("Section 5.3", "the panels of Figure 1 other than (e) and (h)", check.NeedsData, "one draw each, of an image whose size is not given"),
		of("Section 7", "non-private accuracies 97.44 and 97.9 %", check.NeedsData, "the split and the thresholds are not given"),
		of("Section 8.4", "Facebook's degrees have two power laws, k^−1.0 and k^−3.3", check.NeedsData, "the fit's method is not given; by maximum likelihood they are 0 and 1.9 (notebooks/xor_graphs.star)"),
		of("Section 8.4", "LDPGen depends on the number of groups, PBCN breaks graphs apart", check.OtherWork, ""),
	}
}
