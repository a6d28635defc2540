package repl

import (
	"fmt"
	"math"

	"dpworkbench/script"
	"dpworkbench/workload"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/mat"
)

const workloadSetup = "w = prefix_sums(8)\n"

// workloadBuiltins returns linear workloads, strategies for them, and the least error of any strategy.
func workloadBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("prefix_sums(n: int[1..1048576]) -> workload",
			"The linear workload of all sums x_0 + … + x_i, i < n, of a stream x, as released by training with "+
				"DP-FTRL and by counters under continual release. strategy(w, …) gives its noise a covariance, and "+
				"optimum(w) is the least error of any strategy.",
			"w = prefix_sums(8)\nprint(optimum(w), strategy(w, \"square_root\").max_error)", func(c *script.Call) (any, error) {
				return workload.PrefixSums(c.Int("n"))
			}),
		script.Func("ranges(n: int[1..321]) -> workload",
			"The linear workload of all n(n+1)/2 sums x_i + … + x_j, i ≤ j < n, of a histogram x: AllRange of HDMM.",
			"w = ranges(5)\nprint(w.shape, optimum(w, objective=\"mean\"))", func(c *script.Call) (any, error) {
				return workload.Ranges(c.Int("n"))
			}),
		script.Func("marginals(shape: ints, order: int[0..]) -> workload",
			"The linear workload of all marginals of the given order of a table: for each choice of order "+
				"axes, in lexicographic order, the sums over the other axes. shape has the sizes of the axes. The "+
				"vector x lists the cells of the table, with the index of the last axis varying fastest.",
			"w = marginals([2, 3, 2], 2)\nprint(w.shape, strategy(w, \"identity\").max_error)", func(c *script.Call) (any, error) {
				return workload.Marginals(c.Ints("shape"), c.Int("order"))
			}),
		script.Func("toeplitz(coefficients: numbers) -> workload",
			"The linear workload of a stream whose answer at step i is Σ_k coefficients[k]·x_{i−k}, such as "+
				"momentum or a decaying sum: a lower triangular Toeplitz matrix with these numbers as its first "+
				"column.",
			"w = toeplitz([math.pow(0.5, k) for k in range(8)])\nprint(w, optimum(w))", func(c *script.Call) (any, error) {
				return workload.NewToeplitz(fmt.Sprintf("toeplitz of order %d", len(c.Floats("coefficients"))), c.Floats("coefficients"))
			}),
		script.Func("kron(a: workload, b: workload) -> workload",
			"The Kronecker product of two workloads: each of its answers applies an answer of a along one axis "+
				"of a table and an answer of b along the other. Its optimum is the product of the optima of a and "+
				"b.",
			"w = kron(prefix_sums(4), ranges(3))\nprint(w.shape, optimum(w))", func(c *script.Call) (any, error) {
				return workload.NewKronecker(workloadClass.Arg(c, "a"), workloadClass.Arg(c, "b"))
			}),
		script.Func("workload(matrix: dense) -> workload",
			"A linear workload: a matrix W with a row for each answer in Wx, where x is a vector or a matrix. "+
				"Neighbors change an entry of the vector x by at most 1, or a row of the matrix x by a vector of "+
				"norm at most 1.",
			"w = workload([[1, 1], [1, -1], [0, 1]])\nprint(optimum(w))", func(c *script.Call) (any, error) {
				return workload.NewMatrix("matrix", c.Arg("matrix").(*mat.Dense))
			}),
		script.Func(`strategy(w: workload, how: `+
			`dense|"square_root"|"toeplitz"|"banded"|"blt"|"tree"|"identity"|"optimal", objective: `+
			`"max"|"mean"="max", participation: participation=None, contributions: "vector"|"scalar"="vector", `+
			`bands: int[1..]=None, degree: int[1..20]=None, arity: int[2..]=None) -> strategy`,
			`A factorisation W = BC of a workload (the matrix mechanism): Gaussian noise is added to Cx, and `+
				`the decoder B = WC⁺ computes the answers with the least variance. how is a matrix C from which W `+
				`can be computed, or a name. "square_root" is the Toeplitz matrix of the square root of the `+
				`generating function (Fichtenberger, Henzinger and Upadhyay 2022; Henzinger, Upadhyay and Upadhyay `+
				`2023). "toeplitz" is the best lower triangular Toeplitz matrix that a local search from there `+
				`finds. "banded" is the best lower triangular matrix with the given number of diagonals `+
				`(Choquette-Choo and others 2023). The default is 32, or the separation of participation if that `+
				`is less. With more than 2^28/n² bands, or more than the separation, it is the best such Toeplitz `+
				`matrix. "blt" is a buffered linear Toeplitz matrix of the given degree, the number of its `+
				`buffers, by default 4 (Dvijotham and others 2024). These four are for prefix_sums, toeplitz, and `+
				`Kronecker products of these. "tree" is the tree of the given arity, by default 2, with the `+
				`consistent least-squares decoder (Hay and others 2010; Honaker 2015). "identity" adds the noise `+
				`to x. "optimal" is the factorisation that attains optimum up to its gap. objective is the error `+
				`to minimise: "max" is the largest standard deviation of an answer, "mean" the root of the mean `+
				`variance. participation says which steps one person may contribute to: by default one step; `+
				`(epochs, separation) means at most that many steps, exactly that far apart; and (epochs, `+
				`separation, "at_least") means at least that far apart. A person's contribution to each step is a `+
				`vector of norm at most 1, or with contributions="scalar" a number of at most 1 in absolute value; `+
				`numbers change Cx less if CᵀC has negative entries.`,
			workloadSetup+"for how in [\"square_root\", \"tree\", \"identity\"]:\n    s = strategy(w, how)\n    "+
				"print(how, s.max_error, s.over_optimum)", newStrategy),
		script.Func(`optimum(w: workload, objective: "max"|"mean"="max", participation: participation=None, contributions: `+
			`"vector"|"scalar"="vector", gap: positive=None) -> evidence`,
			"The least error of any strategy for a workload at equal privacy, over all factorisations W = BC: "+
				"the largest standard deviation of an answer, or the root of the mean variance, at sensitivity 1 "+
				"under the participation pattern and noise of standard deviation 1. Certified: the lower bound is "+
				"a nuclear norm of W with weighted answers and steps, and the upper bound is the error of a "+
				"factorisation. gap is the relative distance of the two bounds at which the search stops: by "+
				"default 1e-7; 1e-6 if one person has more than 2,000 pairs of steps; and 1e-3 with one "+
				"participation above 512 columns, unless W is Toeplitz with a banded inverse, as prefix sums are. "+
				"For \"max\" the optimum is the factorisation norm γ₂(W). W has at most 4,096 rows and columns "+
				"together; for \"max\" and one participation it may instead have at most 512 columns and at least "+
				"four times as many rows.",
			workloadSetup+"print(optimum(w), optimum(w, objective=\"mean\"))", func(c *script.Call) (any, error) {
				o, err := bestOf(c, c.Value("w").(*script.Object), objectiveOf(c), participationOf(c), c.Float("gap"))
				return o.Error, err
			}),
	}
}

