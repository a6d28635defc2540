package planes

import (
	"math"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// Every plane V has an orthonormal frame (a, b) in which, with D = aaᵀ − bbᵀ,
// E = abᵀ + baᵀ and W = aaᵀ + bbᵀ, D halves the angle between the axes of P_V and Q_V:
//
//	y = (p̄, q̄, ⟨P, D⟩, ⟨Q, D⟩, −⟨P, E⟩, ⟨Q, E⟩) ≥ 0,
//	p₁q₁ + p₂q₂ = A² + B² + C², A = √(2y₁y₂), B = √(½y₃y₄), C = √(½y₅y₆):
//
// the axes make with D's the angles ∓ψ/2, so that y₃ = 2δp cos ½ψ, y₅ = 2δp sin ½ψ, and
// likewise with δq. For c > 0, c·y = wᵀMw is a quadratic form in w = (a, b), with the
// blocks H + G, K and H − G of H = ½(c₁P + c₂Q), G = c₃P + c₄Q, K = c₆Q − c₅P, and
//
//	√2√(c₁c₂)·A + 2√2√(c₃c₄)·B + 2√2√(c₅c₆)·C ≤ c·y ≤ tr α + ‖u‖²
//
// for every symmetric 2×2 matrix α and vector u with M ⪯ α⊗I + I⊗uuᵀ: a and b are
// orthonormal, so that wᵀ(α⊗I)w = tr α, and W ⪯ I. Unlike the reflections of a cover
// (halfplane_cover.go) a frame sees how the axes of P_V and Q_V lie to each other.
//
// The least level under c₁c₂ ≥ k₁² and the like is a semidefinite program, in which
// I⊗N, N ⪰ 0, is in the place of I⊗uuᵀ and tr N in that of ‖u‖²: nothing is lost, for
// all eigenvalues of N but the first may be raised to the second and moved to α.
type frameProgram struct {
	*program
	orderOfZ int // the order of the subspace Z in whose coordinates it is
	orderOfN int // that of N: the first directions
	orderOfU int // that of U (frame_tilt.go), likewise

	entries      [][2]int       // of symmetric matrices on U
	firstUnknown map[string]int // the first unknown of each name
}

// Blocks of a frame program.
const (
	ofFrame     = iota // of w
	ofOutside          // of I − W on the first directions
	ofMeans            // of y₁, y₂ and A
	ofBisectors        // of y₃, y₄ and B
	ofCrosses          // of y₅, y₆ and C
	ofExcess           // of what the diagonals of the three have more than y
	ofSquareW          // of 1 and W on U
	ofSquareD
	ofSquareE
	ofBivector
	ofShrinkW // of W − W² on U
	ofShrinkD // of W − D²
	ofShrinkE
	frameBlocks
)

// largestWeight is the largest c tried, for a normal of norm 1.
const largestWeight = 64

// newFrameProgram returns the program of the least level of a cut of normal k, for the
// compressions of P and Q to Z.
func newFrameProgram(p, q *mat.SymDense, k [3]float64, inner, tilt int) *frameProgram {
	m := p.SymmetricDim()
	out := &frameProgram{program: &program{d: m, blocks: make([]block, frameBlocks)}, orderOfZ: m, orderOfN: inner, orderOfU: tilt, firstUnknown: map[string]int{}}
	out.blocks[ofFrame] = block{n: 2 * m, trace: 2, moment: symmetric.Multiple(2*m, 1/float64(m))}
	out.blocks[ofOutside] = block{n: inner, trace: float64(inner), traceIsBound: true, moment: symmetric.Multiple(inner, 1-2/float64(m))}
	for i, b := range []int{ofMeans, ofBisectors, ofCrosses} {
		v := k[i] / math.Sqrt2
		if b != ofMeans {
			v /= 2
		}
		out.blocks[b] = block{n: 2, constant: mat.NewSymDense(2, []float64{0, v, v, 0}), trace: 2, traceIsBound: true, moment: symmetric.Multiple(2, 2)}
	}
	slack := symmetric.Multiple(6, 2) // frames at random have y = (tr P, tr Q, 0, 0, 0, 0)/m
	slack.SetSym(0, 0, 2-mat.Trace(p)/float64(m))
	slack.SetSym(1, 1, 2-mat.Trace(q)/float64(m))
	out.blocks[ofExcess] = block{n: 6, constant: symmetric.Multiple(6, -largestWeight), moment: slack}

	const start = 2
	for i := range 6 {
		form, sign := p, -1.0
		if i%2 == 1 {
			form = q
		}
		if i == 4 {
			sign = 1
		}
		u := out.add("c", 0, start)
		for x := range m {
			for y := range m {
				v := sign * form.At(x, y)
				switch i / 2 {
				case 0:
					u.cells[ofFrame] = append(u.cells[ofFrame], cell{x, y, v / 2}, cell{m + x, m + y, v / 2})
				case 1:
					u.cells[ofFrame] = append(u.cells[ofFrame], cell{x, y, v}, cell{m + x, m + y, -v})
				case 2:
					u.cells[ofFrame] = append(u.cells[ofFrame], cell{x, m + y, v}, cell{m + x, y, v})
				}
			}
		}
		u.cells[ofMeans+i/2] = []cell{{i % 2, i % 2, 1}}
		u.cells[ofExcess] = []cell{{i, i, -1}}
	}
	for i := range 2 {
		u := out.add("alpha", 1, 8*start)
		for x := range m {
			u.cells[ofFrame] = append(u.cells[ofFrame], cell{i*m + x, i*m + x, 1})
		}
	}
	u := out.add("alpha", 0, 0)
	for x := range m {
		u.cells[ofFrame] = append(u.cells[ofFrame], symmetricCells(x, m+x, 1)...)
	}
	for i := range inner {
		for j := i; j < inner; j++ {
			v := 0.0
			if i == j {
				v = 1
			}
			u := out.add("N", v, v)
			u.cells[ofFrame] = append(symmetricCells(i, j, 1), symmetricCells(m+i, m+j, 1)...)
			u.cells[ofOutside] = symmetricCells(i, j, 1)
		}
	}
	if tilt == 0 {
		out.blocks = out.blocks[:ofSquareW]
	} else {
		out.addTilt()
	}
	return out
}

func (p *frameProgram) add(name string, cost, start float64) *unknown {
	if _, ok := p.firstUnknown[name]; !ok {
		p.firstUnknown[name] = len(p.unknowns)
	}
	p.unknowns = append(p.unknowns, unknown{cells: make([][]cell, frameBlocks), cost: cost, start: start})
	return &p.unknowns[len(p.unknowns)-1]
}

// mixture returns −W on Z, of the frames that the program cannot tell from one.
func (p *frameProgram) mixture(x *point) *mat.SymDense {
	out := mat.NewSymDense(p.orderOfZ, nil)
	for i := range p.orderOfZ {
		for j := i; j < p.orderOfZ; j++ {
			out.SetSym(i, j, -x.moment[ofFrame].At(i, j)-x.moment[ofFrame].At(p.orderOfZ+i, p.orderOfZ+j))
		}
	}
	return out
}

// A frameCertificate is a certificate of a cut of planes in all of space: c, α = [α₁ α₃; α₃ α₂], u,
// and what a tilt adds to W, D and E, if any.
type frameCertificate struct {
	c        [6]float64
	alpha    [3]float64
	u        *mat.VecDense
	tilt     []*mat.SymDense
	constant float64
}

// certificateAt reads the certificate off the program's unknowns, z being a basis of Z.
func (p *frameProgram) certificateAt(y []float64, z *mat.Dense) frameCertificate {
	const tiny = 1e-12
	var out frameCertificate
	for i := range out.c {
		out.c[i] = math.Max(tiny, y[i])
	}
	copy(out.alpha[:], y[p.firstUnknown["alpha"]:])
	n := mat.NewSymDense(p.orderOfN, nil)
	r := p.firstUnknown["N"]
	for i := range p.orderOfN {
		for j := i; j < p.orderOfN; j++ {
			n.SetSym(i, j, y[r])
			r++
		}
	}
	rows, _ := z.Dims()
	out.u = mat.NewVecDense(rows, nil)
	var e mat.EigenSym
	if e.Factorize(n, true) {
		var w mat.Dense
		e.VectorsTo(&w)
		v := e.Values(nil)
		first, second := v[p.orderOfN-1], math.Max(0, v[p.orderOfN-2])
		out.alpha[0] += second
		out.alpha[1] += second
		out.u.MulVec(z.Slice(0, rows, 0, p.orderOfN), w.ColView(p.orderOfN-1))
		out.u.ScaleVec(math.Sqrt(math.Max(0, first-second)), out.u)
	}
	if p.orderOfU > 0 {
		out.tilt, out.constant = p.tiltAt(y, z)
	}
	return out
}

// A frameCut is an inequality normal·(A, B, C) ≤ level.
type frameCut struct {
	normal [3]float64
	level  float64
}

// reach returns how far the cut lets the direction go: any distance where the cut is nearly
// parallel to it, whose reach rounding would move.
func (c frameCut) reach(v [3]float64) float64 {
	if d := dot3(c.normal, v); d > 1e-2*math.Sqrt(dot3(c.normal, c.normal)) {
		return c.level / d
	}
	return math.Inf(1)
}

// sizeOf bounds the Frobenius norm of the sizes of all that a certificate's matrix sums.
func (f forms) sizeOf(at frameCertificate) float64 {
	size := math.Sqrt(float64(2*at.u.Len()))*(math.Abs(at.alpha[0])+math.Abs(at.alpha[1])+math.Abs(at.alpha[2])) + 2*mat.Dot(at.u, at.u) + math.Abs(at.constant)
	for i, m := range []*mat.SymDense{f.p, f.q} {
		size += 2 * (at.c[i] + at.c[2+i] + at.c[4+i]) * mat.Norm(m, 2)
	}
	for _, m := range at.tilt {
		size += 2 * mat.Norm(m, 2)
	}
	return size
}

// certify returns the cut that the certificate proves, α raised by the multiple of I that
// it lacks, and the matrix whose positive eigenvalues are what it lacks.
func (f forms) certify(at frameCertificate) (frameCut, *mat.SymDense) {
	n := at.u.Len()
	over := mat.NewSymDense(2*n, nil)
	c := at.c
	for i := range n {
		for j := range n {
			p, q, uu := f.p.At(i, j), f.q.At(i, j), at.u.AtVec(i)*at.u.AtVec(j)
			h, g, k := (c[0]*p+c[1]*q)/2, c[2]*p+c[3]*q, c[5]*q-c[4]*p
			if at.tilt != nil {
				h, g, k = h+at.tilt[0].At(i, j), g+at.tilt[1].At(i, j), k+at.tilt[2].At(i, j)
			}
			if i <= j {
				over.SetSym(i, j, h+g-uu)
				over.SetSym(n+i, n+j, h-g-uu)
			}
			over.SetSym(i, n+j, k)
		}
	}
	for i := range n {
		over.SetSym(i, i, over.At(i, i)-at.alpha[0])
		over.SetSym(n+i, n+i, over.At(n+i, n+i)-at.alpha[1])
		over.SetSym(i, n+i, over.At(i, n+i)-at.alpha[2])
	}
	// An entry is a sum of at most seven products.
	square := mat.Dot(at.u, at.u)
	size := f.sizeOf(at)
	up := math.Max(0, symmetric.EigenCeiling(over)+16*unit*size)
	root := func(i int) float64 { return math.Sqrt2 * math.Sqrt(c[i]*c[i+1]) * (1 - 8*unit) }
	return frameCut{
		normal: [3]float64{root(0), 2 * root(2), 2 * root(4)},
		level:  at.constant + at.alpha[0] + at.alpha[1] + square + 2*up + 8*float64(n)*unit*size,
	}, over
}
