package mvg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// Padding both covariances with a floor that many directions share leaves the maximum;
// so does turning both.
func TestReplacementAboveAFloor(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 86))
	for _, d := range []int{8, 30} {
		w := symmetric.RandomBasis(d, rng)
		small := [2]Covariance{drawCovariance(t, 4, 1, rng), drawCovariance(t, 4, 1, rng)}
		var large [2]Covariance
		for i, c := range small {
			v := c.Variances()
			u := mat.NewDense(d, d, nil)
			for j := range d {
				u.Set(j, j, 1)
			}
			u.Slice(0, 4, 0, 4).(*mat.Dense).Copy(c.directions)
			for j := 4; j < d; j++ {
				v = append(v, 1e6)
			}
			var turned mat.Dense
			turned.Mul(w, u)
			var err error
			if large[i], err = NewDirectional(v, &turned); err != nil {
				t.Fatal(err)
			}
		}
		want, err := enclosed(t.Context(), small[0], small[1])
		if err != nil {
			t.Fatal(err)
		}
		got, err := enclosed(t.Context(), large[0], large[1])
		if err != nil {
			t.Fatal(err)
		}
		// Rounding the entries of a covariance of condition 1e6 or so moves its inverse by 1e-9.
		if math.Abs(got.lo-want.lo) > 1e-8*want.lo || math.Abs(got.hi-want.hi) > 1e-8*want.hi {
			t.Errorf("order %d: [%v, %v], want [%v, %v]", d, got.lo, got.hi, want.lo, want.hi)
		}
	}
}

func TestReplacementStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rng := rand.New(rand.NewPCG(41, 42))
	if _, err := enclosed(ctx, drawCovariance(t, 4, 1, rng), drawCovariance(t, 4, 1, rng)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// A whitening of high order stops where it is told to, whether a record is added or replaced.
func TestGramOfHighOrderStops(t *testing.T) {
	for _, replace := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(65, 66))
		draw := func(variance func(i int) float64) Covariance {
			v := make([]float64, 150)
			for i := range v {
				v[i] = variance(i)
			}
			c, err := NewDirectional(v, symmetric.RandomBasis(150, rng))
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		sigma := draw(func(i int) float64 { return 1 / float64(i+1) })
		psi := draw(func(int) float64 { return 1 / (1 + rng.Float64()) })
		g, err := NewGram(150, 1, map[bool]query.Relation{false: query.AddRemove, true: query.Replace}[replace], 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 2, 9} {
			if _, err := g.whitened(looks.After(t.Context(), n), sigma, psi); !errors.Is(err, context.Canceled) {
				t.Errorf("replace = %t, n = %d: error %v, want %v", replace, n, err, context.Canceled)
			}
		}
	}
}

// Diagonal covariances whose decomposition without vectors panics in gonum 0.17.
func TestReplacementOfDiagonals(t *testing.T) {
	for _, seed := range []uint64{18, 31, 51} {
		rng := rand.New(rand.NewPCG(seed, 4))
		d := 5 + rng.IntN(20)
		v, w := make([]float64, d), make([]float64, d)
		for i := range d {
			v[i], w[i] = 0.4+1.7*rng.Float64(), 0.4+1.7*rng.Float64()
		}
		sigma, err := NewDirectional(v, nil)
		if err != nil {
			t.Fatal(err)
		}
		psi, err := NewDirectional(w, nil)
		if err != nil {
			t.Fatal(err)
		}
		axes := 0.0 // the best plane of two axes
		for i := range d {
			for j := range i {
				axes = math.Max(axes, 1/(v[i]*w[i])+1/(v[j]*w[j]))
			}
		}
		if got, err := enclosed(t.Context(), sigma, psi); err != nil || got.lo < axes*(1-1e-9) || got.hi < got.lo {
			t.Errorf("order %d: [%v, %v], %v, two axes have %v", d, got.lo, got.hi, err, axes)
		}
	}
}

// Precisions beyond float64 scale as others do.
func TestReplacementAtExtremeScales(t *testing.T) {
	for _, size := range []float64{0x1p-1000, 0x1p-500, 0x1p500, 0x1p1000} {
		made := func(v ...float64) Covariance {
			for i := range v {
				v[i] *= size
			}
			c, err := NewDirectional(v, nil)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		got, err := replaced(t.Context(), made(1, 2, 3), made(1, 1.5, 7))
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := got.Mul(interval.Float(size)).Mul(interval.Float(size)).Bounds()
		if want := 1 + 1/(2*1.5); lo > want || hi < want || hi-lo > 1e-12 {
			t.Errorf("variances of %g: [%v, %v]/size², want %v", size, lo, hi, want)
		}
	}
}

func BenchmarkReplacement(b *testing.B) {
	for _, d := range []int{3, 6, 10, 16, 21, 40, 100} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(45, uint64(d)))
			sigma, psi := drawCovariance(b, d, 1, rng), drawCovariance(b, d, 1, rng)
			ratio := 0.0
			b.ReportAllocs()
			for b.Loop() {
				got, err := enclosed(b.Context(), sigma, psi)
				if err != nil {
					b.Fatal(err)
				}
				ratio = got.lo / got.hi
			}
			b.ReportMetric(ratio, "lo/hi")
		})
	}
}
