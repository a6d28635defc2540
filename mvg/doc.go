// Package mvg is the matrix-variate Gaussian mechanism: f(X) + Z with
// vec Z ~ N(0, Ψ⊗Σ) for an m×n query f (Chanyaswad, Dytso, Poor and Mittal,
// "A differential privacy mechanism design under matrix-valued query").
//
// What is known of the query is a [Sensitivity], the set of its differences between
// neighbors: a [Ball], a [Box], a [Gram] matrix, or a list of [Differences]. The noise
// is two matrices, each a [Covariance]. A [Design] is the three together: its
// Release draws an answer, exactly in law, and its Privacy is exact; Simulate and Noise draw
// in float64, for research. In whitened coordinates it is a Gaussian mechanism with unit
// noise, (ε, δ)-private exactly when
//
//	max ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F ≤ μ(ε, δ)
//
// over the set (see package gaussian). PNR and MutualInformation say what is left of
// a signal.
//
// Designs are made in three ways. [NewDesign] takes the covariances as given;
// [NewClaim] spends the precision budget of a published theorem (Theorems 2 and 3 by
// [Published], Algorithms 1 and 2); [NewTight] shares precision as a [Recipe] says and
// scales it until the exact (ε, δ) is met. [Optimal] finds the best of all, with a
// bound that no other passes.
//
// The allocation of precision by itself is [Waterfill] and [WaterfillWeighted] for one
// mode, [FillKronecker] for two; [NearestKronecker] brings a covariance into the form
// that the noise has.
//
// The mechanisms that it is compared with are [ReleaseLaplace], [ClassicSigma] and
// [RankOne], whose real privacy is computed beside the claimed one.
//
// Files: sensitivity.go, pairs.go, box.go and gram.go with replacement.go hold the
// sets, each with its largest whitened difference; covariance.go and precision.go
// the matrices; design.go the mechanism; simulate.go and normal.go the draws in
// float64; release.go and its neighbors release_*.go, entrywise.go, joint.go with
// factors.go, wide.go and triangle.go, and grid.go the exact ones; pnr.go the
// signal; published.go and allocate.go the recipes; waterfill.go and kronecker.go the
// fillings; optimal.go and its neighbors optimal_*.go, geodesic*.go, informed*.go,
// frame.go, relaxation.go and separable.go the optima; peers.go and r1smg.go the peers.
//
// Throughout p_i = 1/σ_i(Σ) is the precision of a direction; the paper's
// "precision" is its square. Records are columns.
package mvg
