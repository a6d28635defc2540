package records_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/must"
	"dpworkbench/records"
	"dpworkbench/smooth"
)

// noises are laws of smooth sensitivity with their densities as the papers write them.
func noises(t *testing.T) map[string]struct {
	law     smooth.Noise
	density func(z float64) float64
} {
	type one = struct {
		law     smooth.Noise
		density func(z float64) float64
	}
	out := map[string]one{"laplace": {smooth.Laplace(), func(z float64) float64 { return math.Exp(-math.Abs(z)) / 2 }}}
	for _, shape := range []*big.Rat{rat(5, 4), rat(2, 1), rat(5, 2), rat(4, 1)} {
		g, _ := shape.Float64()
		out["cauchy "+shape.RatString()] = one{must.For(smooth.Cauchy(shape))(t), func(z float64) float64 {
			return g * math.Sin(math.Pi/g) / (2 * math.Pi) / (1 + math.Pow(math.Abs(z), g))
		}}
	}
	for _, shape := range []*big.Rat{rat(1, 2), rat(1, 1), rat(3, 1)} {
		d, _ := shape.Float64()
		front := math.Gamma((d+1)/2) / math.Gamma(d/2) / math.Sqrt(d*math.Pi)
		out["student "+shape.RatString()] = one{must.For(smooth.Student(shape))(t), func(z float64) float64 {
			return front * math.Pow(1+z*z/d, -(d+1)/2)
		}}
	}
	return out
}

// quadrature is ∫ g(z)·density(z) dz over z = sinh(u), by Simpson's rule in steps of 1/200: where g jumps by j it is
// off by at most j times that, and where its slope changes by k by k times its square, to a factor below 1.
func quadrature(density, g func(z float64) float64) float64 {
	const n, end = 40000, 100.0
	sum := 0.0
	for i := range n + 1 {
		w := 2.0
		if i%2 == 1 {
			w = 4
		}
		if i == 0 || i == n {
			w = 1
		}
		u := end * (2*float64(i)/n - 1)
		if v := density(math.Sinh(u)) * math.Cosh(u); v > 0 {
			sum += w * v * g(math.Sinh(u))
		}
	}
	return sum * 2 * end / n / 3
}

// Answers of smooth sensitivity are moved to the range, on a lattice to its nearest value, and their error, its
// quantiles and their law are those of what is released.
func TestSmoothIsMovedToTheRange(t *testing.T) {
	ctx := context.Background()
	eps := must.For(evidence.NewEpsilon("eps", 1.5))(t)
	for _, grid := range []*big.Rat{nil, rat(1, 4)} {
		r := must.For(records.New([]float64{0.5, 1, 2, 2.25, 3.5}, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Grid: grid, Neighbors: records.Replace}))(t)
		q := must.For(r.Median())(t)
		f, _ := q.Value().Float64()
		for name, noise := range noises(t) {
			delta := new(big.Rat)
			if name == "laplace" {
				delta = rat(1, 100)
			}
			m := must.For(records.NewSmooth(ctx, q, must.For(smooth.Calibrate(noise.law, eps, evidencetest.RationalDelta(delta), nil))(t)))(t)
			s := m.Scale().Mid()
			output := func(z float64) float64 {
				v := f + s*z
				if grid != nil {
					v = math.Round(v*4) / 4
				}
				return min(max(v, 0), 4)
			}
			tolerance := 2 * s / 200 / 200
			if grid != nil {
				tolerance = 1. / 200 // steps of 1/4
			}
			for _, c := range []float64{f, 0, 0.3, 3, 4, 7} {
				have := must.For(records.DistortionFrom(ctx, m, new(big.Rat).SetFloat64(c)))(t)
				want := quadrature(noise.density, func(z float64) float64 { return math.Abs(output(z) - c) })
				lo, hi := have.Bounds()
				if math.Abs(have.Float()-want) > tolerance || hi-lo > 1e-8*hi {
					t.Errorf("%s, grid %v: E|r − %g| = %v, by quadrature %g", name, grid, c, have, want)
				}
			}
			for _, e := range []float64{0.3, 1, 1.9} {
				have := must.For(m.Within(ctx, new(big.Rat).SetFloat64(e)))(t).Mid()
				if want := quadrature(noise.density, func(z float64) float64 {
					if math.Abs(output(z)-f) <= e+1e-9 {
						return 1
					}
					return 0
				}); math.Abs(have-want) > 1./200 {
					t.Errorf("%s, grid %v: Pr[error ≤ %g] = %g, by quadrature %g", name, grid, e, have, want)
				}
			}
			top := must.For(records.ErrorQuantile(ctx, m, rat(999999, 1000000)))(t)
			if _, hi := top.Bounds(); hi > 2 {
				t.Errorf("%s, grid %v: an error of %v, and the range ends at 2", name, grid, top)
			}
			for _, v := range must.For(m.Simulate(ctx, 200, draw.Source(1, 2)))(t) {
				if v < 0 || v > 4 || grid != nil && v*4 != math.Round(v*4) {
					t.Errorf("%s, grid %v: drew %g", name, grid, v)
				}
			}
			line := m.OnLine()
			own := must.For(line.Distortion(ctx))(t)
			if mean, ok := noise.law.AbsMoment(); !ok != math.IsInf(own.Float(), 1) || ok && math.Abs(own.Float()/(s*mean.Mid())-1) > 1e-12 {
				t.Errorf("%s: on the line the error is %v, want %v times %g, %t", name, own, mean, s, ok)
			}
			if p := must.For(line.Between(ctx, rat(0, 1), rat(4, 1)))(t).Mid(); p > 0.99 {
				t.Errorf("%s: on the line %g lies in the range", name, p)
			}
		}
	}
}

