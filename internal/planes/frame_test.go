package planes

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// bisecting returns a frame of the plane in which y ≥ 0, from the angles of its
// compressions' axes, and y.
func bisecting(f forms, v frame) (frame, [6]float64) {
	n := len(v[0])
	basis := mat.NewDense(n, 2, nil)
	basis.SetCol(0, v[0])
	basis.SetCol(1, v[1])
	twice := func(m *mat.SymDense) float64 {
		x := symmetric.Turn(m, basis)
		return math.Atan2(2*x.At(0, 1), x.At(0, 0)-x.At(1, 1))
	}
	p, q := twice(f.p), twice(f.q)
	turned := math.Mod(q-p+4*math.Pi, 2*math.Pi) // Q's axis after P's
	flip := 1.0
	if turned > math.Pi {
		turned, flip = 2*math.Pi-turned, -1
		p = q
	}
	sin, cos := math.Sincos((p + turned/2) / 2)
	out := newFrame(n)
	for i := range n {
		out[0][i] = cos*v[0][i] + sin*v[1][i]
		out[1][i] = flip * (cos*v[1][i] - sin*v[0][i])
	}
	return out, frameValues(f, out)
}

func frameValues(f forms, v frame) [6]float64 {
	n := len(v[0])
	a, b := mat.NewVecDense(n, v[0]), mat.NewVecDense(n, v[1])
	value := func(m *mat.SymDense) (aa, ab, bb float64) {
		return mat.Inner(a, m, a), mat.Inner(a, m, b), mat.Inner(b, m, b)
	}
	p0, p1, p2 := value(f.p)
	q0, q1, q2 := value(f.q)
	return [6]float64{(p0 + p2) / 2, (q0 + q2) / 2, p0 - p2, q0 - q2, -2 * p1, 2 * q1}
}

func frameForms(v frame) (w, d, e *mat.SymDense, omega *mat.Dense) {
	n := len(v[0])
	w, d, e, omega = mat.NewSymDense(n, nil), mat.NewSymDense(n, nil), mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			aa, bb, ab, ba := v[0][i]*v[0][j], v[1][i]*v[1][j], v[0][i]*v[1][j], v[1][i]*v[0][j]
			omega.Set(i, j, ab-ba)
			if i <= j {
				w.SetSym(i, j, aa+bb)
				d.SetSym(i, j, aa-bb)
				e.SetSym(i, j, ab+ba)
			}
		}
	}
	return w, d, e, omega
}

func headOf(a *mat.SymDense, n int) *mat.SymDense {
	out := mat.NewSymDense(n, nil)
	out.CopySym(a.SliceSym(0, n))
	return out
}

// coordinates returns those of a's first k rows and columns, after a 1.
func coordinates(k int, a *mat.SymDense) *mat.VecDense {
	out := []float64{1}
	for _, i := range entriesOf(k) {
		out = append(out, coordinateScale(i[0], i[1])*a.At(i[0], i[1]))
	}
	return mat.NewVecDense(len(out), out)
}

func outerOf(x *mat.VecDense) *mat.SymDense {
	out := mat.NewSymDense(x.Len(), nil)
	out.SymOuterK(1, x)
	return out
}

func innerOf(a, b *mat.SymDense) float64 {
	sum := 0.0
	for i := range a.SymmetricDim() {
		for j := range a.SymmetricDim() {
			sum += a.At(i, j) * b.At(i, j)
		}
	}
	return sum
}

// momentsOf returns what a frame with values y makes of itself in a frame program.
func momentsOf(p *frameProgram, v frame, y [6]float64) []*mat.SymDense {
	w, d, e, omega := frameForms(v)
	both := mat.NewVecDense(2*p.orderOfZ, append(append([]float64(nil), v[0]...), v[1]...))
	rest := symmetric.Multiple(p.orderOfN, 1)
	symmetric.Combine(rest, 1, rest, -1, headOf(w, p.orderOfN))
	out := []*mat.SymDense{outerOf(both), rest}
	for i := 0; i < 6; i += 2 {
		root := math.Sqrt(y[i] * y[i+1])
		out = append(out, mat.NewSymDense(2, []float64{y[i], root, root, y[i+1]}))
	}
	out = append(out, symmetric.Multiple(6, 0))
	if p.orderOfU == 0 {
		return out
	}
	for _, a := range []*mat.SymDense{w, d, e} {
		out = append(out, outerOf(coordinates(p.orderOfU, a)))
	}
	var minors []float64
	for _, i := range pairsOf(p.orderOfU) {
		minors = append(minors, omega.At(i[0], i[1]))
	}
	out = append(out, outerOf(mat.NewVecDense(len(minors), minors)))
	for _, a := range []*mat.SymDense{w, d, e} {
		inner := headOf(a, p.orderOfU)
		var square mat.Dense
		square.Mul(inner, inner)
		x := symmetric.Symmetrized(&square)
		symmetric.Combine(x, 1, headOf(w, p.orderOfU), -1, x)
		out = append(out, x)
	}
	return out
}

