// Package mvg is the matrix-variate Gaussian mechanism: f(X) + Z with
// vec Z ~ N(0, Ψ⊗Σ) for an m×n query f (Chanyaswad, Dytso, Poor and Mittal,
// "A differential privacy mechanism design under matrix-valued query").
//
// Three things live here side by side. The sufficient conditions as published:
// Theorems 2 and 3, their precision budgets (Theorems 5 and 6), Algorithms 1
// and 2. The exact privacy of any design: in whitened coordinates the mechanism
// is a Gaussian mechanism with unit noise, so it is (ε, δ)-private exactly when
//
//	max ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F ≤ μ(ε, δ)
//
// over the declared sensitivity set of differences Δ (see package gaussian).
// And the allocation of precision: water-filling for the l1 and the l2 budget,
// the Kronecker-structured problem, and the optimum under exact privacy.
//
// Throughout p_i = 1/σ_i(Σ) is the precision of a direction; the paper's
// "precision" is its square. Records are columns.
package mvg
