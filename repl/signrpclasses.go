package repl

import (
	"fmt"
	"sync/atomic"

	"dpworkbench/evidence"
	"dpworkbench/signrp"

	"go.starlark.net/starlark"
)

func newCounter() *atomic.Int64 { return new(atomic.Int64) }

const projectionSetup = "w = projection(20, 4, seed=1)\n"

// projectionClass is a random projection.
var projectionClass = &class[*signrp.Projection]{
	name: "projection", help: "A random projection of p numbers to k.", example: projectionSetup + "print(w)",
	show: func(w *signrp.Projection) string {
		switch {
		case w.Kind() == signrp.Sparse:
			return fmt.Sprintf("<sparse projection of %d numbers to %d, s = %s, seed %d>", w.P(), w.K(), evidence.FormatFloat(w.S(), 6), w.Seed())
		case w.Padded() != w.P():
			return fmt.Sprintf("<oporp projection of %d numbers, padded to %d, to %d, seed %d>", w.P(), w.Padded(), w.K(), w.Seed())
		}
		return fmt.Sprintf("<%s projection of %d numbers to %d, seed %d>", w.Kind(), w.P(), w.K(), w.Seed())
	},
	attrs: []attr[*signrp.Projection]{{
		name: "p", help: "Dimension of the data.", example: projectionSetup + "print(w.p)",
		get: func(c *call, w *signrp.Projection) (starlark.Value, error) { return starlark.MakeInt(w.P()), nil },
	}, {
		name: "k", help: "Dimension of the projection.", example: projectionSetup + "print(w.k)",
		get: func(c *call, w *signrp.Projection) (starlark.Value, error) { return starlark.MakeInt(w.K()), nil },
	}, {
		name: "kind", help: `"rademacher", "gaussian", "uniform", "sparse" or "oporp".`, example: projectionSetup + "print(w.kind)",
		get: func(c *call, w *signrp.Projection) (starlark.Value, error) { return starlark.String(w.Kind()), nil },
	}, {
		name: "padded", help: "The dimension that OPORP works in: p rounded up to a multiple of k; p for others.", example: "print(oporp(10, 4).padded)",
		get: func(c *call, w *signrp.Projection) (starlark.Value, error) { return starlark.MakeInt(w.Padded()), nil },
	}, {
		name: "matrix", help: "W as a matrix of p rows, at most 2^24 entries.", example: projectionSetup + "print(w.matrix[0])",
		get: func(c *call, w *signrp.Projection) (starlark.Value, error) {
			rows, err := w.Matrix()
			return matrixOf(rows), err
		},
	}, {
		name: "sensitivity", params: "beta=1", help: "The L2 sensitivity β·max_i‖W_i‖/√k of x for neighbors that differ in one coordinate by at most beta: exactly beta for Rademacher and OPORP, certified for others.", example: projectionSetup + "print(w.sensitivity(0.5))",
		run: func(c *call, w *signrp.Projection) (starlark.Value, error) {
			return number(w.Sensitivity(c.ctx, c.float("beta")))
		},
	}, {
		name: "apply", params: "u", help: "x = Wᵀu/√k, or OPORP's bin sums: a list of k floats for a vector u in [-1, 1]^p, a matrix of n rows for n vectors.", example: projectionSetup + "print(w.apply([0.5] * 20))",
		run: func(c *call, w *signrp.Projection) (starlark.Value, error) {
			if isRows(c.value("u")) {
				x, err := w.ApplyAll(c.ctx, c.matrix("u"))
				return matrixOf(x), err
			}
			x, err := w.Apply(c.ctx, c.floats("u"))
			return floatList(x), err
		},
	}, {
		name: "levels", params: "u, beta=1", help: "L_j = ⌈|w_jᵀu|/(β·max_i|W_ij|)⌉ of every sign (Algorithm 4): signs with L = 1 or 0 are within reach of a neighbor.", example: projectionSetup + "print(w.levels([0.5] * 20))",
		run: func(c *call, w *signrp.Projection) (starlark.Value, error) {
			l, err := w.Levels(c.ctx, c.floats("u"), c.float("beta"))
			return intList(l), err
		},
	}},
}

func isRows(v starlark.Value) bool {
	if _, ok := v.(*Matrix); ok {
		return true
	}
	vs, ok := elements(v)
	if !ok || len(vs) == 0 {
		return false
	}
	_, ok = elements(vs[0])
	return ok
}

const releaseSetup = "r = dp_signrp(projection(20, 4, seed=1), 2)\nu, v = [0.5] * 20, [-0.5] + [0.5] * 19\n"

const rpSetup = "r = dp_rp(projection(20, 4, seed=1), 1, 1e-6)\nu, v = [0.5] * 20, [-0.5] + [0.5] * 19\n"

