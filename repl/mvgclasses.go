package repl

import (
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/mvg"

	"go.starlark.net/starlark"
)

const sensitivitySetup = "s = box_sensitivity(2, 100, [1, 10])\n"

var sensitivityClass = &class[mvg.Sensitivity]{
	name: "sensitivity", help: "A declared set of differences of a query between neighbors: what the exact privacy of a design is judged by.", example: sensitivitySetup + "print(s)",
	show: func(s mvg.Sensitivity) string { return "<sensitivity: " + s.Describe() + ">" },
	attrs: []attr[mvg.Sensitivity]{{
		name: "shape", help: "The rows and columns (m, n) of the query.", example: sensitivitySetup + "print(s.shape)",
		get: func(c *call, s mvg.Sensitivity) (starlark.Value, error) {
			m, n := s.Shape()
			return starlark.Tuple{starlark.MakeInt(m), starlark.MakeInt(n)}, nil
		},
	}, {
		name: "s2", help: "The L2 (Frobenius) sensitivity: the largest norm in the set (Definition 3).", example: sensitivitySetup + "print(s.s2)",
		get: func(c *call, s mvg.Sensitivity) (starlark.Value, error) {
			return known(s.Frobenius()), nil
		},
	}, {
		name: "gamma", help: "The bound on the Frobenius norm of the query that Theorems 2 and 3 need; None where the set does not give one.", example: sensitivitySetup + "print(s.gamma)",
		get: func(c *call, s mvg.Sensitivity) (starlark.Value, error) {
			g, ok := s.Gamma()
			if !ok {
				return starlark.None, nil
			}
			return known(g), nil
		},
	}},
}

const designSetup = "s = l2_sensitivity(2, 3, 1, 2)\nd = mvg(s, 1, 1e-3, theta=[0.8, 0.2])\n"

// claimedAttr is a quantity of Theorems 2 and 3.
func claimedAttr(name, help string, get func(k mvg.Constants) evidence.Claimed) attr[*design] {
	return attr[*design]{
		name: name, help: help + " Claimed; a design by \"theorem2\" or \"theorem3\" has it.", example: designSetup + "print(d." + name + ")",
		only: func(d *design) bool { return d.theorem != nil },
		get:  func(c *call, d *design) (starlark.Value, error) { return known(get(d.theorem.Constants)), nil },
	}
}