// The frame that halves the angle has y ≥ 0 and A² + B² + C² = p₁q₁ + p₂q₂.
func TestBisectingFrames(t *testing.T) {
	rng := rand.New(rand.NewPCG(97, 98))
	for range 50 {
		n := 3 + rng.IntN(5)
		f := newForms(drawn(n, 1, rng), drawn(n, 1, rng))
		v := firstTwo(symmetric.RandomBasis(n, rng))
		_, y := bisecting(f, v)
		for _, x := range y {
			if x < 0 {
				t.Errorf("order %d: y = %v, want none negative", n, y)
			}
		}
		got := 2*y[0]*y[1] + (y[2]*y[3]+y[4]*y[5])/2
		if want := newHalfPlanes(f, v).values(v).largest(); math.Abs(got-want) > 1e-13*want {
			t.Errorf("order %d: A² + B² + C² = %v, want p₁q₁ + p₂q₂ = %v", n, got, want)
		}
	}
}

// Whatever the unknowns are, twice k₁√(y₁y₂)/√2 + … of a frame of Z is the cost less
// Σ ⟨B, X⟩ for its moments X, which are positive semi-definite; and the moments at the
// start satisfy the equations too.
func TestFramesSatisfyPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	for _, c := range [][3]int{{4, 3, 3}, {6, 5, 4}, {7, 4, 3}, {5, 5, 0}} {
		m := c[0]
		f := newForms(drawn(m, 1, rng), drawn(m, 1, rng))
		k := [3]float64{0.8, 0.3, 0.5}
		p := newFrameProgram(f.p, f.q, k, c[1], c[2])
		y := make([]float64, len(p.unknowns))
		for range 5 {
			for i := range y {
				y[i] = rng.NormFloat64()
			}
			v, values := bisecting(f, firstTwo(symmetric.RandomBasis(m, rng)))
			sum := p.cost(y)
			moments := momentsOf(p, v, values)
			for b, form := range p.slack(y, false) {
				sum -= innerOf(form, moments[b])
				trace := mat.Trace(moments[b])
				if trace > p.blocks[b].trace+1e-12 || (!p.blocks[b].traceIsBound && math.Abs(trace-p.blocks[b].trace) > 1e-12) {
					t.Errorf("%v: moment %d has trace %v, want %v", c, b, trace, p.blocks[b].trace)
				}
				if low := symmetric.EigenCeiling(symmetric.Negated(moments[b])); low > 1e-12 {
					t.Errorf("%v: moment %d has an eigenvalue −%v", c, b, low)
				}
			}
			want := math.Sqrt2 * (k[0]*math.Sqrt(values[0]*values[1]) + k[1]*math.Sqrt(values[2]*values[3])/2 + k[2]*math.Sqrt(values[4]*values[5])/2)
			if math.Abs(sum-want) > 1e-10 {
				t.Errorf("%v: cost less Σ ⟨B, X⟩ = %v, want %v", c, sum, want)
			}
		}
		start := make([]*mat.Dense, len(p.blocks))
		for b := range start {
			start[b] = mat.DenseCopyOf(p.blocks[b].moment)
			if low := symmetric.EigenCeiling(symmetric.Negated(p.blocks[b].moment)); low >= 0 {
				t.Errorf("%v: moment %d at the start is not positive definite", c, b)
			}
		}
		image := mat.NewVecDense(len(y), nil)
		p.adjoint(start, image)
		for i := range y {
			y[i] = p.unknowns[i].start
			if want := p.unknowns[i].cost; math.Abs(image.AtVec(i)-want) > 1e-13 {
				t.Errorf("%v: ⟨A, X⟩ = %v at the start for unknown %d, want %v", c, image.AtVec(i), i, want)
			}
		}
		for b, form := range p.slack(y, false) {
			if low := symmetric.EigenCeiling(symmetric.Negated(form)); low >= 0 {
				t.Errorf("%v: block %d at the start is not positive definite", c, b)
			}
		}
	}
}

