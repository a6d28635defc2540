package workload

import "gonum.org/v1/gonum/mat"

// If patterns share steps, H is the sum of H_π = λ_π1_π1_πᵀ − N_π ⪰ 0 with a matrix N_π for each pattern, and an
// optimal X may have negative entries. The interior-point method then also has a matrix Z_π ⪰ 0 for each pattern,
// which tends to Diag(d) − X_π. It moves towards H_πZ_π = target·I in the direction of Helmberg, Rendl, Vanderbei and
// Wolkowicz (SIAM J. Optim. 6(2), 1996), Kojima, Shindoh and Hara, and Monteiro:
//
//	dZ = target·H^{−1} − Z − (H^{−1} dH Z + Z dH H^{−1})/2.

// blocks holds the matrices Z_π, and their step dZ_π.
type blocks struct {
	z, dz   []*mat.SymDense
	inverse []*mat.SymDense // of H_π
	reduced reduced
}

// order returns the sum of the orders of all H_π.
func (e *epochs) order() (n int) {
	for _, steps := range e.patterns {
		n += len(steps)
	}
	return n
}

// block returns H_π of pattern k.
func (e *epochs) block(y []float64, k int) *mat.SymDense {
	h := mat.NewSymDense(len(e.patterns[k]), nil)
	at := e.first[k]
	for i := range e.patterns[k] {
		for j := range i {
			h.SetSym(j, i, y[k]-y[at])
			at++
		}
		h.SetSym(i, i, y[k])
	}
	return h
}

// invert computes the inverses of all H_π. If there are no Z_π yet, it sets them to target·H_π^{−1}.
func (e *epochs) invert(y []float64, target float64) error {
	fresh := e.blocks == nil
	if fresh {
		e.blocks = &blocks{z: make([]*mat.SymDense, len(e.patterns)), dz: make([]*mat.SymDense, len(e.patterns)),
			inverse: make([]*mat.SymDense, len(e.patterns))}
	}
	for k := range e.patterns {
		var c mat.Cholesky
		inverse := new(mat.SymDense)
		if !c.Factorize(e.block(y, k)) {
			return errSingular
		}
		if err := c.InverseTo(inverse); err != nil {
			if _, ok := err.(mat.Condition); !ok {
				return err
			}
		}
		e.blocks.inverse[k] = inverse
		if fresh {
			z := mat.NewSymDense(len(e.patterns[k]), nil)
			z.ScaleSym(target, inverse)
			e.blocks.z[k] = z
		}
	}
	return nil
}

// along returns y_a⟨M, ∂H_π/∂y_a⟩ for the variables of pattern k: λ_π and then N_π.
func (e *epochs) along(y []float64, k int, m mat.Matrix) []float64 {
	s := len(e.patterns[k])
	out := make([]float64, 1, 1+s*(s-1)/2)
	at := e.first[k]
	for i := range s {
		for j := range i {
			both := m.At(i, j) + m.At(j, i)
			out[0] += both
			out = append(out, -y[at]*both)
			at++
		}
		out[0] += m.At(i, i)
	}
	out[0] *= y[k]
	return out
}

// index returns the place in y of variable a of pattern k.
func (e *epochs) index(k, a int) int {
	if a == 0 {
		return k
	}
	return e.first[k] + a - 1
}

// residual returns the gradient over all variables. It adds the terms with Z to r, the gradient over the joint
// variables without Z.
func (e *epochs) residual(y, r []float64) []float64 {
	u, out, first := e.joint(y), make([]float64, len(y)), len(e.patterns)
	for k, z := range e.blocks.z {
		for a, v := range e.along(y, k, z) {
			if a == 0 {
				out[k] = r[k] + v
				continue
			}
			at, i := first+e.own[k][a-1], e.index(k, a)
			out[i] = r[at]*y[i]/u[at] + v
		}
	}
	return out
}

// complementarity returns Σ⟨H_π, Z_π⟩.
func (e *epochs) complementarity(y []float64) (s float64) {
	for k, z := range e.blocks.z {
		h := e.block(y, k)
		for i := range e.patterns[k] {
			for j := range e.patterns[k] {
				s += h.At(i, j) * z.At(i, j)
			}
		}
	}
	return s
}

// between stores the product abc in its first argument.
func between(to *mat.Dense, a, b, c mat.Symmetric) {
	var left mat.Dense
	left.Mul(a, b)
	to.Mul(&left, c)
}

// turn sets the step dZ that corresponds to the step dy.
func (e *epochs) turn(dy []float64, target float64) {
	for k, z := range e.blocks.z {
		s := len(e.patterns[k])
		product := mat.NewDense(s, s, nil)
		between(product, e.blocks.inverse[k], e.block(dy, k), z)
		dz := mat.NewSymDense(s, nil)
		for i := range s {
			for j := range i + 1 {
				v := target*e.blocks.inverse[k].At(i, j) - z.At(i, j) - (product.At(i, j)+product.At(j, i))/2
				dz.SetSym(j, i, v)
			}
		}
		e.blocks.dz[k] = dz
	}
}

// follow adds the largest multiple of dZ, at most dZ itself, for which Z stays positive definite.
func (e *epochs) follow() {
	length := 1.0
	moved := func(k int, length float64) *mat.SymDense {
		z := mat.NewSymDense(len(e.patterns[k]), nil)
		z.ScaleSym(length, e.blocks.dz[k])
		z.AddSym(z, e.blocks.z[k])
		return z
	}
	for k := range e.patterns {
		length = min(length, longest(func(length float64) *mat.SymDense { return moved(k, length) }))
	}
	for k := range e.patterns {
		e.blocks.z[k] = moved(k, length)
	}
}
