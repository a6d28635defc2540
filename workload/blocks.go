package workload

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// If patterns share steps, H is the sum of H_π = λ_π1_π1_πᵀ − N_π ⪰ 0 with a matrix N_π for each pattern, and an optimal
// X may have negative entries. The interior-point method then has a matrix Z_π ⪰ 0 for each pattern besides, which tends
// to Diag(d) − X_π, and moves towards H_πZ_π = target·I in the direction of Helmberg, Rendl, Vanderbei and Wolkowicz
// (SIAM J. Optim. 6(2), 1996), Kojima, Shindoh and Hara, and Monteiro:
//
//	dZ = target·H^{−1} − Z − (H^{−1} dH Z + Z dH H^{−1})/2.

// blocks are the matrices Z_π, and their next move.
type blocks struct {
	z, dz   []*mat.SymDense
	inverse []*mat.SymDense // of H_π
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
	at := e.own[k]
	for i := range e.patterns[k] {
		for j := range i {
			h.SetSym(j, i, y[k]-y[at])
			at++
		}
		h.SetSym(i, i, y[k])
	}
	return h
}

// invert sets the inverses of the blocks, and Z to target times them if there is no Z.
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
	at := e.own[k]
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
	return e.own[k] + a - 1
}

// residual adds the part of Z to the gradient r over the variables y.
func (e *epochs) residual(y, r []float64) {
	for k, z := range e.blocks.z {
		for a, v := range e.along(y, k, z) {
			r[e.index(k, a)] += v
		}
	}
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

// addBlocks adds the blocks to the system of a Newton step, whose rows of y begin at offset.
func (e *epochs) addBlocks(a *mat.SymDense, right *mat.VecDense, offset int, y []float64, target float64) {
	for k, z := range e.blocks.z {
		inverse := e.blocks.inverse[k]
		for i, v := range e.along(y, k, inverse) {
			at := offset + e.index(k, i)
			right.SetVec(at, right.AtVec(at)+target*v)
		}
		s := len(e.patterns[k])
		moves := make([]float64, e.size())
		product := mat.NewDense(s, s, nil)
		for b := range 1 + s*(s-1)/2 {
			at := e.index(k, b)
			moves[at] = y[at]
			between(product, inverse, e.block(moves, k), z)
			moves[at] = 0
			for i, v := range e.along(y, k, product) {
				if row := offset + e.index(k, i); row <= offset+at {
					a.SetSym(row, offset+at, a.At(row, offset+at)+v)
				}
			}
		}
	}
}

// between sets to = abc.
func between(to *mat.Dense, a, b, c mat.Symmetric) {
	var left mat.Dense
	left.Mul(a, b)
	to.Mul(&left, c)
}

// turn sets the moves of Z for a move of y.
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

// follow moves Z as far as it stays positive definite.
func (e *epochs) follow() {
	length := 1.0
	moved := make([]*mat.SymDense, len(e.patterns))
	set := func(k int) {
		moved[k] = mat.NewSymDense(len(e.patterns[k]), nil)
		moved[k].ScaleSym(length, e.blocks.dz[k])
		moved[k].AddSym(moved[k], e.blocks.z[k])
	}
	for k := range e.patterns {
		var c mat.Cholesky
		for set(k); !c.Factorize(moved[k]); set(k) {
			if length *= .8; length < 1e-6 {
				return
			}
		}
	}
	if length < 1 {
		length *= .9
	}
	for k := range e.patterns {
		set(k)
	}
	e.blocks.z = moved
}

// reach estimates from above how far pattern k moves Cx: Diag(d) + sI ⪰ X_π gives Σd + s·|π|.
func (e *epochs) reach(x *mat.Dense, y []float64, k int) (total float64) {
	steps, h := e.patterns[k], e.block(y, k)
	a := mat.NewSymDense(len(steps), nil)
	for i, s := range steps {
		var d float64
		for j, t := range steps {
			d += x.At(s, t) * h.At(i, j) / y[k]
			if j <= i {
				a.SetSym(j, i, -x.At(s, t))
			}
		}
		a.SetSym(i, i, d-x.At(s, s))
		total += d
	}
	var values mat.EigenSym
	if !values.Factorize(a, false) {
		return math.Inf(1)
	}
	return total + float64(len(steps))*max(0, -values.Values(nil)[0])
}