// near returns y with normal errors of the size.
func near(y []float64, size float64, rng *rand.Rand) []float64 {
	out := append([]float64(nil), y...)
	for i := range out {
		out[i] += size * rng.NormFloat64()
	}
	return out
}

// The cut of any certificate, made of a solution or off one, with a tilt and without, keeps
// the points of all planes, those that climbs find included.
func TestFrameCutsKeepPlanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 94))
	for _, c := range [][3]int{{9, 6, 4}, {8, 5, 3}, {6, 6, 0}, {8, 8, 0}, {10, 7, 0}} {
		n, m, tilt := c[0], c[1], c[2]
		f := newForms(drawn(n, 1, rng), drawn(n, 1, rng))
		climb := &ascent{forms: f}
		points := make([][3]float64, 0, 320)
		keep := func(v frame) {
			_, y := bisecting(f, v)
			points = append(points, [3]float64{math.Sqrt(2 * y[0] * y[1]), math.Sqrt(y[2] * y[3] / 2), math.Sqrt(y[4] * y[5] / 2)})
		}
		for i := range 300 {
			v := firstTwo(symmetric.RandomBasis(n, rng))
			if i < 20 {
				if err := climb.climbFrom(t.Context(), v); err != nil {
					t.Fatal(err)
				}
				keep(firstTwo(climb.bestBasis))
			}
			keep(v)
		}
		z := columns(symmetric.RandomBasis(n, rng), 0, m)
		best := slices.MaxFunc(points, func(x, y [3]float64) int { return cmp.Compare(dot3(x, x), dot3(y, y)) })
		k := unit3(best)
		p := newFrameProgram(symmetric.Turn(f.p, z), symmetric.Turn(f.q, z), k, m, tilt)
		x, err := p.interior(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []float64{0, 1e-6, 1e-2, 1} {
			y := near(x.y, size, rng)
			cut, _ := f.certify(p.certificateAt(y, z))
			if !(cut.normal[0] > 0) {
				t.Errorf("order %d: normal %v", n, cut.normal)
			}
			// On all of space the solution's cut touches the best plane.
			if far := math.Sqrt(dot3(best, best)); m == n && size == 0 && cut.reach(k) > far*(1+1e-9) {
				t.Errorf("order %d: the cut reaches %v, the best plane %v", n, cut.reach(k), far)
			}
			for _, x := range points {
				if dot3(cut.normal, x) > cut.level {
					t.Errorf("order %d, unknowns off by %g: a cut at %v excludes a plane at %v", n, size, cut.level, dot3(cut.normal, x))
					break
				}
			}
		}
	}
}

// A tilt never takes from a frame of any space, whatever its unknowns are.
func TestTiltsAreValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 96))
	for _, c := range [][3]int{{9, 6, 4}, {8, 5, 3}} {
		n, m := c[0], c[1]
		f := newForms(drawn(n, 1, rng), drawn(n, 1, rng))
		z := columns(symmetric.RandomBasis(n, rng), 0, m)
		p := newFrameProgram(symmetric.Turn(f.p, z), symmetric.Turn(f.q, z), [3]float64{0.9, 0.1, 0.4}, m-1, c[2])
		x, err := p.interior(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []float64{0, 1e-6, 1e-2, 1} {
			y := near(x.y, size, rng)
			tilt, constant := p.tiltAt(y, z)
			for range 300 {
				w, d, e, _ := frameForms(firstTwo(symmetric.RandomBasis(n, rng)))
				if gain := constant + innerOf(tilt[0], w) + innerOf(tilt[1], d) + innerOf(tilt[2], e); gain < 0 {
					t.Errorf("order %d: unknowns off by %g take %v from a frame", n, size, -gain)
					break
				}
			}
		}
	}
}