var designClass = &class[*design]{
	name: "mvg design", help: "A matrix-variate Gaussian mechanism with the sensitivity set that it is judged by.", example: designSetup + "print(d)",
	show: func(d *design) string {
		m, n := d.Sensitivity().Shape()
		return fmt.Sprintf("<mvg design, %s: %d×%d, element sd %s>", d.condition, m, n, evidence.FormatFloat(d.ElementSD(), 6))
	},
	attrs: []attr[*design]{
		claimedAttr("alpha", "α of Theorem 2: (H_r + H_{r,1/2})γ² + 2H_r γ s2.", func(k mvg.Constants) evidence.Claimed { return k.Alpha }),
		claimedAttr("beta", "β of Theorems 2 and 3: 2(mn)^{1/4} ζ(δ) H_r s2.", func(k mvg.Constants) evidence.Claimed { return k.Beta }),
		claimedAttr("omega", "ω of Theorem 3: 4 H_r γ s2.", func(k mvg.Constants) evidence.Claimed { return k.Omega }),
		claimedAttr("zeta", "ζ(δ) as read: the root of 2√(−mn ln δ) − 2 ln δ + mn, or that number as printed.", func(k mvg.Constants) evidence.Claimed { return k.Zeta }),
		{
			name: "precision_budget", help: "The bound on Σ p_i², p_i = 1/σ_i(Σ): d²/n for Ψ = I (Theorem 5) and d for Ψ = Σ (Theorem 6), d the right-hand side of (1) or (8). For other designs, the Σ p_i² that Σ spends.", example: designSetup + "print(d.precision_budget)",
			get: func(c *call, d *design) (starlark.Value, error) {
				if d.theorem == nil {
					return known(d.PrecisionSquares()), nil
				}
				return known(d.theorem.PrecisionBudget), nil
			},
		}, {
			name: "row_variances", help: "σ_i(Σ), the variances of the row-wise noise in the order of the directions.", example: designSetup + "print(d.row_variances)",
			get: func(c *call, d *design) (starlark.Value, error) { return floatList(d.Sigma().Variances()), nil },
		}, {
			name: "sigma", help: "Σ, the m×m covariance of the rows.", example: designSetup + "print(d.sigma)",
			get: func(c *call, d *design) (starlark.Value, error) { return covarianceMatrix(d.Sigma()) },
		}, {
			name: "psi", help: "Ψ, the n×n covariance of the columns.", example: designSetup + "print(d.psi)",
			get: func(c *call, d *design) (starlark.Value, error) { return covarianceMatrix(d.Psi()) },
		}, {
			name: "element_sd", help: "The root mean square over the elements of the noise, √(tr Σ·tr Ψ/mn), in the unit of the query.", example: designSetup + "print(d.element_sd)",
			get: func(c *call, d *design) (starlark.Value, error) { return known(d.NoiseSD()), nil },
		}, {
			name: "claimed_epsilon", help: "The ε, in nats, that the condition promises at the design's delta. Claimed.", example: designSetup + "print(d.claimed_epsilon)",
			only: func(d *design) bool { _, ok := d.ClaimedEpsilon(); return ok }, absent: "nothing is claimed of given covariances",
			get: func(c *call, d *design) (starlark.Value, error) {
				eps, _ := d.ClaimedEpsilon()
				return known(eps), nil
			},
		}, {
			name: "whitened_sensitivity", help: "The largest ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F over the sensitivity set: the design is exactly as private as unit Gaussian noise on a query of this L2 sensitivity. Certified.", example: designSetup + "print(d.whitened_sensitivity)",
			get: func(c *call, d *design) (starlark.Value, error) { return known(d.WhitenedSensitivity()), nil },
		}, {
			name: "smallest_epsilon", help: "The least ε ≥ 0, in nats, at which the design is (ε, δ)-differentially private for its sensitivity set, at its own delta. Certified.", example: designSetup + "print(d.smallest_epsilon)",
			only: func(d *design) bool { return d.delta != nil }, absent: "give delta= to mvg_noise, or ask epsilon_at(delta)",
			get: func(c *call, d *design) (starlark.Value, error) {
				return certified(d.Privacy().Epsilon(c.ctx, *d.delta))
			},
		}, {
			name: "epsilon_at", params: "delta", help: "The least ε ≥ 0, in nats, at which the design is (ε, delta)-differentially private for its sensitivity set: inf at delta 0. Certified.", example: designSetup + "print(d.epsilon_at(1e-6))",
			run: func(c *call, d *design) (starlark.Value, error) {
				return certified(d.Privacy().Epsilon(c.ctx, c.float("delta")))
			},
		}, {
			name: "delta_at", params: "eps", help: "The least δ at which the design is (eps, δ)-differentially private for its sensitivity set: at eps 0 the largest total variation distance of neighbors. eps in nats, at least 0. Certified.", example: designSetup + "print(d.delta_at(0.1))",
			run: func(c *call, d *design) (starlark.Value, error) {
				return certified(d.Privacy().Delta(c.ctx, c.epsilonOrZero("eps")))
			},
		}, {
			name: "pnr", params: "k", help: "The power-to-noise ratio (24): det(K + Σ)/det Σ for a signal covariance K of order m, det(K + Ψ⊗Σ)/det(Ψ⊗Σ) for K of order mn, the covariance of the column-stacked vec.", example: designSetup + "print(d.pnr([[1, 0], [0, 1]]))",
			run: func(c *call, d *design) (starlark.Value, error) {
				return certified(d.PNR(denseOf(c.matrix("k"))))
			},
		}, {
			name: "log_pnr", params: "k", help: "The logarithm of pnr(k), where that is too large for a float.", example: designSetup + "print(d.log_pnr([[1, 0], [0, 1]]))",
			run: func(c *call, d *design) (starlark.Value, error) {
				return certified(d.LogPNR(denseOf(c.matrix("k"))))
			},
		}, {
			name: "mutual_information", params: "k", help: "½ ln pnr(k), in nats: the mutual information between a Gaussian f(X) of covariance k and its release; an upper bound for other laws (Lemma 10 holds for Gaussian f(X) only).", example: designSetup + "print(d.mutual_information([[1, 0], [0, 1]]))",
			run: func(c *call, d *design) (starlark.Value, error) {
				return certified(d.MutualInformation(denseOf(c.matrix("k"))))
			},
		}, {
			name: "draw_error", help: "How far the covariance of what sample draws may be from Ψ⊗Σ, relatively and in any direction: draws are a product of standard normals with roots of Σ and Ψ whose entries are float64. That a normal is one of 2^53 numbers, and that products are rounded, comes on top. Certified.", example: designSetup + "print(d.draw_error)",
			get: func(c *call, d *design) (starlark.Value, error) { return known(d.DrawError()), nil },
		}, {
			name: "sample", params: "x, seed=0", help: "The query's answer x, an m×n matrix, plus a draw of the noise. For research: a release needs a cryptographic source and care with floating point.", example: designSetup + "print(d.sample([[0, 0, 0], [0, 0, 0]], seed=1))",
			run: func(c *call, d *design) (starlark.Value, error) {
				z, err := d.Release(denseOf(c.matrix("x")), c.source("seed"))
				if err != nil {
					return nil, err
				}
				return matrixFrom(z), nil
			},
		},
	},
}

