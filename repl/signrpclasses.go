package repl

import (
	"fmt"
	"sync/atomic"

	"dpworkbench/evidence"
	"dpworkbench/script"
	"dpworkbench/signrp"

	"go.starlark.net/starlark"
)

func newCounter() *atomic.Int64 { return new(atomic.Int64) }

const projectionSetup = "w = projection(20, 4, seed=1)\n"

// projectionClass is a random projection.
var projectionClass = &script.Class[*signrp.Projection]{
	Name: "projection", Help: "A random projection of p numbers to k.", Example: projectionSetup + "print(w)",
	Show: func(w *signrp.Projection) string {
		switch {
		case w.Kind() == signrp.Sparse:
			return fmt.Sprintf("<sparse projection of %d numbers to %d, s = %s, seed %d>", w.P(), w.K(), evidence.FormatFloat(w.S(), 6), w.Seed())
		case w.Padded() != w.P():
			return fmt.Sprintf("<oporp projection of %d numbers, padded to %d, to %d, seed %d>", w.P(), w.Padded(), w.K(), w.Seed())
		}
		return fmt.Sprintf("<%s projection of %d numbers to %d, seed %d>", w.Kind(), w.P(), w.K(), w.Seed())
	},
	Attrs: []script.Attr[*signrp.Projection]{{
		Name: "p", Help: "Dimension of the data.", Example: projectionSetup + "print(w.p)",
		Get: func(c *script.Call, w *signrp.Projection) (any, error) {
			return starlark.MakeInt(w.P()), nil
		},
	}, {
		Name: "k", Help: "Dimension of the projection.", Example: projectionSetup + "print(w.k)",
		Get: func(c *script.Call, w *signrp.Projection) (any, error) {
			return starlark.MakeInt(w.K()), nil
		},
	}, {
		Name: "kind", Help: `"rademacher", "gaussian", "uniform", "sparse" or "oporp".`, Example: projectionSetup + "print(w.kind)",
		Get: func(c *script.Call, w *signrp.Projection) (any, error) {
			return starlark.String(w.Kind()), nil
		},
	}, {
		Name: "padded", Help: "The dimension that OPORP works in: p rounded up to a multiple of k; p for others.", Example: "print(oporp(10, 4).padded)",
		Get: func(c *script.Call, w *signrp.Projection) (any, error) {
			return starlark.MakeInt(w.Padded()), nil
		},
	}, {
		Name: "matrix", Help: "W as a matrix of p rows, at most 2^24 entries.", Example: projectionSetup + "print(w.matrix[0])",
		Get: func(c *script.Call, w *signrp.Projection) (any, error) {
			rows, err := w.Matrix()
			return script.NewMatrix(rows), err
		},
	}, {
		Name: "sensitivity", Params: "beta=1", Help: "The L2 sensitivity β·max_i‖W_i‖/√k of x for neighbors that differ in one coordinate by at most beta: exactly beta for Rademacher and OPORP, certified for others.", Example: projectionSetup + "print(w.sensitivity(0.5))",
		Run: func(c *script.Call, w *signrp.Projection) (any, error) {
			return number(w.Sensitivity(c.Context, c.Float("beta")))
		},
	}, {
		Name: "apply", Params: "u", Help: "x = Wᵀu/√k, or OPORP's bin sums: a list of k floats for a vector u in [-1, 1]^p, a matrix of n rows for n vectors.", Example: projectionSetup + "print(w.apply([0.5] * 20))",
		Run: func(c *script.Call, w *signrp.Projection) (any, error) {
			if isRows(c.Value("u")) {
				x, err := w.ApplyAll(c.Context, c.Matrix("u"))
				return script.NewMatrix(x), err
			}
			x, err := w.Apply(c.Context, c.Floats("u"))
			return script.Floats(x), err
		},
	}, {
		Name: "levels", Params: "u, beta=1", Help: "L_j = ⌈|w_jᵀu|/(β·max_i|W_ij|)⌉ of every sign (Algorithm 4): signs with L = 1 or 0 are within reach of a neighbor.", Example: projectionSetup + "print(w.levels([0.5] * 20))",
		Run: func(c *script.Call, w *signrp.Projection) (any, error) {
			l, err := w.Levels(c.Context, c.Floats("u"), c.Float("beta"))
			return script.Ints(l), err
		},
	}},
}

