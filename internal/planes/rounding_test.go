package planes

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// What is allowed for rounding is what its derivations ask for, in full and no more.
func TestRoundingIsAllowedFor(t *testing.T) {
	same := func(name string, got, want, share float64) {
		t.Helper()
		if math.Abs(got-want) > share*want {
			t.Errorf("%s: %v is allowed, want %v", name, got, want)
		}
	}
	// Of two unknowns with two and three entries, three in one place.
	p := &program{d: 3, blocks: []block{{n: 2, trace: 1}, {n: 1, trace: 5, constant: symmetric.Multiple(1, 1e6)}}, unknowns: []unknown{
		{cells: [][]cell{{{0, 0, 3}, {1, 1, 4}}, {{0, 0, 1}}}, cost: 2},
		{cells: [][]cell{{{0, 0, -1}, {0, 0, 2}, {0, 1, 1}, {1, 0, 1}}, nil}, cost: 1},
	}}
	y := []float64{2, -5}
	forms, off := p.constraintForms(y)
	if f := forms[0]; f.At(0, 0) != 1 || f.At(1, 1) != 8 || f.At(0, 1) != -5 || forms[1].At(0, 0) != 2 {
		t.Errorf("forms %v", forms)
	}
	same("a form of three terms", off[0], 8*unit*(3+2*3+40)*math.Sqrt(21*21+8*8+5*5+5*5), 1e-12)
	same("a form of one", off[1], 8*unit*(1+2*3+40)*2, 1e-12)
	sum := 2*2 - 5.0
	top := symmetric.EigenCeiling(symmetric.Negated(forms[0]))
	rest := symmetric.EigenCeiling(symmetric.Multiple(1, 1e6-2))
	bound := p.bound(y)
	same("a bound", bound-(sum+top+5*rest), off[0]+5*(off[1]+8*unit*(6+20)*(3+1e6))+2*unit*10*(9+math.Abs(bound)), 1e-2)

	rng := rand.New(rand.NewPCG(112, 1))
	for range 10 {
		d := 3 + rng.IntN(4)
		f := newForms(drawn(d, 1, rng), drawn(d, 1, rng))
		l := newHalfPlanes(f, firstTwo(symmetric.RandomBasis(d, rng))).reflectionFormOf([4]float64{1, 0.8, 0.6, 0.7})
		rest, a, b := l.parts()
		zero := mat.NewSymDense(d, nil)
		const far = 1e9
		size := math.Sqrt(float64(d)) * 2 * far
		for _, m := range []*mat.SymDense{l.h, a, b} {
			size += 2 * mat.Norm(m, 2)
		}
		same("a cover", l.certify(cover{alpha: far, beta: far, m: zero, n: zero})-2*far-symmetric.PairCeiling(rest), 40*unit*size, 3e-2)

		n := float64(d)
		at := frameCertificate{c: [6]float64{1, 1, 1, 1, 1, 1}, alpha: [3]float64{far, far, 3}, u: mat.NewVecDense(d, nil), constant: -5}
		at.u.SetVec(0, 7)
		at.tilt = []*mat.SymDense{symmetric.Multiple(d, 1), zero, zero}
		size = math.Sqrt(2*n)*(2*far+3) + 2*49 + 5 + 6*(mat.Norm(f.p, 2)+mat.Norm(f.q, 2)) + 2*math.Sqrt(n)
		cut, _ := f.certify(at)
		if got := cut.level - 2*far - 44; math.Abs(got-8*n*unit*size) > 4e-7 {
			t.Errorf("a cut: %v is allowed, want %v", got, 8*n*unit*size)
		}
		for i, want := range [3]float64{math.Sqrt2, 2 * math.Sqrt2, 2 * math.Sqrt2} {
			if v := cut.normal[i]; v > want || v < want*(1-9*unit) {
				t.Errorf("normal %v, want %v", v, want)
			}
		}
		// Each part by itself, far above the others.
		for name, large := range map[string]struct {
			at   func(at *frameCertificate)
			size float64
		}{
			"α":    {func(at *frameCertificate) { at.alpha = [3]float64{far, far, far} }, math.Sqrt(2*n) * 3 * far},
			"u":    {func(at *frameCertificate) { at.u.SetVec(0, math.Sqrt(far)) }, 2 * far},
			"1":    {func(at *frameCertificate) { at.constant = -far }, far},
			"c":    {func(at *frameCertificate) { at.c = [6]float64{far, 2 * far, 3 * far, 4 * far, 5 * far, 6 * far} }, 2 * far * (9*mat.Norm(f.p, 2) + 12*mat.Norm(f.q, 2))},
			"tilt": {func(at *frameCertificate) { at.tilt[1] = symmetric.Multiple(d, far) }, 2 * math.Sqrt(n) * far},
		} {
			one := frameCertificate{c: [6]float64{1, 1, 1, 1, 1, 1}, u: mat.NewVecDense(d, nil), tilt: []*mat.SymDense{zero, zero, zero}}
			large.at(&one)
			if got := f.sizeOf(one); math.Abs(got-large.size) > 1e-6*large.size {
				t.Errorf("%s of a cut has the size %v, want %v", name, got, large.size)
			}
		}
		if got, err := Enclose(t.Context(), f.p, f.q, 1e-9); err != nil || got.Rounding != 8*(4*n+20)*n*unit || got.Hi != 1e-9 {
			t.Errorf("order %d: %+v, error %v", d, got, err)
		}
	}
}

// A tilt's constant is the sum of its own, raised by what its forms lack, as far as the traces of
// planes go, and by the roundings of its matrices and of the basis.
func TestRoundingOfTilts(t *testing.T) {
	rng := rand.New(rand.NewPCG(112, 2))
	for _, k := range []int{2, 3, 4} {
		const m = 6
		f := newForms(drawn(m, 1, rng), drawn(m, 1, rng))
		p := newFrameProgram(f.p, f.q, [3]float64{0.9, 0.1, 0.4}, 3, k)
		y := make([]float64, len(p.unknowns))
		for i, u := range p.unknowns {
			y[i] = u.start
		}
		constants := 0.0
		for _, name := range []string{"w", "d", "e"} {
			constants += y[p.firstUnknown["constant "+name]]
			for i := range k * (k + 1) / 2 { // linear terms, large beside all others
				y[p.firstUnknown["linear "+name]+i] = 0
			}
			at := p.firstUnknown["shrink "+name]
			for i := range k {
				y[at] = 1e9
				at += k - i
			}
		}
		forms, off := p.constraintForms(y)
		loss := 0.0
		for b := ofSquareW; b < frameBlocks; b++ {
			loss += p.blocks[b].trace * math.Max(0, symmetric.EigenCeiling(symmetric.Negated(forms[b]))+off[b])
		}
		// tr|Z| twice for each of w, d and e, and k‖·‖ of the one matrix they sum to.
		size := 3*2*float64(k)*1e9 + float64(k)*math.Sqrt(float64(k))*3e9
		z := symmetric.Eye(m)
		drift := orthonormalityError(z)
		_, got := p.tiltAt(y, z)
		want := loss*(1+8*drift) + size*(8*drift+8*float64(k*k+4)*unit)
		if got -= constants; math.Abs(got-want) > 1e-2*size*8*4*unit+1e-12 {
			t.Errorf("order %d: a constant of %v is allowed, want %v", k, got, want)
		}
		if loss > size*4*unit {
			t.Errorf("order %d: the forms lack %v", k, loss)
		}
	}
}
