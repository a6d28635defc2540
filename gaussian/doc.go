// Package gaussian computes the exact privacy of additive Gaussian noise: the analytic Gaussian mechanism (Balle and
// Wang, "Improving the Gaussian mechanism for differential privacy", arXiv:1805.06530v2).
//
// The privacy of a query of L2 sensitivity Δ released with noise N(0, σ²I) depends only on μ = Δ/σ. It is (ε,
// δ)-private if and only if δ is at least
//
//	δ(ε, μ) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)                 (Theorem 8)
//
// This package writes a = ε/μ − μ/2, b = ε/μ + μ/2. Since b² − a² = 2ε,
// e^ε φ(b) = φ(a), and with the Mills ratio R = (1 − Φ)/φ
//
//	δ = φ(a)·(R(a) − R(b)),   ∂δ/∂μ = φ(a),   ∂δ/∂ε = −φ(a)·R(b),
//
// which neither overflows at ε = 1000 nor underflows at δ = 1e-300.
//
// [Delta], [Sigma], [Mu] and [Epsilon] return enclosures computed with outward rounding. The safe side is the upper end
// of δ, σ and ε, and the lower end of μ. [DeltaAt] and [EpsilonAt] take an enclosure of μ. [FastMu] computes in float64
// within a stated relative error, for searches. At ε = 0, δ is the total variation distance; at δ = 0, ε is infinite.
//
// certified.go has the enclosures, and enclosure.go the enclosed Mills ratios behind them. ball.go has the same in
// pairs of float64, which nearly always suffice. fast.go and mills.go have the float64 path.
package gaussian
