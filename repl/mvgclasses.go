package repl

import (
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/mvg"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

const sensitivitySetup = "s = box_sensitivity(2, 100, [1, 10])\n"

var sensitivityClass = &script.Class[mvg.Sensitivity]{
	Name: "sensitivity", Help: "A declared set of differences of a query between neighbors: what the exact privacy of a design is judged by.", Example: sensitivitySetup + "print(s)",
	Show: func(s mvg.Sensitivity) string { return "<sensitivity: " + s.Describe() + ">" },
	Attrs: []script.Attr[mvg.Sensitivity]{{
		Name: "shape", Help: "The rows and columns (m, n) of the query.", Example: sensitivitySetup + "print(s.shape)",
		Get: func(c *script.Call, s mvg.Sensitivity) (any, error) {
			m, n := s.Shape()
			return starlark.Tuple{starlark.MakeInt(m), starlark.MakeInt(n)}, nil
		},
	}, {
		Name: "s2", Help: "The L2 (Frobenius) sensitivity: the largest norm in the set (Definition 3).", Example: sensitivitySetup + "print(s.s2)",
		Get: func(c *script.Call, s mvg.Sensitivity) (any, error) {
			return script.Known(s.Frobenius()), nil
		},
	}, {
		Name: "gamma", Help: "The bound on the Frobenius norm of the query that Theorems 2 and 3 need; None where the set does not give one.", Example: sensitivitySetup + "print(s.gamma)",
		Get: func(c *script.Call, s mvg.Sensitivity) (any, error) {
			g, ok := s.Gamma()
			if !ok {
				return starlark.None, nil
			}
			return script.Known(g), nil
		},
	}},
}

const designSetup = "s = l2_sensitivity(2, 3, 1, 2)\nd = mvg(s, 1, 1e-3, theta=[0.8, 0.2])\n"

// claimedAttr is a quantity of Theorems 2 and 3.
func claimedAttr(name, help string, get func(k mvg.Constants) evidence.Claimed) script.Attr[*design] {
	return script.Attr[*design]{
		Name: name, Help: help + " Claimed; a design by \"theorem2\" or \"theorem3\" has it.", Example: designSetup + "print(d." + name + ")",
		Only: func(d *design) bool { return d.theorem != nil },
		Get: func(c *script.Call, d *design) (any, error) {
			return script.Known(get(d.theorem.Constants)), nil
		},
	}
}

var designClass = &script.Class[*design]{
	Name: "mvg design", Help: "A matrix-variate Gaussian mechanism with the sensitivity set that it is judged by.", Example: designSetup + "print(d)",
	Show: func(d *design) string {
		m, n := d.Sensitivity().Shape()
		return fmt.Sprintf("<mvg design, %s: %d×%d, element sd %s>", d.condition, m, n, evidence.FormatFloat(d.ElementSD(), 6))
	},
	Attrs: []script.Attr[*design]{
		claimedAttr("alpha", "α of Theorem 2: (H_r + H_{r,1/2})γ² + 2H_r γ s2.", func(k mvg.Constants) evidence.Claimed { return k.Alpha }),
		claimedAttr("beta", "β of Theorems 2 and 3: 2(mn)^{1/4} ζ(δ) H_r s2.", func(k mvg.Constants) evidence.Claimed { return k.Beta }),
		claimedAttr("omega", "ω of Theorem 3: 4 H_r γ s2.", func(k mvg.Constants) evidence.Claimed { return k.Omega }),
		claimedAttr("zeta", "ζ(δ) as read: the root of 2√(−mn ln δ) − 2 ln δ + mn, or that number as printed.", func(k mvg.Constants) evidence.Claimed { return k.Zeta }),
		{
			Name: "precision_budget", Help: "The bound on Σ p_i², p_i = 1/σ_i(Σ): d²/n for Ψ = I (Theorem 5) and d for Ψ = Σ (Theorem 6), d the right-hand side of (1) or (8). For other designs, the Σ p_i² that Σ spends.", Example: designSetup + "print(d.precision_budget)",
			Get: func(c *script.Call, d *design) (any, error) {
				if d.theorem == nil {
					return script.Known(d.PrecisionSquares()), nil
				}
				return script.Known(d.theorem.PrecisionBudget), nil
			},
		}, {
			Name: "row_variances", Help: "σ_i(Σ), the variances of the row-wise noise in the order of the directions.", Example: designSetup + "print(d.row_variances)",
			Get: func(c *script.Call, d *design) (any, error) {
				return script.Floats(d.Sigma().Variances()), nil
			},
		}, {
			Name: "sigma", Help: "Σ, the m×m covariance of the rows.", Example: designSetup + "print(d.sigma)",
			Get: func(c *script.Call, d *design) (any, error) { return covarianceMatrix(d.Sigma()) },
		}, {
			Name: "psi", Help: "Ψ, the n×n covariance of the columns.", Example: designSetup + "print(d.psi)",
			Get: func(c *script.Call, d *design) (any, error) { return covarianceMatrix(d.Psi()) },
		}, {
			Name: "element_sd", Help: "The root mean square over the elements of the noise, √(tr Σ·tr Ψ/mn), in the unit of the query.", Example: designSetup + "print(d.element_sd)",
			Get: func(c *script.Call, d *design) (any, error) { return script.Known(d.NoiseSD()), nil },
		}, {
			Name: "claimed_epsilon", Help: "The ε, in nats, that the condition promises at the design's delta. Claimed.", Example: designSetup + "print(d.claimed_epsilon)",
			Only: func(d *design) bool { _, ok := d.ClaimedEpsilon(); return ok }, Absent: "nothing is claimed of given covariances",
			Get: func(c *script.Call, d *design) (any, error) {
				eps, _ := d.ClaimedEpsilon()
				return script.Known(eps), nil
			},
		}, {
			Name: "whitened_sensitivity", Help: "The largest ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F over the sensitivity set: the design is exactly as private as unit Gaussian noise on a query of this L2 sensitivity. Certified.", Example: designSetup + "print(d.whitened_sensitivity)",
			Get: func(c *script.Call, d *design) (any, error) {
				return script.Known(d.WhitenedSensitivity()), nil
			},
		}, {
			Name: "smallest_epsilon", Help: "The least ε ≥ 0, in nats, at which the design is (ε, δ)-differentially private for its sensitivity set, at its own delta. Certified.", Example: designSetup + "print(d.smallest_epsilon)",
			Only: func(d *design) bool { return d.delta != nil }, Absent: "give delta= to mvg_noise, or ask epsilon_at(delta)",
			Get: func(c *script.Call, d *design) (any, error) {
				return certified(d.Privacy().Epsilon(c.Context, *d.delta))
			},
		}, {
			Name: "epsilon_at", Params: "delta", Help: "The least ε ≥ 0, in nats, at which the design is (ε, delta)-differentially private for its sensitivity set: inf at delta 0. Certified.", Example: designSetup + "print(d.epsilon_at(1e-6))",
			Run: func(c *script.Call, d *design) (any, error) {
				return certified(d.Privacy().Epsilon(c.Context, c.Float("delta")))
			},
		}, {
			Name: "delta_at", Params: "eps", Help: "The least δ at which the design is (eps, δ)-differentially private for its sensitivity set: at eps 0 the largest total variation distance of neighbors. eps in nats, at least 0. Certified.", Example: designSetup + "print(d.delta_at(0.1))",
			Run: func(c *script.Call, d *design) (any, error) {
				return certified(d.Privacy().Delta(c.Context, c.EpsilonOrZero("eps")))
			},
		}, {
			Name: "pnr", Params: "k", Help: "The power-to-noise ratio (24): det(K + Σ)/det Σ for a signal covariance K of order m, det(K + Ψ⊗Σ)/det(Ψ⊗Σ) for K of order mn, the covariance of the column-stacked vec.", Example: designSetup + "print(d.pnr([[1, 0], [0, 1]]))",
			Run: func(c *script.Call, d *design) (any, error) {
				return certified(d.PNR(denseOf(c.Matrix("k"))))
			},
		}, {
			Name: "log_pnr", Params: "k", Help: "The logarithm of pnr(k), where that is too large for a float.", Example: designSetup + "print(d.log_pnr([[1, 0], [0, 1]]))",
			Run: func(c *script.Call, d *design) (any, error) {
				return certified(d.LogPNR(denseOf(c.Matrix("k"))))
			},
		}, {
			Name: "mutual_information", Params: "k", Help: "½ ln pnr(k), in nats: the mutual information between a Gaussian f(X) of covariance k and its release; an upper bound for other laws (Lemma 10 holds for Gaussian f(X) only).", Example: designSetup + "print(d.mutual_information([[1, 0], [0, 1]]))",
			Run: func(c *script.Call, d *design) (any, error) {
				return certified(d.MutualInformation(denseOf(c.Matrix("k"))))
			},
		}, {
			Name: "draw_error", Help: "How far the covariance of what sample draws may be from Ψ⊗Σ, relatively and in any direction: draws are a product of standard normals with roots of Σ and Ψ whose entries are float64. That a normal is one of 2^53 numbers, and that products are rounded, comes on top. Certified.", Example: designSetup + "print(d.draw_error)",
			Get: func(c *script.Call, d *design) (any, error) { return script.Known(d.DrawError()), nil },
		}, {
			Name: "sample", Params: "x, seed=0", Help: "The query's answer x, an m×n matrix, plus a draw of the noise. For research: a release needs a cryptographic source and care with floating point.", Example: designSetup + "print(d.sample([[0, 0, 0], [0, 0, 0]], seed=1))",
			Run: func(c *script.Call, d *design) (any, error) {
				z, err := d.Release(denseOf(c.Matrix("x")), c.Source("seed"))
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

func newWaterfill(c *script.Call) (any, error) {
	norm := norm(c, "norm")
	var w *mvg.Waterfilling
	var err error
	if c.Given("weights") {
		if norm == mvg.L2 {
			c.Stop("weights belong to norm \"l1\"")
		}
		w, err = mvg.WaterfillWeighted(c.Floats("eigenvalues"), c.Floats("weights"), c.Float("budget"))
	} else {
		w, err = mvg.Waterfill(c.Floats("eigenvalues"), c.Float("budget"), norm)
	}
	if err != nil {
		return nil, err
	}
	return fillingClass.Of(c, &filling{w, norm}), nil
}

const fillingSetup = "w = waterfill([1, 2, 1e-6], 1)\n"

var fillingClass = &script.Class[*filling]{
	Name: "waterfilling", Help: "An optimal allocation of precision with its certificate.", Example: fillingSetup + "print(w)",
	Show: func(w *filling) string {
		return fmt.Sprintf("<waterfilling: %d of %d directions, ln PNR %s>", len(w.Active), len(w.Precisions), evidence.Span(w.Value, 6))
	},
	Attrs: []script.Attr[*filling]{{
		Name: "precisions", Help: "p_i = 1/σ_i(Σ), in the order of the eigenvalues; a direction with p_i = 0 is not released.", Example: fillingSetup + "print(w.precisions)",
		Get: func(c *script.Call, w *filling) (any, error) { return script.Floats(w.Precisions), nil },
	}, {
		Name: "level", Help: "c of p_i = (c − 1/λ_i)⁺ for norm \"l1\"; for \"l2\" the multiplier ν of λ_i/(1 + λ_i p_i) = 2νp_i.", Example: fillingSetup + "print(w.level)",
		Get: func(c *script.Call, w *filling) (any, error) { return script.Known(w.KnownLevel), nil },
	}, {
		Name: "active", Help: "The directions with positive precision.", Example: fillingSetup + "print(w.active)",
		Get: func(c *script.Call, w *filling) (any, error) { return script.Ints(w.Active), nil },
	}, {
		Name: "log_pnr", Help: "The optimum Σ ln(1 + λ_i p_i) in nats, enclosed between the value at these precisions and the Lagrange dual. Certified.", Example: fillingSetup + "print(w.log_pnr)",
		Get: func(c *script.Call, w *filling) (any, error) { return script.Known(w.Value), nil },
	}, {
		Name: "mutual_information", Help: "Half of log_pnr, in nats: of a Gaussian signal.", Example: fillingSetup + "print(w.mutual_information)",
		Get: func(c *script.Call, w *filling) (any, error) {
			return script.Known(w.MutualInformation()), nil
		},
	}, {
		Name: "residual", Help: "The largest relative violation of the KKT conditions.", Example: fillingSetup + "print(w.residual)",
		Get: func(c *script.Call, w *filling) (any, error) {
			return script.Known(w.Residual), nil
		},
	}},
}

const kroneckerSetup = "w = kronecker_waterfill([1, 3], [1, 2], 2)\n"

var kroneckerClass = &script.Class[*mvg.KroneckerFilling]{
	Name: "kronecker waterfilling", Help: "A locally optimal allocation of row and column precisions, with a bound on the global optimum.", Example: kroneckerSetup + "print(w)",
	Show: func(w *mvg.KroneckerFilling) string {
		from := "from the uniform start alone"
		if drawn := w.Starts - 1; drawn > 0 {
			from = fmt.Sprintf("reached from %d of %d starts: the uniform one and %d drawn", w.Found, w.Starts, drawn)
		}
		return fmt.Sprintf("<kronecker waterfilling, local: ln PNR %s, at most %s; %s>", evidence.FormatFloat(w.LogPNR, 6), evidence.FormatFloat(w.Value.Hi, 6), from)
	},
	Attrs: []script.Attr[*mvg.KroneckerFilling]{{
		Name: "rows", Help: "The row precisions p_a, of norm 1.", Example: kroneckerSetup + "print(w.rows)",
		Get: func(c *script.Call, w *mvg.KroneckerFilling) (any, error) {
			return script.Floats(w.Rows), nil
		},
	}, {
		Name: "columns", Help: "The column precisions q_b; with the rows' they spend the budget.", Example: kroneckerSetup + "print(w.columns)",
		Get: func(c *script.Call, w *mvg.KroneckerFilling) (any, error) {
			return script.Floats(w.Columns), nil
		},
	}, {
		Name: "local", Help: "The value Σ ln(1 + λ_a κ_b p_a q_b) of the allocation.", Example: kroneckerSetup + "print(w.local)",
		Get: func(c *script.Call, w *mvg.KroneckerFilling) (any, error) {
			return script.Known(w.Local), nil
		},
	}, {
		Name: "log_pnr", Help: "The global optimum, enclosed between this allocation and the optimum without the Kronecker structure. Certified.", Example: kroneckerSetup + "print(w.log_pnr)",
		Get: func(c *script.Call, w *mvg.KroneckerFilling) (any, error) {
			return script.Known(w.Value), nil
		},
	}, {
		Name: "residual", Help: "The largest relative violation of the KKT conditions of either half.", Example: kroneckerSetup + "print(w.residual)",
		Get: func(c *script.Call, w *mvg.KroneckerFilling) (any, error) {
			return starlark.Float(w.Residual), nil
		},
	}},
}

// optimalDesign is an optimum with what it was asked for.
type optimalDesign struct {
	*mvg.Optimum
	delta float64
}

func newOptimum(c *script.Call) (any, error) {
	s := script.Argument(c, "s", sensitivityClass)
	goal := mvg.Goal{}
	if c.Choice("objective", "error", "information") == "information" {
		goal.Objective = mvg.MostInformation
	}
	if c.Given("weights") {
		goal.Weights = c.Floats("weights")
	}
	r := recipe(c, "uni", "equi", "both")
	r.FreeAxes = c.Choice("axes", "given", "free") == "free"
	c.Progress("mvg_optimal", 0)
	o, err := mvg.Optimal(c.Context, s, goal, r)
	if err != nil {
		return nil, err
	}
	return mvgOptimumClass.Of(c, &optimalDesign{o, r.Delta}), nil
}

const mvgOptimumSetup = "o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)\n"

var mvgOptimumClass = &script.Class[*optimalDesign]{
	Name: "mvg optimum", Help: "The best design for an objective under exact privacy, with a bound that no other can pass.", Example: mvgOptimumSetup + "print(o)",
	Show: func(o *optimalDesign) string {
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
	Attrs: []script.Attr[*optimalDesign]{{
		Name: "precisions", Help: "p_i = 1/σ_i(Σ); a direction with p_i = 0 is not released.", Example: mvgOptimumSetup + "print(o.precisions)",
		Get: func(c *script.Call, o *optimalDesign) (any, error) {
			return script.Floats(o.Precisions), nil
		},
	}, {
		Name: "directions", Help: "The directions of Σ as columns, in the order of precisions; None is the standard basis.", Example: mvgOptimumSetup + "print(o.directions)",
		Get: func(c *script.Call, o *optimalDesign) (any, error) {
			if o.Directions == nil {
				return starlark.None, nil
			}
			return matrixFrom(o.Directions), nil
		},
	}, {
		Name: "optimum", Help: "The optimal value, the expected squared error or ln PNR, enclosed between this design's and a bound. Certified.", Example: mvgOptimumSetup + "print(o.optimum)",
		Get: func(c *script.Call, o *optimalDesign) (any, error) { return script.Known(o.Value), nil },
	}, {
		Name: "everywhere", Help: "Whether the bound holds for every Σ with that Ψ (every Σ and Ψ for modal \"both\"), not just for these directions.", Example: mvgOptimumSetup + "print(o.everywhere)",
		Get: func(c *script.Call, o *optimalDesign) (any, error) {
			return starlark.Bool(o.Everywhere), nil
		},
	}, {
		Name: "method", Help: "How the optimum was found and bounded.", Example: mvgOptimumSetup + "print(o.method)",
		Get: func(c *script.Call, o *optimalDesign) (any, error) { return starlark.String(o.Method), nil },
	}, {
		Name: "design", Help: "The mechanism; None where a direction is withheld (its precision is 0): no noise of finite variance does that, and print(o) says so.", Example: mvgOptimumSetup + "print(o.design.smallest_epsilon)",
		Get: func(c *script.Call, o *optimalDesign) (any, error) {
			if o.Design == nil {
				return starlark.None, nil
			}
			return designClass.Of(c, &design{Design: o.Design, delta: &o.delta, condition: "optimal"}), nil
		},
	}},
}

const rankOneSetup = "r = r1smg(10, 1, 1e-5)\n"

var rankOneClass = &script.Class[mvg.RankOne]{
	Name: "r1smg", Help: "The rank-one Gaussian mechanism of Ji and Li as claimed, with the privacy it really gives.", Example: rankOneSetup + "print(r)",
	Show: func(r mvg.RankOne) string {
		delta, _ := r.ClaimedDelta()
		return fmt.Sprintf("<r1smg in dimension %d: claimed delta %s, expected squared error %s>", r.Dimension, evidence.FormatFloat(delta.Value, 6), evidence.FormatFloat(r.Variance, 6))
	},
	Attrs: []script.Attr[mvg.RankOne]{{
		Name: "claimed_error", Help: "The expected squared norm of the noise.", Example: rankOneSetup + "print(r.claimed_error)",
		Get: func(c *script.Call, r mvg.RankOne) (any, error) {
			return script.Known(r.ClaimedError()), nil
		},
	}, {
		Name: "claimed_delta", Help: "The δ that the paper promises at the given ε. Claimed.", Example: rankOneSetup + "print(r.claimed_delta)",
		Get: func(c *script.Call, r mvg.RankOne) (any, error) {
			delta, _ := r.ClaimedDelta()
			return script.Known(delta), nil
		},
	}, {
		Name: "delta_at", Params: "eps, tolerance=0.001", Help: "The real δ at ε ≥ 0, by enclosing the privacy loss on cells of radius and angle, to within tolerance where 4 million cells allow. Certified.", Example: rankOneSetup + "print(r.delta_at(1))",
		Run: func(c *script.Call, r mvg.RankOne) (any, error) {
			c.Progress("delta_at", 0)
			return certified(r.Privacy(c.Float("tolerance")).Delta(c.Context, c.EpsilonOrZero("eps")))
		},
	}, {
		Name: "sample", Params: "x, seed=0", Help: "A matrix with as many elements as the dimension plus a draw of the noise. For research.", Example: "r = r1smg(4, 1, 1e-5)\nprint(r.sample([[0, 0], [0, 0]], seed=1))",
		Run: func(c *script.Call, r mvg.RankOne) (any, error) {
			z, err := r.Release(denseOf(c.Matrix("x")), c.Source("seed"))
			if err != nil {
				return nil, err
			}
			return matrixFrom(z), nil
		},
	}},
}