// covarianceMatrix writes a covariance out, where that fits in memory.
func covarianceMatrix(c mvg.Covariance) (starlark.Value, error) {
	const most = 1 << 13
	if c.Order() > most {
		return nil, fmt.Errorf("the matrix is of order %d, and is written out up to %d", c.Order(), most)
	}
	return matrixFrom(c.Matrix()), nil
}

// filling is a water-filling with its norm.
type filling struct {
	*mvg.Waterfilling
	norm mvg.Norm
}

func newWaterfill(c *call) (starlark.Value, error) {
	norm := c.norm("norm")
	var w *mvg.Waterfilling
	var err error
	if c.given("weights") {
		if norm == mvg.L2 {
			c.stop("weights belong to norm \"l1\"")
		}
		w, err = mvg.WaterfillWeighted(c.floats("eigenvalues"), c.floats("weights"), c.float("budget"))
	} else {
		w, err = mvg.Waterfill(c.floats("eigenvalues"), c.float("budget"), norm)
	}
	if err != nil {
		return nil, err
	}
	return fillingClass.of(c, &filling{w, norm}), nil
}

const fillingSetup = "w = waterfill([1, 2, 1e-6], 1)\n"

var fillingClass = &class[*filling]{
	name: "waterfilling", help: "An optimal allocation of precision with its certificate.", example: fillingSetup + "print(w)",
	show: func(w *filling) string {
		return fmt.Sprintf("<waterfilling: %d of %d directions, ln PNR %s>", len(w.Active), len(w.Precisions), evidence.Span(w.Value, 6))
	},
	attrs: []attr[*filling]{{
		name: "precisions", help: "p_i = 1/σ_i(Σ), in the order of the eigenvalues; a direction with p_i = 0 is not released.", example: fillingSetup + "print(w.precisions)",
		get: func(c *call, w *filling) (starlark.Value, error) { return floatList(w.Precisions), nil },
	}, {
		name: "level", help: "c of p_i = (c − 1/λ_i)⁺ for norm \"l1\"; for \"l2\" the multiplier ν of λ_i/(1 + λ_i p_i) = 2νp_i.", example: fillingSetup + "print(w.level)",
		get: func(c *call, w *filling) (starlark.Value, error) { return known(w.KnownLevel), nil },
	}, {
		name: "active", help: "The directions with positive precision.", example: fillingSetup + "print(w.active)",
		get: func(c *call, w *filling) (starlark.Value, error) { return intList(w.Active), nil },
	}, {
		name: "log_pnr", help: "The optimum Σ ln(1 + λ_i p_i) in nats, enclosed between the value at these precisions and the Lagrange dual. Certified.", example: fillingSetup + "print(w.log_pnr)",
		get: func(c *call, w *filling) (starlark.Value, error) { return known(w.Value), nil },
	}, {
		name: "mutual_information", help: "Half of log_pnr, in nats: of a Gaussian signal.", example: fillingSetup + "print(w.mutual_information)",
		get: func(c *call, w *filling) (starlark.Value, error) {
			return known(w.MutualInformation()), nil
		},
	}, {
		name: "residual", help: "The largest relative violation of the KKT conditions.", example: fillingSetup + "print(w.residual)",
		get: func(c *call, w *filling) (starlark.Value, error) {
			return known(w.Residual), nil
		},
	}},
}

