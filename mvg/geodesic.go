package mvg

import (
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/mvg/internal/definite"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A geodesic problem is: minimise tr(WΣ)·tr Ψ over covariances subject to tr(PΔQΔᵀ) ≤ 1 for all Δ of a list, with P
// = Σ⁻¹, Q = Ψ⁻¹. W = RRᵀ is positive definite. Unimodal fixes Q = I and drops tr Ψ. Equimodal sets Q = P, and
// weighs Ψ by W as well. Bimodal leaves both free. If diagonal is set, P and W are diagonal.
//
// The logarithm of the problem is convex along the geodesics P(s) = A e^{sH} Aᵀ, Q(s) = B e^{sG} Bᵀ of positive
// definite matrices: ln tr(PΔQΔᵀ) and ln tr(WP⁻¹) are logarithms of sums of exponentials linear in s. So a local
// optimum is global. At any point let Δ' = AᵀΔB and W' = A⁻¹WA⁻ᵀ. Jensen's inequality gives, for all H and G,
//
//	ln tr(e^H Δ' e^G Δ'ᵀ) ≥ ln‖Δ'‖² + (tr HΔ'Δ'ᵀ + tr GΔ'ᵀΔ')/‖Δ'‖²,
//	ln tr(Me^{−H}) ≥ −tr MH if M ⪰ 0 and tr M = 1.
//
// For multipliers y_k ≥ 0 of the differences with Σ y_k = 1, set M = Σ y_k Δ'_kΔ'_kᵀ/‖Δ'_k‖², and N likewise with
// Δ'ᵀΔ'. If M ⪯ (1 + η) W'/tr W' and N ⪯ (1 + ν) B⁻¹B⁻ᵀ/tr(·), the terms in H and G cancel. Then every feasible
// pair has
//
//	tr(WΣ)·tr Ψ ≥ tr W'·tr(B⁻¹B⁻ᵀ)·Π‖Δ'_k‖^{2y_k} / ((1 + η)(1 + ν)).
//
// The lower bound is attained where the gradient vanishes, η = ν = 0.
type geodesic struct {
	mode     Mode
	diagonal bool
	root     *mat.Dense   // R
	list     []*mat.Dense // Δ
}

// start returns factors A and B of a starting point P = AAᵀ, Q = BBᵀ that balances the scales of rows and columns, so
// that few steps remain. b is nil if Unimodal. For diagonal W = RRᵀ it replaces each sum by its largest term. The
// optimum of the problem with these terms is p_i = √(w_i/max_kj Δ_ij²q_j) and q_j = (max_ki Δ_ij²p_i)^{−1/2}, found by
// alternation. It computes in logarithms, because squares can overflow float64.
func (g *geodesic) start() (a, b *mat.Dense) {
	m, n := g.list[0].Dims()
	logs := mat.NewDense(m, n, nil)
	logs.Apply(func(i, j int, _ float64) float64 {
		top := 0.0
		for _, d := range g.list {
			if top = math.Max(top, math.Abs(d.At(i, j))); g.mode == Equimodal {
				top = math.Max(top, math.Abs(d.At(j, i)))
			}
		}
		return 2 * math.Log(top)
	}, logs)
	p, q := make([]float64, m), make([]float64, n)
	row := func(i int) float64 {
		top := math.Inf(-1)
		for j := range n {
			top = math.Max(top, logs.At(i, j)+q[j])
		}
		return top
	}
	for range 40 {
		for i := range p {
			p[i] = (p[i] + math.Log(g.root.At(i, i)) - row(i)/2) / 2
		}
		switch g.mode {
		case Equimodal:
			copy(q, p)
		case Bimodal:
			for j := range q {
				top := math.Inf(-1)
				for i := range p {
					top = math.Max(top, logs.At(i, j)+p[i])
				}
				q[j] = -top / 2
			}
		}
	}
	a = exponentials(p)
	switch g.mode {
	case Equimodal:
		b = a
	case Bimodal:
		b = exponentials(q)
	}
	return a, b
}

// exponentials returns diag(e^{v_i/2}), up to a factor.
func exponentials(v []float64) *mat.Dense {
	top, least := floats.Max(v), floats.Min(v)
	out := mat.NewDense(len(v), len(v), nil)
	for i, x := range v {
		out.Set(i, i, math.Exp((x-(top+least)/2)/2))
	}
	return out
}

// iterate is a feasible or infeasible point P = AAᵀ, Q = BBᵀ, with the problem in its coordinates.
type iterate struct {
	a, b   *mat.Dense
	root   *mat.Dense   // A⁻¹R
	column *mat.Dense   // B⁻¹, Bimodal only
	list   []*mat.Dense // AᵀΔB
}

// iterateAt returns the iterate with the given factors A and B, or errScale if one is singular.
func (g *geodesic) iterateAt(a, b *mat.Dense) (*iterate, error) {
	c := &iterate{a: a, b: b}
	var ok bool
	if c.root, ok = solved(a, g.root); !ok {
		return nil, errScale
	}
	if g.mode == Bimodal {
		n, _ := b.Dims()
		if c.column, ok = solved(b, symmetric.Eye(n)); !ok {
			return nil, errScale
		}
	}
	c.list = transformAll(a.T(), g.list, b)
	return c, nil
}

// transformAll returns AΔB for all differences of a list; a nil B is I.
func transformAll(a mat.Matrix, list []*mat.Dense, b *mat.Dense) []*mat.Dense {
	return lists.Each(list, func(d *mat.Dense) *mat.Dense {
		if d = product(a, d); b != nil {
			d = product(d, b)
		}
		return d
	})
}

// move returns the iterate at A e^{sH/2}, B e^{sG/2} for a step (H, G) of size s.
func (g *geodesic) move(c *iterate, h, k *mat.SymDense, size float64) *iterate {
	up, down := exponential(h, size/2)
	out := &iterate{a: product(c.a, up), b: c.b, root: product(down, c.root), column: c.column}
	right := up
	switch g.mode {
	case Unimodal:
		right = nil
	case Bimodal:
		var back *mat.Dense
		right, back = exponential(k, size/2)
		out.column = product(back, c.column)
	}
	if right != nil {
		out.b = product(c.b, right)
	}
	out.list = transformAll(up, c.list, right)
	return out
}

// rotated returns the iterate with A and B rotated to the eigenvectors of W' and B⁻¹B⁻ᵀ. Eigenvalues of different
// scales then only scale the rows and columns of Newton's equations, which are well conditioned otherwise.
func (g *geodesic) rotated(c *iterate) *iterate {
	if g.diagonal {
		return c
	}
	_, u := definite.RowAxes(c.root)
	out := &iterate{a: product(c.a, u), root: product(u.T(), c.root), column: c.column}
	var v *mat.Dense
	switch g.mode {
	case Equimodal:
		v, out.b = u, out.a
	case Bimodal:
		_, v = definite.RowAxes(c.column)
		out.b, out.column = product(c.b, v), product(v.T(), c.column)
	}
	out.list = transformAll(u.T(), c.list, v)
	return out
}

// exponential returns e^{sH} and e^{−sH}, by Taylor's polynomial of sH/2ᵏ and k squarings. If entries of H differ
// in scale, this keeps the digits of the small ones; an eigendecomposition would not.
func exponential(h *mat.SymDense, s float64) (up, down *mat.Dense) {
	n := h.SymmetricDim()
	norm, halvings := math.Abs(s)*mat.Norm(h, 1), 0
	for ; norm > 0.25 && halvings < 60; norm /= 2 {
		halvings++
	}
	part := func(sign float64) *mat.Dense {
		x := mat.DenseCopyOf(h)
		floats.Scale(math.Ldexp(sign*s, -halvings), x.RawMatrix().Data)
		out, next := symmetric.Eye(n), mat.NewDense(n, n, nil)
		for k := 14.0; k >= 1; k-- { // 1 + x(1 + x/2(1 + x/3(…)))
			next.Mul(x, out)
			out, next = next, out
			data := out.RawMatrix().Data
			floats.Scale(1/k, data)
			for i := range n {
				data[i*(n+1)]++
			}
		}
		for range halvings {
			next.Mul(out, out)
			out, next = next, out
		}
		return out
	}
	return part(1), part(-1)
}

func product(a, b mat.Matrix) *mat.Dense {
	var out mat.Dense
	out.Mul(a, b)
	return &out
}

// objective returns ln tr(WΣ) + ln tr Ψ. constraints returns ln tr(PΔQΔᵀ) for each difference.
func (g *geodesic) objective(c *iterate) float64 {
	v := 2 * math.Log(mat.Norm(c.root, 2))
	switch g.mode {
	case Equimodal:
		v *= 2
	case Bimodal:
		v += 2 * math.Log(mat.Norm(c.column, 2))
	}
	return v
}

func (c *iterate) constraints() []float64 {
	return lists.Each(c.list, func(d *mat.Dense) float64 { return 2 * math.Log(mat.Norm(d, 2)) })
}

// objectiveDegree returns the number of factors tr(WΣ) in the objective.
func (g *geodesic) objectiveDegree() float64 {
	if g.mode == Equimodal {
		return 2
	}
	return 1
}

// estimate returns the lower bound on tr(WΣ)·tr Ψ at an iterate and multipliers y, in float64 and without proof. It
// serves to choose among iterates; certified returns a proven bound.
func (g *geodesic) estimate(c *iterate, y []float64) float64 {
	m, _ := c.a.Dims()
	logs := 0.0
	rows := mat.NewSymDense(m, nil)
	var cols *mat.SymDense
	if g.mode == Bimodal {
		n, _ := c.b.Dims()
		cols = mat.NewSymDense(n, nil)
	}
	for k, d := range c.list {
		square := mat.Norm(d, 2)
		square *= square
		logs += y[k] * math.Log(square)
		share := y[k] / square
		if g.mode == Equimodal {
			share /= 2
			rows.SymRankK(rows, share, mat.DenseCopyOf(d.T()))
		}
		rows.SymRankK(rows, share, d)
		if g.mode == Bimodal {
			cols.SymRankK(cols, share, mat.DenseCopyOf(d.T()))
		}
	}
	logs += g.objectiveDegree() * (2*math.Log(mat.Norm(c.root, 2)) - math.Log(g.excess(rows, c.root, g.diagonal)))
	if g.mode == Bimodal {
		logs += 2*math.Log(mat.Norm(c.column, 2)) - math.Log(g.excess(cols, c.column, false))
	}
	return math.Exp(logs)
}

// excess returns 1 + η, the least number with M ⪯ (1 + η) RRᵀ/tr RRᵀ. If diagonal, it compares the diagonals only.
func (g *geodesic) excess(m *mat.SymDense, root *mat.Dense, diagonal bool) float64 {
	trace := mat.Norm(root, 2)
	trace *= trace
	w := gramOf(root)
	if diagonal {
		top := 0.0
		for i := range m.SymmetricDim() {
			top = math.Max(top, m.At(i, i)*trace/w.At(i, i))
		}
		return top
	}
	x, ok := solved(root, m)
	if !ok {
		return math.Inf(1)
	}
	z, _ := solved(root, x.T()) // if x.T() gives a NaN, the eigenvalue bound is +Inf
	return symmetric.EigenvalueUpperBound(symmetric.Symmetrized(z)) * trace
}

// solved returns A⁻¹B, however ill-conditioned A is. ok is false if A is singular or an entry is NaN.
func solved(a, b mat.Matrix) (x *mat.Dense, ok bool) {
	x = new(mat.Dense)
	err := x.Solve(a, b)
	return x, err != mat.Condition(math.Inf(1)) && !floats.HasNaN(x.RawMatrix().Data)
}