// The farthest point that cuts and half-planes allow, against a fine grid of directions, as cuts
// are added; no sector is left that reaches farther.
func TestSectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(99, 100))
	for range 10 {
		f := newForms(drawn(3, 1, rng), drawn(3, 1, rng))
		s := newFrameCuts(f, 0.01, symmetric.Eye(3), []halfPlane{{0, 0.5 + rng.Float64()}, {rng.Float64(), 0.5 + rng.Float64()}})
		for range 4 {
			for range 1 + rng.IntN(3) {
				s.cuts = append(s.cuts, frameCut{unit3([3]float64{1 + rng.Float64(), rng.Float64(), rng.Float64()}), 0.4 + 0.5*rng.Float64()})
			}
			reach := 0.0
			const steps = 200
			for i := range steps + 1 {
				for j := range steps + 1 {
					b, c := float64(i)/steps, float64(j)/steps
					if b*b+c*c > 1 {
						continue
					}
					v := unit3([3]float64{1, b, c})
					least := math.Inf(1)
					for _, cut := range s.cuts {
						least = math.Min(least, cut.reach(v))
					}
					for _, h := range s.halfPlanes {
						least = math.Min(least, math.Sqrt2*h.radius/(v[0]*math.Cos(h.angle)+math.Hypot(v[1], v[2])*math.Sin(h.angle)))
					}
					reach = math.Max(reach, least)
				}
			}
			far, err := s.farthest(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			// The grid stays in B² + C² ≤ A², the sectors go on to B, C ≤ A.
			center := far.center()
			inside := center[1]*center[1]+center[2]*center[2] <= center[0]*center[0]
			if far.bound < reach || (inside && far.bound > reach*1.04) {
				t.Errorf("sectors reach %v, the grid %v", far.bound, reach)
			}
			for _, other := range s.sectors {
				if other.bound > far.bound {
					t.Fatalf("the farthest of %d sectors reaches %v, another %v", len(s.sectors), far.bound, other.bound)
				}
			}
		}
	}
}

// The cut that is found for a direction keeps all planes, and goes little farther in it than they do.
func TestCutsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(99, 101))
	for _, n := range []int{4, 6} {
		f := newForms(drawn(n, 1, rng), drawn(n, 1, rng))
		climb := &ascent{forms: f}
		for range 6 {
			if err := climb.climbFrom(t.Context(), firstTwo(symmetric.RandomBasis(n, rng))); err != nil {
				t.Fatal(err)
			}
		}
		point := func(v frame) [3]float64 {
			_, y := bisecting(f, v)
			return [3]float64{math.Sqrt(2 * y[0] * y[1]), math.Sqrt(y[2] * y[3] / 2), math.Sqrt(y[4] * y[5] / 2)}
		}
		best := point(firstTwo(climb.bestBasis))
		s := newFrameCuts(f, climb.best, symmetric.RandomBasis(n, rng), nil)
		c := s.cut(t.Context(), unit3(best))
		if far := math.Sqrt(dot3(best, best)); !(c.reach(unit3(best)) >= far && c.reach(unit3(best)) <= far*(1+1e-6)) {
			t.Errorf("order %d: a cut reaches %v, the best plane %v", n, c.reach(unit3(best)), far)
		}
		for range 300 {
			if x := point(firstTwo(symmetric.RandomBasis(n, rng))); dot3(c.normal, x) > c.level {
				t.Errorf("order %d: a cut at %v excludes a plane at %v", n, c.level, dot3(c.normal, x))
			}
		}
	}
}

// What cuts of frames leave open is no less than the best plane has, and little more.
func TestFrameCutsHoldThePlanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(99, 102))
	large := 0
	for trial := range 8 {
		n := 3 + trial%2
		s := &search{ascent: ascent{forms: newForms(drawn(n, 0.3, rng), drawn(n, 0.3, rng))}, hi: math.Inf(1)}
		for range 6 {
			if err := s.climbFrom(t.Context(), firstTwo(symmetric.RandomBasis(n, rng))); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.lowerByHalfPlanes(t.Context()); err != nil {
			t.Fatal(err)
		}
		hi, err := newFrameCuts(s.forms, s.best, s.localBestBasis(), s.lastHalfPlanes).upper(t.Context())
		if err != nil || !(hi >= s.best*(1-1e-14) && hi <= 1.25*s.best) {
			t.Errorf("order %d: at most %v, %v, the best plane has %v", n, hi, err, s.best)
		}
		if s.best > 1.2 {
			large++
		}
	}
	if large < 3 {
		t.Errorf("%d values are far from 1", large)
	}
}
