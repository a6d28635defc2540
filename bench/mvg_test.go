package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// numpy returns the median seconds of a draw with NumPy, and what it ran on;
// ok is false where no Python here has NumPy.
func numpy(kind string, m, n int) (seconds float64, on string, ok bool) {
	repeats := 15
	if m*n > 1e6 {
		repeats = 5
	}
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		out, err := exec.Command(python, "numpy_mvg.py", kind, strconv.Itoa(m), strconv.Itoa(n), strconv.Itoa(repeats)).Output()
		if err != nil {
			continue
		}
		fields := strings.Fields(string(out))
		if len(fields) == 3 {
			seconds, err = strconv.ParseFloat(fields[0], 64)
			return seconds, "NumPy " + fields[1] + " with " + fields[2], err == nil
		}
	}
	return 0, "", false
}

var sizes = [][2]int{{21, 2126}, {500, 500}, {2000, 2000}}

func report(b *testing.B, kind string, m, n int) {
	b.Helper()
	per := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(m)*float64(n)/per/1e6, "Mnormals/s")
	seconds, on, ok := numpy(kind, m, n)
	if !ok {
		b.Log("NumPy is not installed: no comparison")
		return
	}
	b.Log(on)
	b.ReportMetric(seconds*1e9, "numpy-ns/op")
	b.ReportMetric(seconds/per, "times-numpy")
}

// Z for diagonal Σ and Ψ = I.
func BenchmarkDiagonalNoise(b *testing.B) {
	for _, s := range sizes {
		m, n := s[0], s[1]
		b.Run(fmt.Sprintf("%dx%d", m, n), func(b *testing.B) {
			variances := make([]float64, m)
			for i := range variances {
				variances[i] = 1 + float64(i)/float64(m)
			}
			d := design(b, m, n, diagonal(b, variances), isotropic(b, n))
			z, src := mat.NewDense(m, n, nil), rand.NewPCG(1, 2)
			b.ReportAllocs()
			for b.Loop() {
				d.Noise(z, src)
			}
			report(b, "diagonal", m, n)
		})
	}
}

// Z for dense Σ and Ψ, their factors at hand.
func BenchmarkDenseNoise(b *testing.B) {
	for _, s := range sizes {
		m, n := s[0], s[1]
		b.Run(fmt.Sprintf("%dx%d", m, n), func(b *testing.B) {
			d := design(b, m, n, dense(b, m), dense(b, n))
			z, src := mat.NewDense(m, n, nil), rand.NewPCG(1, 2)
			d.Noise(z, src)
			for b.Loop() {
				d.Noise(z, src)
			}
			report(b, "dense", m, n)
		})
	}
}

// What dense noise must not be slower than: two products of gonum and the draw.
func BenchmarkTwoProducts(b *testing.B) {
	for _, s := range sizes {
		m, n := s[0], s[1]
		b.Run(fmt.Sprintf("%dx%d", m, n), func(b *testing.B) {
			src := rand.New(rand.NewPCG(1, 2))
			left, right, z := mat.NewDense(m, m, nil), mat.NewDense(n, n, nil), mat.NewDense(m, n, nil)
			for _, a := range []*mat.Dense{left, right} {
				a.Apply(func(_, _ int, _ float64) float64 { return src.NormFloat64() }, a)
			}
			var x, y mat.Dense
			for b.Loop() {
				z.Apply(func(_, _ int, _ float64) float64 { return src.NormFloat64() }, z)
				x.Mul(left, z)
				y.Mul(&x, right.T())
			}
		})
	}
}

func design(b *testing.B, m, n int, sigma, psi mvg.Covariance) *mvg.Design {
	b.Helper()
	s, err := mvg.NewBall(m, n, 1, 1, false)
	if err != nil {
		b.Fatal(err)
	}
	d, err := mvg.NewDesign(context.Background(), s, sigma, psi)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func diagonal(b *testing.B, variances []float64) mvg.Covariance {
	b.Helper()
	c, err := mvg.NewDirectional(variances, nil)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func isotropic(b *testing.B, n int) mvg.Covariance {
	b.Helper()
	c, err := mvg.NewIsotropic(n, 1)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// dense returns a covariance with a dense orthonormal factor: the reflection
// I − 2vvᵀ of a random direction, whose eigendecomposition costs nothing.
func dense(b *testing.B, n int) mvg.Covariance {
	b.Helper()
	src := rand.New(rand.NewPCG(uint64(n), 7))
	v, variances := mat.NewVecDense(n, nil), make([]float64, n)
	for i := range n {
		v.SetVec(i, src.NormFloat64())
		variances[i] = 1 + src.Float64()
	}
	v.ScaleVec(1/mat.Norm(v, 2), v)
	w := mat.NewDense(n, n, nil)
	w.Outer(-2, v, v)
	for i := range n {
		w.Set(i, i, 1+w.At(i, i))
	}
	c, err := mvg.NewDirectional(variances, w)
	if err != nil {
		b.Fatal(err)
	}
	return c
}
