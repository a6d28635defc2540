// Package mvg is the matrix-variate Gaussian mechanism: f(X) + Z with vec Z ~ N(0, Ψ⊗Σ) for an m×n query f
// (Chanyaswad, Dytso, Poor and Mittal, "A differential privacy mechanism design under matrix-valued query").
//
// A [Sensitivity] is the set of the query's differences between neighbors: a [Ball], a [Box], a [Gram] matrix, or a
// list of [Differences]. The noise has two covariances, each a [Covariance]. A [Design] combines the three. Its
// Release draws an answer with exactly the noise's law, and its Privacy is exact. Simulate and Noise draw in
// float64, for research. In whitened coordinates the design is a Gaussian mechanism with unit noise, and is (ε,
// δ)-private if and only if
//
//	max ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F ≤ μ(ε, δ)
//
// over the set (see package gaussian). PNR and MutualInformation measure how much of a signal is left.
//
// Designs are made in several ways. [NewDesign] takes given covariances. [NewClaim] spends the precision budget of
// a published theorem (Theorems 2 and 3 by [Published], Algorithms 1 and 2). [NewTight] allocates precision by a
// [Params] and scales it to the exact (ε, δ). [Optimal] finds the best design, with a bound on all others.
//
// [Waterfill] and [WaterfillWeighted] allocate precision for one side of the noise, [FillKronecker] for both.
// [NearestKronecker] approximates a covariance by a Kronecker product.
//
// The mechanisms for comparison are [ReleaseLaplace], [ClassicSigma] and [RankOne]. Their actual privacy is
// computed beside the claimed one.
//
// Files by subject:
//
//   - sensitivity sets and their largest whitened difference: sensitivity.go, pairs.go, box.go, gram.go,
//     replacement.go;
//   - covariances: covariance.go, precision.go; the mechanism: design.go; signals: pnr.go;
//   - float64 draws: simulate.go, normal.go;
//   - exact draws: release.go, release_*.go, entrywise.go, joint.go, factors.go, triangle.go, grid.go;
//   - published algorithms: published.go, allocate.go; water-filling: waterfill.go, kronecker.go;
//   - optima: optimal.go, optimal_*.go, geodesic*.go, informed*.go, basis.go, relaxation.go, separable.go;
//   - other mechanisms: peers.go, r1smg.go.
//
// Throughout p_i = 1/σ_i(Σ) is the precision of a direction; the paper's "precision" is its square. Records are
// columns.
package mvg
