package planes

import (
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// The second compound bounds tr(PDQD) over D = aaᵀ − bbᵀ with orthonormal a, b from
// above.
//
// Such a D is symmetric, traceless, of squared norm 2, and has rank 2: with
// ω = a∧b its second compound matrix (its 2×2 minors, indexed by pairs) is
// C₂(D) = −ωωᵀ, ‖ω‖ = 1. For every symmetric G on pairs, therefore,
//
//	tr(PDQD) = ⟨D, LD⟩ − tr(G C₂(D)) − ωᵀGω ≤ 2λ_max(L − Ĝ) + λ_max(−G)
//
// with LD = (PDQ + QDP)/2 and Ĝ the quadratic form D ↦ tr(G C₂(D)), both on the
// traceless matrices. There the form of G = I is −½‖D‖², so adding γI to G changes
// nothing and G ⪰ 0 is no loss. Any G gives a bound; how tight the best is shows in
// its distance to the D that ascent finds. Its moments are DDᵀ and ωωᵀ.
//
// G has a diagonal, and entries between pairs of directions that touch the first two,
// which moves their plane, or lie within the first k, and none where k is 0.
func newCompound(p, q *mat.SymDense, k int) *program {
	d := p.SymmetricDim()
	out := newProgram(p, q, 2, 1.5)
	pairs := pairsOf(d)
	out.blocks[1] = block{n: len(pairs), trace: 1, moment: symmetric.Multiple(len(pairs), 1/float64(len(pairs)))}
	whole := func(pair [2]int) bool { return k > 0 && (pair[0] < 2 || pair[1] < k) }
	for a, i := range pairs {
		for b := a; b < len(pairs); b++ {
			j := pairs[b]
			if a != b && !(whole(i) && whole(j)) {
				continue
			}
			g := unknown{cells: [][]cell{minorForm(d, i, j, 1), symmetricCells(a, b, 1)}}
			if a == b {
				g.start = 1
			}
			out.unknowns = append(out.unknowns, g)
		}
	}
	return out
}

// mostFreeDirections returns the largest k for which at most wholePairs pairs touch the
// first two directions or lie within the first k.
func mostFreeDirections(d int) int {
	k := 2
	for k < d && (2*d-3)+(k-1)*(k-2)/2 <= mostFreePairs {
		k++
	}
	return k
}

func pairsOf(d int) (pairs [][2]int) {
	for i := range d {
		for j := i + 1; j < d; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// minorForm returns v times the quadratic form d_ik d_jl − d_il d_jk, the minor of D of
// rows (i, j) and columns (k, l), twice where these differ: an entry of G stands twice.
func minorForm(d int, rows, cols [2]int, v float64) []cell {
	if rows != cols {
		v *= 2
	}
	var out []cell
	add := func(i, k, j, l int, v float64) {
		r, s := coordinate(d, i, k), coordinate(d, j, l)
		v /= coordinateScale(i, k) * coordinateScale(j, l)
		if r != s {
			v /= 2
		}
		out = append(out, symmetricCells(r, s, v)...)
	}
	add(rows[0], cols[0], rows[1], cols[1], v)
	add(rows[0], cols[1], rows[1], cols[0], -v)
	return out
}