// releaseClass is a private projection.
var releaseClass = &class[*signrp.Release]{
	name: "release", help: "A private version of a vector's projection or of its signs. Three readings of its privacy are kept apart: smallest_epsilon and delta_at are individual (W and u given), public_epsilon is differential privacy with public W, random_w_delta is about random W.", example: releaseSetup + "print(r)",
	show: func(r *signrp.Release) string {
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
	attrs: []attr[*signrp.Release]{{
		name: "name", help: "The paper's name of the release.", example: releaseSetup + "print(r.name)",
		get: func(c *call, r *signrp.Release) (starlark.Value, error) { return starlark.String(r.Name()), nil },
	}, {
		name: "label", help: "What kind of guarantee it has: for iDP releases \"" + signrp.IndividualLabel + "\".", example: "print(idp_signrp(projection(20, 4), 1).label)",
		get: func(c *call, r *signrp.Release) (starlark.Value, error) { return starlark.String(r.Label()), nil },
	}, {
		name: "claimed_epsilon", help: "ε as the paper claims it, nats.", example: releaseSetup + "print(r.claimed_epsilon)",
		get: func(c *call, r *signrp.Release) (starlark.Value, error) { return known(r.ClaimedEpsilon()), nil },
	}, {
		name: "delta", help: "The δ that was given, 0 for none.", example: rpSetup + "print(r.delta)",
		get: func(c *call, r *signrp.Release) (starlark.Value, error) { return starlark.Float(r.Delta()), nil },
	}, {
		name: "sigma", only: (*signrp.Release).HasSigma, help: "Standard deviation of the Gaussian noise, in the unit of x; its upper end is what is drawn.", example: rpSetup + "print(r.sigma)",
		get: func(c *call, r *signrp.Release) (starlark.Value, error) { return certified(r.Sigma()) },
	}, {
		name: "public_epsilon", help: "Privacy over all pairs of neighbors for this W, public: differential privacy. For randomised response it is ε'·max_i #{j : W_ij ≠ 0}, exact; for numbers and Gaussian noise at the release's δ, certified; infinite for iDP, except where no sign can leave the reach of a neighbor.", example: releaseSetup + "print(r.public_epsilon)",
		get: func(c *call, r *signrp.Release) (starlark.Value, error) {
			delta := 0.0
			if r.HasSigma() {
				delta = r.Delta()
			}
			return number(r.Public().Epsilon(c.ctx, delta))
		},
	}, {
		name: "public_delta", params: "eps", help: "The least δ over all pairs of neighbors for this W, certified between a pair and a theorem.", example: releaseSetup + "print(r.public_delta(0.5))",
		run: func(c *call, r *signrp.Release) (starlark.Value, error) {
			return number(r.Public().Delta(c.ctx, c.epsilon("eps")))
		},
	}, {
		name: "release", params: "u, seed=0, clip=False", help: "Release a vector u in [-1, 1]^p once: a list of floats, or of signs 1 and -1. clip moves entries outside to the nearest end; otherwise they are an error. For research: a real release needs a cryptographic source.", example: releaseSetup + "print(r.release(u, seed=3))",
		run: func(c *call, r *signrp.Release) (starlark.Value, error) {
			u := c.floats("u")
			if c.bool("clip") {
				var err error
				if u, err = signrp.Clip("u", u); err != nil {
					return nil, err
				}
			}
			out, err := r.Release(c.ctx, u, c.source("seed"))
			if err != nil {
				return nil, err
			}
			if r.Signs() {
				return intList(out.Signs), nil
			}
			return floatList(out.Numbers), nil
		},
	}, {
		name: "variance", params: "u, v", help: "The variance of the estimate from releases of u and v: of the inner product from numbers (Theorems C.1 to C.3, certified), of the angle from plainly flipped signs (Theorem 4.5, claimed, for Gaussian W).", example: rpSetup + "print(r.variance(u, v))",
		run: func(c *call, r *signrp.Release) (starlark.Value, error) {
			return number(r.Variance(c.floats("u"), c.floats("v")))
		},
	}, {
		name: "smallest_epsilon", params: "u, v=None", help: "Individual privacy for this W: between u and v, or where v is None the largest over the neighbors of u. For signs with δ = 0 (exact for randomised response, certified for Gaussian noise, infinite where one vector's patterns are impossible for the other); for numbers at the release's δ.", example: releaseSetup + "print(r.smallest_epsilon(u, v), r.smallest_epsilon(u))",
		run: func(c *call, r *signrp.Release) (starlark.Value, error) {
			if c.given("v") {
				return number(r.Pair(c.floats("u"), c.floats("v")).Epsilon(c.ctx, ownDelta(r)))
			}
			return number(r.Neighbors(c.floats("u")).Epsilon(c.ctx, ownDelta(r)))
		},
	}, {
		name: "worst_neighbor", params: "u", help: "The neighbor of u that smallest_epsilon(u) stands for: a tuple of the coordinate that moves and where it goes; None where no move matters.", example: releaseSetup + "print(r.worst_neighbor(u))",
		run: func(c *call, r *signrp.Release) (starlark.Value, error) {
			worst, err := r.Neighbors(c.floats("u")).Worst(c.ctx)
			if err != nil || worst.Coordinate < 0 {
				return starlark.None, err
			}
			return starlark.Tuple{starlark.MakeInt(worst.Coordinate), starlark.Float(worst.To)}, nil
		},
	}, {
		name: "ball_epsilon", params: "u", help: "An enclosure of the largest smallest_epsilon between u and the vectors within ℓ1 distance β of it; infinite where an iDP release has other signs within reach at one of them, which is decided exactly.", example: releaseSetup + "print(r.ball_epsilon(u))",
		run: func(c *call, r *signrp.Release) (starlark.Value, error) {
			return number(r.Ball(c.floats("u")).Epsilon(c.ctx, ownDelta(r)))
		},
	}, {
		name: "delta_at", params: "eps, u, v", help: "The least δ at which the release is (eps, δ)-private between u and v for this W, in both directions: exact where e^eps and e^ε' are rational, certified otherwise.", example: releaseSetup + "print(r.delta_at(0.5, u, v))",
		run: func(c *call, r *signrp.Release) (starlark.Value, error) {
			return number(r.Pair(c.floats("u"), c.floats("v")).Delta(c.ctx, c.epsilon("eps")))
		},
	}, {
		name: "epsilon_at", params: "delta, u, v", help: "An enclosure of the smallest ε at which the release is (ε, delta)-private between u and v for this W.", example: releaseSetup + "print(r.epsilon_at(0.01, u, v))",
		run: func(c *call, r *signrp.Release) (starlark.Value, error) {
			return number(r.Pair(c.floats("u"), c.floats("v")).Epsilon(c.ctx, c.float("delta")))
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