func isRows(v starlark.Value) bool {
	if _, ok := v.(*script.Matrix); ok {
		return true
	}
	vs, ok := script.Elements(v)
	if !ok || len(vs) == 0 {
		return false
	}
	_, ok = script.Elements(vs[0])
	return ok
}

const releaseSetup = "r = dp_signrp(projection(20, 4, seed=1), 2)\nu, v = [0.5] * 20, [-0.5] + [0.5] * 19\n"

const rpSetup = "r = dp_rp(projection(20, 4, seed=1), 1, 1e-6)\nu, v = [0.5] * 20, [-0.5] + [0.5] * 19\n"

// releaseClass is a private projection.
var releaseClass = &script.Class[*signrp.Release]{
	Name: "release", Help: "A private version of a vector's projection or of its signs. Three readings of its privacy are kept apart: smallest_epsilon and delta_at are individual (W and u given), public_epsilon is differential privacy with public W, random_w_delta is about random W.", Example: releaseSetup + "print(r)",
	Show: func(r *signrp.Release) string {
		what := "numbers"
		if r.Signs() {
			what = "signs"
		}
		claimed := evidence.FormatFloat(r.ClaimedEpsilon().Value, 6)
		if r.Delta() > 0 {
			claimed = fmt.Sprintf("(%s, %s)", claimed, evidence.FormatFloat(r.Delta(), 6))
		}
		return fmt.Sprintf("<%s: %d %s of %d numbers, β = %s, claimed ε %s; %s>", r.Name(), r.K(), what, r.P(), evidence.FormatFloat(r.Beta(), 6), claimed, r.Label())
	},
	Attrs: []script.Attr[*signrp.Release]{{
		Name: "name", Help: "The paper's name of the release.", Example: releaseSetup + "print(r.name)",
		Get: func(c *script.Call, r *signrp.Release) (any, error) { return starlark.String(r.Name()), nil },
	}, {
		Name: "label", Help: "What kind of guarantee it has: for iDP releases \"" + signrp.IndividualLabel + "\".", Example: "print(idp_signrp(projection(20, 4), 1).label)",
		Get: func(c *script.Call, r *signrp.Release) (any, error) {
			return starlark.String(r.Label()), nil
		},
	}, {
		Name: "claimed_epsilon", Help: "ε as the paper claims it, nats.", Example: releaseSetup + "print(r.claimed_epsilon)",
		Get: func(c *script.Call, r *signrp.Release) (any, error) {
			return script.Known(r.ClaimedEpsilon()), nil
		},
	}, {
		Name: "delta", Help: "The δ that was given, 0 for none.", Example: rpSetup + "print(r.delta)",
		Get: func(c *script.Call, r *signrp.Release) (any, error) { return starlark.Float(r.Delta()), nil },
	}, {
		Name: "sigma", Only: (*signrp.Release).HasSigma, Help: "Standard deviation of the Gaussian noise, in the unit of x; its upper end is what is drawn.", Example: rpSetup + "print(r.sigma)",
		Get: func(c *script.Call, r *signrp.Release) (any, error) { return certified(r.Sigma()) },
	}, {
		Name: "public_epsilon", Help: "Privacy over all pairs of neighbors for this W, public: differential privacy. For randomised response it is ε'·max_i #{j : W_ij ≠ 0}, exact; for numbers and Gaussian noise at the release's δ, certified; infinite for iDP, except where no sign can leave the reach of a neighbor.", Example: releaseSetup + "print(r.public_epsilon)",
		Get: func(c *script.Call, r *signrp.Release) (any, error) {
			delta := 0.0
			if r.HasSigma() {
				delta = r.Delta()
			}
			return number(r.Public().Epsilon(c.Context, delta))
		},
	}, {
		Name: "public_delta", Params: "eps", Help: "The least δ over all pairs of neighbors for this W, certified between a pair and a theorem.", Example: releaseSetup + "print(r.public_delta(0.5))",
		Run: func(c *script.Call, r *signrp.Release) (any, error) {
			return number(r.Public().Delta(c.Context, c.Epsilon("eps")))
		},
	}, {
		Name: "release", Params: "u, seed=0, clip=False", Help: "Release a vector u in [-1, 1]^p once: a list of floats, or of signs 1 and -1. clip moves entries outside to the nearest end; otherwise they are an error. For research: a real release needs a cryptographic source.", Example: releaseSetup + "print(r.release(u, seed=3))",
		Run: func(c *script.Call, r *signrp.Release) (any, error) {
			u := c.Floats("u")
			if c.Bool("clip") {
				var err error
				if u, err = signrp.Clip("u", u); err != nil {
					return nil, err
				}
			}
			out, err := r.Release(c.Context, u, c.Source("seed"))
			if err != nil {
				return nil, err
			}
			if r.Signs() {
				return script.Ints(out.Signs), nil
			}
			return script.Floats(out.Numbers), nil
		},
	}, {
		Name: "variance", Params: "u, v", Help: "The variance of the estimate from releases of u and v: of the inner product from numbers (Theorems C.1 to C.3, certified), of the angle from plainly flipped signs (Theorem 4.5, claimed, for Gaussian W).", Example: rpSetup + "print(r.variance(u, v))",
		Run: func(c *script.Call, r *signrp.Release) (any, error) {
			return number(r.Variance(c.Floats("u"), c.Floats("v")))
		},
	}, {
		Name: "smallest_epsilon", Params: "u, v=None", Help: "Individual privacy for this W: between u and v, or where v is None the largest over the neighbors of u. For signs with δ = 0 (exact for randomised response, certified for Gaussian noise, infinite where one vector's patterns are impossible for the other); for numbers at the release's δ.", Example: releaseSetup + "print(r.smallest_epsilon(u, v), r.smallest_epsilon(u))",
		Run: func(c *script.Call, r *signrp.Release) (any, error) {
			if c.Given("v") {
				return number(r.Pair(c.Floats("u"), c.Floats("v")).Epsilon(c.Context, ownDelta(r)))
			}
			return number(r.Neighbors(c.Floats("u")).Epsilon(c.Context, ownDelta(r)))
		},
	}, {
		Name: "worst_neighbor", Params: "u", Help: "The neighbor of u that smallest_epsilon(u) stands for: a tuple of the coordinate that moves and where it goes; None where no move matters.", Example: releaseSetup + "print(r.worst_neighbor(u))",
		Run: func(c *script.Call, r *signrp.Release) (any, error) {
			worst, err := r.Neighbors(c.Floats("u")).Worst(c.Context)
			if err != nil || worst.Coordinate < 0 {
				return starlark.None, err
			}
			return starlark.Tuple{starlark.MakeInt(worst.Coordinate), starlark.Float(worst.To)}, nil
		},
	}, {
		Name: "ball_epsilon", Params: "u", Help: "An enclosure of the largest smallest_epsilon between u and the vectors within ℓ1 distance β of it; infinite where an iDP release has other signs within reach at one of them, which is decided exactly.", Example: releaseSetup + "print(r.ball_epsilon(u))",
		Run: func(c *script.Call, r *signrp.Release) (any, error) {
			return number(r.Ball(c.Floats("u")).Epsilon(c.Context, ownDelta(r)))
		},
	}, {
		Name: "delta_at", Params: "eps, u, v", Help: "The least δ at which the release is (eps, δ)-private between u and v for this W, in both directions: exact where e^eps and e^ε' are rational, certified otherwise.", Example: releaseSetup + "print(r.delta_at(0.5, u, v))",
		Run: func(c *script.Call, r *signrp.Release) (any, error) {
			return number(r.Pair(c.Floats("u"), c.Floats("v")).Delta(c.Context, c.Epsilon("eps")))
		},
	}, {
		Name: "epsilon_at", Params: "delta, u, v", Help: "An enclosure of the smallest ε at which the release is (ε, delta)-private between u and v for this W.", Example: releaseSetup + "print(r.epsilon_at(0.01, u, v))",
		Run: func(c *script.Call, r *signrp.Release) (any, error) {
			return number(r.Pair(c.Floats("u"), c.Floats("v")).Epsilon(c.Context, c.Float("delta")))
		},
	}},
}

// ownDelta is the δ at which the smallest ε of a release is told: its own where
// numbers are released, 0 for signs.
func ownDelta(r *signrp.Release) float64 {
	if r.Signs() {
		return 0
	}
	return r.Delta()
}
