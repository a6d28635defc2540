package workload

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// shared returns a dual whose patterns share steps, to be solved by conjugate gradients.
func shared(w *mat.Dense, o Objective) *dual {
	_, n := w.Dims()
	e := newEpochs(Participation{Kind: Fixed, Epochs: 3, Separation: 2}.fixedPatterns(n), false, n)
	d := e.dual(w, o)
	e.conjugate = true
	return d
}

func normals(rng *rand.Rand, rows, columns int) *mat.Dense {
	w := mat.NewDense(rows, columns, nil)
	w.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, w)
	return w
}

// Conjugate gradients find the same optimum as the direct solution for all pairs of steps, also with fewer rows than
// steps.
func TestConjugateGradientsFindTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 58))
	prefix, _ := PrefixSums(11)
	d, _ := prefix.Dense()
	for _, w := range []*mat.Dense{d, normals(rng, 8, 8), normals(rng, 6, 8), normals(rng, 10, 8)} {
		for _, o := range []Objective{Max, Mean} {
			var ends [2][2]float64
			for i := range ends {
				d := shared(w, o)
				d.epochs.conjugate = i == 0
				x := d.epochs.start()
				if o == Max {
					x = append(uniform(d.rows), x...)
				}
				x, err := d.maximise(t.Context(), x, 1e-6)
				if err != nil {
					t.Fatal(err)
				}
				p, y := d.split(x)
				l, err := d.at(t.Context(), p, y)
				if err != nil {
					t.Fatal(err)
				}
				ends[i][0], ends[i][1] = d.ends(x, l)
			}
			got, want := ends[0], ends[1]
			if !(got[1] <= got[0]*(1+1e-5) && got[0] <= want[1] && want[0] <= got[1]) {
				t.Errorf("%v: [%v, %v], want [%v, %v]", o, got[0], got[1], want[0], want[1])
			}
		}
	}
}

// The move (dZ, dH) satisfies its equations. Z + dZ matches the slope at H + dH up to diagonals of trace 0, by
// difference quotients, and H + dH + W dZ W = target·Z^{−1} with WZW = H.
func TestConjugateMoveSolvesItsEquations(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 58))
	d := shared(normals(rng, 7, 7), Mean)
	e, y := d.epochs, d.epochs.start()
	for i := range y {
		y[i] *= 1 + .2*rng.Float64()
	}
	slope := func(y []float64) local {
		p, _ := d.split(y)
		l := must.For(d.at(t.Context(), p, y))(t)
		l.x.Scale(1/(2*l.f), l.x)
		return l
	}
	const target, h = 1e-3, 1e-5
	if err := e.invert(y, target); err != nil {
		t.Fatal(err)
	}
	for k := range e.patterns {
		e.blocks.z[k].SetSym(0, 1, e.blocks.z[k].At(0, 1)+.1*e.blocks.z[k].At(1, 1))
	}
	p, _ := d.split(y)
	l, err := d.at(t.Context(), p, y)
	if err != nil {
		t.Fatal(err)
	}
	move, err := d.conjugateMove(t.Context(), y, nil, nil, l, target)
	if err != nil {
		t.Fatal(err)
	}
	at := func(step float64) *mat.Dense {
		return slope(floats.AddScaledTo(make([]float64, len(y)), y, step, move)).x
	}
	ahead, behind := at(h), at(-h)
	for k, steps := range e.patterns {
		of, z, dz := e.block(y, k), e.blocks.z[k], e.blocks.dz[k]
		scaled := must.For(newScaling(of, z))(t)
		var wz, wzw, inverse, wdw mat.Dense
		wz.Mul(scaled.w, z)
		wzw.Mul(&wz, scaled.w)
		wdw.Mul(scaled.w, dz)
		wdw.Mul(&wdw, scaled.w)
		if err := inverse.Inverse(z); err != nil {
			t.Fatal(err)
		}
		dh, trace := e.block(move, k), -.5
		size := mat.Norm(z, 2)
		for i, s := range steps {
			for j, r := range steps {
				if math.Abs(wzw.At(i, j)-of.At(i, j)) > 1e-12 {
					t.Errorf("WZW is %v, want %v", wzw.At(i, j), of.At(i, j))
				}
				if got := of.At(i, j) + dh.At(i, j) + wdw.At(i, j); math.Abs(got-target*inverse.At(i, j)) > 1e-9 {
					t.Errorf("H + dH + W dZ W is %v, want %v", got, target*inverse.At(i, j))
				}
				mean, change := (ahead.At(s, r)+behind.At(s, r))/2, (ahead.At(s, r)-behind.At(s, r))/(2*h)
				rest := mean + change + z.At(i, j) + dz.At(i, j)
				if i == j {
					trace += rest
				} else if math.Abs(rest) > .05*size {
					t.Errorf("slope and Z + dZ differ by %v of %v", rest, size)
				}
			}
		}
		if math.Abs(trace) > .05*size {
			t.Errorf("trace %v of %v", trace, size)
		}
	}
}
