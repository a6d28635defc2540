package planes

import (
	"math"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// What a frame program exceeds planes by is a mixture of frames. A tilt is an inequality
// 0 ≤ κ(a, b) that every frame satisfies, κ being linear in the compressions w, d, e of
// W, D and E to a subspace U. Added to c·y it takes from the mixture, of whose frames
// only the average satisfies what holds for each.
//
// A tilt is proven by second moments as in lift.go, which compressions keep. With ω
// that of the bivector, for symmetric N and G
//
//	N(d) + N(e) + ωᵀK(N)ω = N(w), Ĝ(d) = Ĝ(e) = −ωᵀGω,
//
// and w ⪰ w², d², e². So with R, Z_w, Z_d, Z_e ⪰ 0
//
//	0 ≤ Q_w(w) + Q_d(d) + Q_e(e) + ωᵀRω + tr Z_w(w − w²) + tr Z_d(w − d²) + tr Z_e(w − e²)
//
// has no quadratic terms left where
//
//	Q_w = Z_w² − N, Q_d = Z_d² + N + Ĝ, Q_e = Z_e² + N − K̂(N) − Ĝ + R̂,
//
// Z² being the form w ↦ tr Zw². Bordering the three with linear terms and constants
// while they stay positive semi-definite gives all tilts of this kind; their multipliers
// are unknowns of the program beside those of the cut.

// addTilt adds the unknowns of a tilt.
func (p *frameProgram) addTilt() {
	k := p.orderOfU
	p.entries = entriesOf(k)
	pairs := pairsOf(k)
	p.tiltMoments()
	names := []string{"w", "d", "e"}
	for which, name := range names {
		square := ofSquareW + which
		p.add("constant "+name, 1, 1).cells[square] = []cell{{0, 0, 1}}
		for r, i := range p.entries {
			u := p.add("linear "+name, 0, 0)
			u.cells[square] = symmetricCells(0, 1+r, 1)
			u.cells[ofFrame] = p.tiltCells(which, i[0], i[1], 2/coordinateScale(i[0], i[1]))
		}
	}
	for which, name := range names {
		for i := range k {
			for j := i; j < k; j++ {
				start := 0.0
				if i == j {
					start = 3
				}
				u := p.add("shrink "+name, 0, start)
				u.cells[ofShrinkW+which] = symmetricCells(i, j, 1)
				u.cells[ofFrame] = p.tiltCells(0, i, j, 1)
				u.cells[ofSquareW+which] = bordered(squareForm(k, i, j), 1)
			}
		}
	}
	for r, i := range p.entries {
		for s := r; s < len(p.entries); s++ {
			u := p.add("second", 0, 0)
			entry := symmetricCells(r, s, 1)
			u.cells[ofSquareW], u.cells[ofSquareD] = bordered(entry, -1), bordered(entry, 1)
			u.cells[ofSquareE] = append(bordered(entry, 1), bordered(kFormCells(k, i, p.entries[s]), -1)...)
		}
	}
	for x, i := range pairs {
		for y := x; y < len(pairs); y++ {
			j := pairs[y]
			start := 0.0
			if x == y {
				start = 1
			}
			u := p.add("R", 0, start)
			u.cells[ofBivector], u.cells[ofSquareE] = symmetricCells(x, y, 1), bordered(minorForm(k, i, j, 1), 1)
			if !isThirdPairing(i, j) {
				u = p.add("G", 0, 0)
				u.cells[ofSquareD], u.cells[ofSquareE] = bordered(minorForm(k, i, j, 1), 1), bordered(minorForm(k, i, j, 1), -1)
			}
		}
	}
}

// tiltCells returns the cells, for α⊗I + I⊗N − M less the tilt, of a v at (i, j) and
// (j, i) of the tilt's matrix for W, D or E.
func (p *frameProgram) tiltCells(which, i, j int, v float64) []cell {
	m := p.orderOfZ
	switch which {
	case 0:
		return append(symmetricCells(i, j, -v), symmetricCells(m+i, m+j, -v)...)
	case 1:
		return append(symmetricCells(i, j, -v), symmetricCells(m+i, m+j, v)...)
	}
	if i == j {
		return symmetricCells(i, m+i, -v)
	}
	return append(symmetricCells(i, m+j, -v), symmetricCells(j, m+i, -v)...)
}

// bordered shifts cells by the border's row and column, and scales them.
func bordered(cells []cell, scale float64) []cell {
	out := make([]cell, len(cells))
	for i, e := range cells {
		out[i] = cell{e.row + 1, e.col + 1, scale * e.v}
	}
	return out
}

// squareForm returns the form w ↦ tr Zw² for Z with a 1 at (i, l) and (l, i).
func squareForm(k, i, l int) (out []cell) {
	for j := range k {
		r, s := coordinate(k, i, j), coordinate(k, j, l)
		v := 1 / (coordinateScale(i, j) * coordinateScale(j, l))
		out = append(out, symmetricCells(r, s, v)...)
	}
	return out
}

// tiltMoments sets the blocks of a tilt: what the traces of planes of any space are at
// most, and the moments of frames of Z at random.
func (p *frameProgram) tiltMoments() {
	m, k := p.orderOfZ, p.orderOfU
	n := k * (k + 1) / 2
	share := 2 / float64(m)
	inner := func(a *mat.SymDense) *mat.SymDense {
		out := mat.NewSymDense(n, nil)
		for r, i := range p.entries {
			for s := r; s < n; s++ {
				j := p.entries[s]
				out.SetSym(r, s, a.At(coordinate(m, i[0], i[1]), coordinate(m, j[0], j[1])))
			}
		}
		return out
	}
	border := func(a *mat.SymDense, mean float64) *mat.SymDense {
		out := mat.NewSymDense(n+1, nil)
		out.SetSym(0, 0, 1)
		for r, i := range p.entries {
			if i[0] == i[1] {
				out.SetSym(0, r+1, mean)
			}
			for s := r; s < n; s++ {
				out.SetSym(r+1, s+1, a.At(r, s))
			}
		}
		return out
	}
	shrunk := func(a *mat.SymDense) *mat.SymDense {
		out := symmetric.Multiple(k, share)
		for i := range k {
			for j := range k {
				r := coordinate(k, i, j)
				out.SetSym(i, i, out.At(i, i)-a.At(r, r)/(coordinateScale(i, j)*coordinateScale(i, j)))
			}
		}
		return out
	}
	w, d := inner(planesAtRandom(m)), inner(reflectionsAtRandom(m))
	p.blocks[ofSquareW] = block{n: n + 1, trace: 3, traceIsBound: true, moment: border(w, share)}
	p.blocks[ofSquareD] = block{n: n + 1, trace: 3, traceIsBound: true, moment: border(d, 0)}
	p.blocks[ofSquareE] = p.blocks[ofSquareD]
	p.blocks[ofBivector] = block{n: k * (k - 1) / 2, trace: 1, traceIsBound: true, moment: symmetric.Multiple(k*(k-1)/2, 2/float64(m*(m-1)))}
	p.blocks[ofShrinkW] = block{n: k, trace: 2, traceIsBound: true, moment: shrunk(w)}
	p.blocks[ofShrinkD] = block{n: k, trace: 2, traceIsBound: true, moment: shrunk(d)}
	p.blocks[ofShrinkE] = p.blocks[ofShrinkD]
}

// reflectionsAtRandom returns the moments DDᵀ of a frame at random.
func reflectionsAtRandom(d int) *mat.SymDense {
	n := d * (d + 1) / 2
	v := 2 / float64(n-1)
	out := symmetric.Multiple(n, v)
	for i := range d {
		for j := i; j < d; j++ {
			r, s := coordinate(d, i, i), coordinate(d, j, j)
			out.SetSym(r, s, out.At(r, s)-v/float64(d))
		}
	}
	return out
}

// tiltAt returns the tilt's matrices for W, D and E in all of space, z being a basis of
// Z, and its constant: raised by what the forms lack to be positive semi-definite.
func (p *frameProgram) tiltAt(y []float64, z *mat.Dense) (tilt []*mat.SymDense, constant float64) {
	forms, off := p.constraintForms(y)
	loss, size := 0.0, 0.0
	for b := ofSquareW; b < frameBlocks; b++ {
		loss += p.blocks[b].trace * math.Max(0, symmetric.EigenCeiling(symmetric.Negated(forms[b]))+off[b])
	}
	w := mat.NewSymDense(p.orderOfU, nil)
	inner := []*mat.SymDense{w, mat.NewSymDense(p.orderOfU, nil), mat.NewSymDense(p.orderOfU, nil)}
	for which, name := range []string{"w", "d", "e"} {
		for r, i := range p.entries {
			inner[which].SetSym(i[0], i[1], inner[which].At(i[0], i[1])+2/coordinateScale(i[0], i[1])*y[p.firstUnknown["linear "+name]+r])
		}
		constant += y[p.firstUnknown["constant "+name]]
		r := p.firstUnknown["shrink "+name]
		for i := range p.orderOfU {
			for j := i; j < p.orderOfU; j++ {
				w.SetSym(i, j, w.At(i, j)+y[r])
				size += 2 * math.Abs(y[r])
				r++
			}
		}
	}
	back := mat.DenseCopyOf(columns(z, 0, p.orderOfU).T())
	for _, m := range inner {
		tilt = append(tilt, symmetric.Turn(m, back))
		size += float64(p.orderOfU) * mat.Norm(m, 2)
	}
	// The traces and w − w² ⪰ 0 hold for orthonormal columns, and the sums here err by
	// 4k² + 32 roundings of each entry; the three constants are not negative, up to the loss.
	drift := orthonormalityError(z)
	return tilt, constant + loss*(1+8*drift) + size*(8*drift+8*float64(p.orderOfU*p.orderOfU+4)*unit)
}
