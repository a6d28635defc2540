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
			"The linear workload of all sums x_0 + … + x_i, i < n, of a stream x: what training with DP-FTRL, or a "+
				"counter that goes on, releases. strategy(w, …) makes noise for it, optimum(w) is the least error of any.",
			"w = prefix_sums(8)\nprint(optimum(w), strategy(w, \"square_root\").max_error)", func(c *script.Call) (any, error) {
				return workload.PrefixSums(c.Int("n"))
			}),
		script.Func("ranges(n: int[1..321]) -> workload",
			"The linear workload of all n(n+1)/2 sums x_i + … + x_j, i ≤ j < n, of a histogram x: AllRange of HDMM.",
			"w = ranges(5)\nprint(w.shape, optimum(w, objective=\"mean\"))", func(c *script.Call) (any, error) {
				return workload.Ranges(c.Int("n"))
			}),
		script.Func("marginals(shape: ints, order: int[0..]) -> workload",
			"The linear workload of all marginals of an order of a table: for each choice of order axes, in "+
				"lexicographic order, the sums over the others. shape has the sizes of the axes; the table's cells are "+
				"listed with the last axis first.",
			"w = marginals([2, 3, 2], 2)\nprint(w.shape, strategy(w, \"identity\").max_error)", func(c *script.Call) (any, error) {
				return workload.Marginals(c.Ints("shape"), c.Int("order"))
			}),
		script.Func("toeplitz(coefficients: numbers) -> workload",
			"The linear workload of a stream whose answer of step i is Σ_k coefficients[k]·x_{i−k}, such as momentum "+
				"or a decaying sum: a lower triangular Toeplitz matrix with these numbers as its first column.",
			"w = toeplitz([math.pow(0.5, k) for k in range(8)])\nprint(w, optimum(w))", func(c *script.Call) (any, error) {
				return workload.NewToeplitz(fmt.Sprintf("toeplitz of order %d", len(c.Floats("coefficients"))), c.Floats("coefficients"))
			}),
		script.Func("kron(a: workload, b: workload) -> workload",
			"The Kronecker product of two workloads: for each answer of a along one axis of a table and of b along "+
				"the other, that of both. Its optimum is the product of the two.",
			"w = kron(prefix_sums(4), ranges(3))\nprint(w.shape, optimum(w))", func(c *script.Call) (any, error) {
				return workload.NewKronecker(workloadClass.Arg(c, "a"), workloadClass.Arg(c, "b"))
			}),
		script.Func("workload(matrix: dense) -> workload",
			"A linear workload, a matrix W with a row for each answer Wx wanted about a vector x. Neighbors change an "+
				"entry of x by at most 1, or a row of x, where that is a matrix, by a vector of norm at most 1.",
			"w = workload([[1, 1], [1, -1], [0, 1]])\nprint(optimum(w))", func(c *script.Call) (any, error) {
				return workload.NewMatrix("matrix", c.Arg("matrix").(*mat.Dense))
			}),
		script.Func(`strategy(w: workload, how: `+
			`dense|"square_root"|"toeplitz"|"banded"|"blt"|"tree"|"identity"|"optimal", objective: `+
			`"max"|"mean"="max", participation: participation=None, contributions: "vector"|"scalar"="vector", `+
			`bands: int[1..]=None, degree: int[1..20]=None, arity: int[2..]=None) -> strategy`,
			`A factorisation W = BC of a workload (the matrix mechanism): noise goes on Cx, and the decoder B = WC⁺ `+
				`gives the answers with the least variance. how is a name or a matrix C; one that cannot answer w is `+
				`refused. "square_root" is the Toeplitz matrix of the square root of the generating function `+
				`(Fichtenberger, Henzinger and Upadhyay 2022; Henzinger, Upadhyay and Upadhyay 2023); "toeplitz" the `+
				`best lower triangular Toeplitz matrix that descent finds from there; "banded" the best lower triangular `+
				`matrix with so many diagonals, by default 32, or the separation of participation where that is less `+
				`(Choquette-Choo and others 2023); of more than 2^28/n² bands, and of bands beyond the separation, the `+
				`best Toeplitz one; "blt" a buffered linear Toeplitz matrix of so many buffers, by default 4 (Dvijotham `+
				`and others 2024). These four want prefix_sums, toeplitz, or a Kronecker product of such. "tree" is the `+
				`tree of that arity, by default 2, with the consistent least-squares decoder (Hay and others 2010; `+
				`Honaker 2015); "identity" puts noise on x; "optimal" is the factorisation that optimum's bounds rest `+
				`on. objective is the error to be small: the largest standard deviation of an answer, or the root of the `+
				`mean variance. participation is the steps that one person may enter, by default one: (epochs, `+
				`separation) for at most so many, exactly so far apart, (epochs, separation, "at_least") for at least so `+
				`far apart. contributions are vectors of norm at most 1 in each step, or numbers of at most 1, which move `+
				`Cx less where CᵀC has negative entries.`,
			workloadSetup+"for how in [\"square_root\", \"tree\", \"identity\"]:\n    s = strategy(w, how)\n    "+
				"print(how, s.max_error, s.over_optimum)", newStrategy),
		script.Func(`optimum(w: workload, objective: "max"|"mean"="max", participation: participation=None, contributions: `+
			`"vector"|"scalar"="vector", gap: positive=None) -> evidence`,
			"The least error of any strategy for a workload at equal privacy, over all factorisations W = BC: the "+
				"largest standard deviation of an answer, or the root of the mean variance, at sensitivity 1 under the "+
				"participation pattern, and noise of standard deviation 1. Certified: any weights of the answers and "+
				"steps give a lower bound, by the nuclear norm, and an upper one, by a factorisation. gap is the "+
				"relative distance of its ends at which the search stops, by default 1e-7; with more than 2,000 pairs of "+
				"steps of one person 1e-6; with one participation 1e-3 above "+
				"512 columns, unless W is Toeplitz with a banded inverse, as prefix sums are. For \"max\" it is the "+
				"factorisation norm γ₂(W). Rows and columns are at most 4,096 in all; for \"max\" and one participation "+
				"also at most 512 columns with at least four times as many rows.",
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

// bestOf returns the optimum of a workload, which its value remembers.
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

// written returns a matrix as a value of scripts.
func written(m *mat.Dense, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	const most = math.MaxInt
	if r, c := m.Dims(); r > most/c {
		return nil, fmt.Errorf("the matrix has %d × %d entries", r, c)
	}
	return m, nil
}
