package analytic

import "dpworkbench/claims/check"

// Causes returns the errors behind the refutations.
func Causes() []check.Cause {
	return []check.Cause{
		{ID: "analytic.chain", Paper: Paper, Title: "a chain of neighbors is assumed and not said", Text: "Step ⊇_c of Theorem 2's proof goes from neighbors of x to all datasets within k + 1, \"due to the triangular inequality\", which goes the other way: it needs, for each such y, a neighbor of x within k of y. Proposition 2 assumes that chain, Theorem 2 (3) and what follows from it do not."},
		{ID: "analytic.propagation", Paper: Paper, Title: "(34) does not carry R̃ to other datasets", Text: "By (34) a value of R̃_i^y stands in layer i of y alone. At a neighbor it may stand as low as one likes, so that a ratio of probabilities there has no bound. The min-plus closure lets R̃_i^y enter x at layer ⌈d̄(x, y)⌉ + i."},
		{ID: "analytic.empty", Paper: Paper, Title: "one M for all datasets may leave an R_0^x empty", Text: "Definition 13 divides by the largest probability over all datasets: where a dataset's own largest is below e^{−ε} of that, its layer 0 is empty, and no atomic mechanism has fewer values there."},
		{ID: "analytic.pole", Paper: Paper, Title: "the pole of a quotient is passed over", Text: "(α₀ + α₁x)/(β₀ + β₁x) is monotone on either side of −β₀/β₁ and not across; the derivative says nothing of the jump."},
		{ID: "analytic.norm", Paper: Paper, Title: "norms are taken for monotone", Text: "A norm on ℝⁿ may fall as a coordinate grows, as 2|a − b| + |a + b| does; the triangle inequality of the product metric needs that it does not."},
		{ID: "analytic.invariance", Paper: Paper, Title: "a metric on a vector space is taken for invariant", Text: "That neighbors of x are x plus neighbors of 0 needs d̄(x, x′) = d̄(0, x′ − x)."},
		{ID: "analytic.normaliser", Paper: Paper, Title: "a normaliser of one dimension", Text: "The integral of e^{−‖t‖₁/b} over ℝᵏ is (2b)ᵏ, not 2b."},
		{ID: "analytic.intervals", Paper: Paper, Title: "a mirrored interval is written as a ± [0, Δ]", Text: "a ± [0, Δ] is the interval from a − Δ to a + Δ; what is meant, and what the proof of Proposition 8 shows, is ±(a + [0, Δ])."},
		{ID: "analytic.far", Paper: Paper, Title: "layers far out are taken for poor utility", Text: "That a sensitivity-based mechanism has values in layers far out is taken to mean poor utility \"by Theorem 5\". Theorem 5 compares a mechanism with itself after a migration, at one decay. A mechanism that claims 2ε by its sensitivity falls by 2ε with every step of it, a layered one by ε with every layer; and on an extension from where the query is smooth the steps are short."},
	}
}

// Unjudged returns the statements without a claim.
func Unjudged() []check.Unjudged {
	of := func(place, says string, reason check.Reason, more string) check.Unjudged {
		return check.Unjudged{Paper: Paper, Place: place, Says: says, Reason: reason, More: more}
	}
	return []check.Unjudged{
		of("Section 1", "current approaches are too ad hoc and far less optimal", check.Opinion, ""),
		of("Definitions 1, 2, 4, 5, 7, 8, 10 to 19", "what the words mean", check.Defines, "where a definition asserts something (3, 6, 9, 20) that has a claim"),
		of("Section 3, Examples 1 to 6", "counting, multi-linear, publishing, components, classifiers, functional output are query functions", check.Defines, ""),
		of("Section 4.3", "ℂ is a good approximation of 𝔹̄, (43) of (7)", check.Vague, "no measure of an approximation is given; analytic.proposition3 and analytic.universe bear on it"),
		of("Section 5.1", "a larger δ at one dataset makes the utility of others worse in general", check.Vague, "\"in general\"; Theorem 5 says when"),
		of("Section 6", "the results are universal to every query function", check.Vague, ""),
	}
}
