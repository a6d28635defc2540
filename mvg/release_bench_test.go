package mvg

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A release in the standard basis, by the operating system's generator.
func BenchmarkReleaseDiagonal(b *testing.B) {
	for _, n := range []int{200, 2000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			v := make([]float64, n)
			for i := range v {
				v[i] = 1 + float64(i)/float64(n)
			}
			c := ok(NewDirectional(v, nil))
			benchmarkRelease(b, c, c)
		})
	}
}

// With both covariances dense; their exact roots are computed anew each time.
func BenchmarkReleaseDense(b *testing.B) {
	for _, n := range []int{100, 500} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			benchmarkRelease(b, drawCovariance(b, n, 1, rng), drawCovariance(b, n, 1, rng))
		})
	}
}

func benchmarkRelease(b *testing.B, sigma, psi Covariance) {
	m, n := sigma.Order(), psi.Order()
	d := &Design{sensitivity: ok(NewBall(m, n, BallOptions{S2: 1, Gamma: 1})), sigma: sigma, psi: psi}
	fx := mat.NewDense(m, n, nil)
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range []Covariance{sigma, psi} {
			if c.dense != nil {
				*c.dense.exact.best = nil
			}
		}
		if _, err := d.Release(context.Background(), fx, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(m*n)*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}

func BenchmarkReleaseLaplace(b *testing.B) {
	fx := mat.NewDense(200, 200, nil)
	for b.Loop() {
		if _, err := ReleaseLaplace(context.Background(), fx, big.NewRat(1, 3), nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(40000*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}

func BenchmarkReleaseRankOne(b *testing.B) {
	fx := mat.NewDense(100, 10, nil)
	r := RankOne{Dimension: 1000, Sensitivity: 1, Variance: 7}
	for b.Loop() {
		if _, err := r.Release(context.Background(), fx, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}