// The error against another number is the sum over the law, one value after the other.
func TestDistortionFrom(t *testing.T) {
	ctx := context.Background()
	eps := must.For(evidence.NewEpsilon("eps", 0.9))(t)
	noise := must.For(smooth.Student(rat(3, 1)))(t)
	makers := map[string]func(q *records.Query) (records.Law, error){
		"purest":      func(q *records.Query) (records.Law, error) { return records.NewPurest(q, eps) },
		"delta":       func(q *records.Query) (records.Law, error) { return records.NewDeltaNeighborhood(q, eps, rat(1, 2)) },
		"ladder":      func(q *records.Query) (records.Law, error) { return records.NewLadder(q, eps) },
		"laplace":     func(q *records.Query) (records.Law, error) { return records.NewLaplace(q, eps) },
		"staircase":   func(q *records.Query) (records.Law, error) { return records.NewStaircase(q, eps, nil) },
		"exponential": func(q *records.Query) (records.Law, error) { return records.NewExponential(q, eps) },
		"smooth": func(q *records.Query) (records.Law, error) {
			return records.NewSmooth(ctx, q, must.Be(smooth.Calibrate(noise, eps, evidence.Delta{}, nil)))
		},
	}
	for _, fine := range []int64{4, 64} { // a lattice, and one so fine that it stands for all between
		for name, of := range makers {
			grid := rat(1, fine)
			x := []float64{0.5, 1, 1.25, 2.25, 3.5}
			lattice := must.For(of(must.For(must.For(records.New(x, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Grid: grid, Neighbors: records.Replace}))(t).Median())(t)))(t)
			open := must.For(of(must.For(must.For(records.New(x, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Neighbors: records.Replace}))(t).Median())(t)))(t)
			for _, c := range []*big.Rat{rat(5, 4), rat(0, 1), rat(1, 3), rat(9, 4), rat(47, 20), rat(4, 1), rat(5, 1), rat(-1, 1)} {
				have := must.For(records.DistortionFrom(ctx, lattice, c))(t).Float()
				if fine == 4 {
					want, at := 0.0, 0.0
					to, _ := c.Float64()
					for k := range 4*fine + 1 {
						at = float64(k) / float64(fine)
						want += must.For(lattice.Between(ctx, rat(k, fine), rat(k, fine)))(t).Mid() * math.Abs(at-to)
					}
					if math.Abs(have-want) > 1e-12 {
						t.Errorf("%s: E|r − %v| = %g, by the sum %g", name, c, have, want)
					}
				} else if near := must.For(records.DistortionFrom(ctx, open, c))(t).Float(); math.Abs(have-near) > 2./64 {
					t.Errorf("%s: E|r − %v| = %g on a fine lattice, %g on all between", name, c, have, near)
				}
			}
		}
	}
}