// participationKind reads None, (epochs, separation), or (epochs, separation, "at_least").
var participationKind = script.KindOf("participation",
	func(c *script.Call, name string, v starlark.Value) workload.Participation {
		parts := elements(c, name, v, `a pair (epochs, separation), or (epochs, separation, "at_least")`, 2, 3)
		p := workload.Participation{Kind: workload.Fixed, Epochs: c.IntOf(name+"[0]", parts[0]), Separation: c.IntOf(name+
			"[1]", parts[1])}
		if len(parts) == 3 {
			switch how, _ := starlark.AsString(parts[2]); how {
			case "at_least":
				p.Kind = workload.MinSeparation
			case "exactly":
			default:
				c.Fail(name+"[2]", parts[2], `"exactly" or "at_least"`)
			}
		}
		return p
	})

func participationOf(c *script.Call) workload.Participation {
	p, _ := c.Arg("participation").(workload.Participation)
	p.Scalar = c.Text("contributions") == "scalar"
	return p
}

func objectiveOf(c *script.Call) workload.Objective {
	if c.Text("objective") == "mean" {
		return workload.Mean
	}
	return workload.Max
}

// bestOf returns the optimum of a workload, and caches it in the workload's value.
func bestOf(c *script.Call, w *script.Object, o workload.Objective, p workload.Participation, gap float64) (workload.Optimum, error) {
	of := w.Inner().(workload.Workload)
	found, err := w.Cached(fmt.Sprint("optimum", o, p, gap), func() (any, error) {
		return workload.LeastError(c.Context, of, o, p, workload.Options{Gap: gap})
	})
	if err != nil {
		return workload.Optimum{}, err
	}
	return found.(workload.Optimum), nil
}

var workloadClass = &script.Class[workload.Workload]{
	Name: "workload", Help: "A linear workload: the answers Wx that are wanted about a vector x.", Setup: "w = " +
		"prefix_sums(4)\n",
	Show: func(w workload.Workload) string {
		rows, columns := w.Dims()
		return fmt.Sprintf("<workload %s: %d answers about %d numbers>", w.Name(), rows, columns)
	},
	Attrs: []script.Attr[workload.Workload]{
		script.Get("shape -> tuple", "The numbers of answers and of entries of x.", "", func(w workload.Workload) any {
			rows, columns := w.Dims()
			return script.Tuple{rows, columns}
		}),
		script.Do("matrix -> matrix", "W, with a row for each answer.", "", func(_ *script.Call, w workload.Workload) (any, error) { return written(w.Dense()) }),
	},
}

// written returns a matrix as a script value.
func written(m *mat.Dense, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	const most = math.MaxInt
	if r, c := m.Dims(); r > most/c {
		return nil, fmt.Errorf("the matrix has %d × %d entries, want at most %d", r, c, most)
	}
	return m, nil
}