const kroneckerSetup = "w = kronecker_waterfill([1, 3], [1, 2], 2)\n"

var kroneckerClass = &class[*mvg.KroneckerFilling]{
	name: "kronecker waterfilling", help: "A locally optimal allocation of row and column precisions, with a bound on the global optimum.", example: kroneckerSetup + "print(w)",
	show: func(w *mvg.KroneckerFilling) string {
		from := "from the uniform start alone"
		if drawn := w.Starts - 1; drawn > 0 {
			from = fmt.Sprintf("reached from %d of %d starts: the uniform one and %d drawn", w.Found, w.Starts, drawn)
		}
		return fmt.Sprintf("<kronecker waterfilling, local: ln PNR %s, at most %s; %s>", evidence.FormatFloat(w.LogPNR, 6), evidence.FormatFloat(w.Value.Hi, 6), from)
	},
	attrs: []attr[*mvg.KroneckerFilling]{{
		name: "rows", help: "The row precisions p_a, of norm 1.", example: kroneckerSetup + "print(w.rows)",
		get: func(c *call, w *mvg.KroneckerFilling) (starlark.Value, error) { return floatList(w.Rows), nil },
	}, {
		name: "columns", help: "The column precisions q_b; with the rows' they spend the budget.", example: kroneckerSetup + "print(w.columns)",
		get: func(c *call, w *mvg.KroneckerFilling) (starlark.Value, error) { return floatList(w.Columns), nil },
	}, {
		name: "local", help: "The value Σ ln(1 + λ_a κ_b p_a q_b) of the allocation.", example: kroneckerSetup + "print(w.local)",
		get: func(c *call, w *mvg.KroneckerFilling) (starlark.Value, error) {
			return known(w.Local), nil
		},
	}, {
		name: "log_pnr", help: "The global optimum, enclosed between this allocation and the optimum without the Kronecker structure. Certified.", example: kroneckerSetup + "print(w.log_pnr)",
		get: func(c *call, w *mvg.KroneckerFilling) (starlark.Value, error) { return known(w.Value), nil },
	}, {
		name: "residual", help: "The largest relative violation of the KKT conditions of either half.", example: kroneckerSetup + "print(w.residual)",
		get: func(c *call, w *mvg.KroneckerFilling) (starlark.Value, error) { return starlark.Float(w.Residual), nil },
	}},
}

// optimalDesign is an optimum with what it was asked for.
type optimalDesign struct {
	*mvg.Optimum
	delta float64
}

func newOptimum(c *call) (starlark.Value, error) {
	s := argument(c, "s", sensitivityClass)
	goal := mvg.Goal{}
	if c.choice("objective", "error", "information") == "information" {
		goal.Objective = mvg.MostInformation
	}
	if c.given("weights") {
		goal.Weights = c.floats("weights")
	}
	r := c.recipe("uni", "equi", "both")
	r.FreeAxes = c.choice("axes", "given", "free") == "free"
	c.progress("mvg_optimal", 0)
	o, err := mvg.Optimal(c.ctx, s, goal, r)
	if err != nil {
		return nil, err
	}
	return mvgOptimumClass.of(c, &optimalDesign{o, r.Delta}), nil
}

const mvgOptimumSetup = "o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)\n"