// Mechanisms that make next to no noise give the answer, wherever the range lies and in whatever steps, and round it on a line to 2^−32 of its width.
func TestNextToNoNoise(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 600))(t)
	for _, lo := range []*big.Rat{rat(0, 1), rat(-7, 1), rat(3, 1), rat(5, 2), rat(-1, 4)} {
		for _, grid := range []*big.Rat{nil, rat(1, 4)} {
			var x []float64
			for _, v := range []int64{2, 5, 6, 6, 6, 6, 13} { // quarters
				at, _ := new(big.Rat).Add(lo, rat(v, 4)).Float64()
				x = append(x, at)
			}
			q := must.For(must.For(records.New(x, records.Options{Lo: lo, Hi: new(big.Rat).Add(lo, rat(4, 1)), Grid: grid, Neighbors: records.Replace}))(t).Median())(t)
			want, _ := q.Value().Float64()
			for name, of := range mechanisms {
				what, exact := fmt.Sprintf("%s on [%v, %v + 4] in steps of %v", name, lo, lo, grid), grid != nil && !strings.Contains(name, "line")
				m := must.For(of(q, eps))(t)
				out := must.For(m.Simulate(ctx, 5, draw.Source(1, 2)))(t)
				released, step, err := m.(records.Releaser).Release(ctx, 5, draw.Source(1, 2))
				if err != nil || exact && step != nil || !exact && step.Cmp(rat(1, 1<<30)) != 0 {
					t.Errorf("%s: released on %v, error %v", what, step, err)
				}
				off := 0.3
				switch name { // what is alike up to a distance
				case "staircase":
					off = 4. / 3
				case "delta":
					off = 0.5
				}
				for _, v := range append(out, released...) {
					if math.Abs(v-want) > off || exact && off < 0.5 && v != want {
						t.Errorf("%s: %g, want %g", what, v, want)
					}
				}
			}
		}
	}
}

// Records in another unit are drawn from as these are, however large or small the unit: in float64s, by powers of two, but for roundings.
func TestDrawsScaleWithTheirUnit(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	for name, of := range mechanisms {
		if strings.Contains(name, "smooth") || name == "delta" { // which draw as many digits as decide, and within 1/2
			continue
		}
		var want []float64
		for _, unit := range []float64{1, 0x1p-400, 0x1p400, 0x1p700} {
			x := []float64{0, 0.5, 1.5, 1.75, 3.5}
			for i := range x {
				x[i] *= unit
			}
			q := must.For(must.For(records.New(x, records.Options{Lo: rat(0, 1), Hi: new(big.Rat).SetFloat64(4 * unit), Neighbors: records.Replace}))(t).Median())(t)
			m := must.For(of(q, eps))(t)
			have := must.For(m.Simulate(ctx, 20, draw.Source(3, 4)))(t)
			if want == nil {
				want = have
			}
			for i, v := range have {
				if math.Abs(v/unit-want[i]) > 1e-8*max(1, math.Abs(want[i])) {
					t.Errorf("%s in units of %g: %g, want %g", name, unit, v/unit, want[i])
				}
			}
		}
	}
}

// begun is a source whose first words are given.
type begun struct {
	words []uint64
	rand.Source
}

func (s *begun) Uint64() uint64 {
	if len(s.words) == 0 {
		return s.Source.Uint64()
	}
	v := s.words[0]
	s.words = s.words[1:]
	return v
}

// What is simulated lies in the range, whatever words are drawn and however float64s of its ends and the answer round.
func TestSimulationsStayInRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	for range 300 {
		at := []int{rng.IntN(3000) - 1000, rng.IntN(3000) - 1000, rng.IntN(3000) - 1000}
		slices.Sort(at)
		if at[0] == at[2] {
			continue
		}
		scale := []int64{10, 1000, 1e6}[rng.IntN(3)]
		if rng.IntN(2) == 0 {
			at[1] = at[2*rng.IntN(2)]
		}
		lo, hi := rat(int64(at[0]), scale), rat(int64(at[2]), scale)
		v, _ := rat(int64(at[1]), scale).Float64()
		q := must.For(must.For(records.New([]float64{v}, records.Options{Lo: lo, Hi: hi, Neighbors: records.Replace}))(t).Median())(t)
		below, _ := lo.Float64()
		above, _ := hi.Float64()
		for name, of := range mechanisms {
			if strings.Contains(name, "line") || name == "smooth" { // which draws exactly
				continue
			}
			m := must.For(of(q, eps))(t)
			for _, word := range []uint64{0, math.MaxUint64} {
				out, err := m.Simulate(ctx, 1, &begun{[]uint64{word, word}, rng})
				if err != nil || out[0] < below || out[0] > above {
					t.Errorf("%s from %g in [%g, %g]: %v, error %v", name, v, below, above, out, err)
				}
			}
		}
	}
}