var mvgOptimumClass = &class[*optimalDesign]{
	name: "mvg optimum", help: "The best design for an objective under exact privacy, with a bound that no other can pass.", example: mvgOptimumSetup + "print(o)",
	show: func(o *optimalDesign) string {
		withheld := ""
		if o.Design == nil {
			n := 0
			for _, p := range o.Precisions {
				if p == 0 {
					n++
				}
			}
			withheld = fmt.Sprintf("; %d of %d directions are withheld, so there is no design", n, len(o.Precisions))
		}
		return fmt.Sprintf("<mvg optimum %s: %s%s>", evidence.Span(o.Value, 6), o.Method, withheld)
	},
	attrs: []attr[*optimalDesign]{{
		name: "precisions", help: "p_i = 1/σ_i(Σ); a direction with p_i = 0 is not released.", example: mvgOptimumSetup + "print(o.precisions)",
		get: func(c *call, o *optimalDesign) (starlark.Value, error) { return floatList(o.Precisions), nil },
	}, {
		name: "directions", help: "The directions of Σ as columns, in the order of precisions; None is the standard basis.", example: mvgOptimumSetup + "print(o.directions)",
		get: func(c *call, o *optimalDesign) (starlark.Value, error) {
			if o.Directions == nil {
				return starlark.None, nil
			}
			return matrixFrom(o.Directions), nil
		},
	}, {
		name: "optimum", help: "The optimal value, the expected squared error or ln PNR, enclosed between this design's and a bound. Certified.", example: mvgOptimumSetup + "print(o.optimum)",
		get: func(c *call, o *optimalDesign) (starlark.Value, error) { return known(o.Value), nil },
	}, {
		name: "everywhere", help: "Whether the bound holds for every Σ with that Ψ (every Σ and Ψ for modal \"both\"), not just for these directions.", example: mvgOptimumSetup + "print(o.everywhere)",
		get: func(c *call, o *optimalDesign) (starlark.Value, error) { return starlark.Bool(o.Everywhere), nil },
	}, {
		name: "method", help: "How the optimum was found and bounded.", example: mvgOptimumSetup + "print(o.method)",
		get: func(c *call, o *optimalDesign) (starlark.Value, error) { return starlark.String(o.Method), nil },
	}, {
		name: "design", help: "The mechanism; None where a direction is withheld (its precision is 0): no noise of finite variance does that, and print(o) says so.", example: mvgOptimumSetup + "print(o.design.smallest_epsilon)",
		get: func(c *call, o *optimalDesign) (starlark.Value, error) {
			if o.Design == nil {
				return starlark.None, nil
			}
			return designClass.of(c, &design{Design: o.Design, delta: &o.delta, condition: "optimal"}), nil
		},
	}},
}

const rankOneSetup = "r = r1smg(10, 1, 1e-5)\n"

var rankOneClass = &class[mvg.RankOne]{
	name: "r1smg", help: "The rank-one Gaussian mechanism of Ji and Li as claimed, with the privacy it really gives.", example: rankOneSetup + "print(r)",
	show: func(r mvg.RankOne) string {
		delta, _ := r.ClaimedDelta()
		return fmt.Sprintf("<r1smg in dimension %d: claimed delta %s, expected squared error %s>", r.Dimension, evidence.FormatFloat(delta.Value, 6), evidence.FormatFloat(r.Variance, 6))
	},
	attrs: []attr[mvg.RankOne]{{
		name: "claimed_error", help: "The expected squared norm of the noise.", example: rankOneSetup + "print(r.claimed_error)",
		get: func(c *call, r mvg.RankOne) (starlark.Value, error) {
			return known(r.ClaimedError()), nil
		},
	}, {
		name: "claimed_delta", help: "The δ that the paper promises at the given ε. Claimed.", example: rankOneSetup + "print(r.claimed_delta)",
		get: func(c *call, r mvg.RankOne) (starlark.Value, error) {
			delta, _ := r.ClaimedDelta()
			return known(delta), nil
		},
	}, {
		name: "delta_at", params: "eps, tolerance=0.001", help: "The real δ at ε ≥ 0, by enclosing the privacy loss on cells of radius and angle, to within tolerance where 4 million cells allow. Certified.", example: rankOneSetup + "print(r.delta_at(1))",
		run: func(c *call, r mvg.RankOne) (starlark.Value, error) {
			c.progress("delta_at", 0)
			return certified(r.Privacy(c.float("tolerance")).Delta(c.ctx, c.epsilonOrZero("eps")))
		},
	}, {
		name: "sample", params: "x, seed=0", help: "A matrix with as many elements as the dimension plus a draw of the noise. For research.", example: "r = r1smg(4, 1, 1e-5)\nprint(r.sample([[0, 0], [0, 0]], seed=1))",
		run: func(c *call, r mvg.RankOne) (starlark.Value, error) {
			z, err := r.Release(denseOf(c.matrix("x")), c.source("seed"))
			if err != nil {
				return nil, err
			}
			return matrixFrom(z), nil
		},
	}},
}
