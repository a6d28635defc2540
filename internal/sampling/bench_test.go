package sampling

import (
	"math/big"
	"testing"
)

func BenchmarkNormal(b *testing.B) {
	src := new(System)
	var r Real
	for b.Loop() {
		r.normal(src)
	}
}

func BenchmarkExponential(b *testing.B) {
	src := new(System)
	for b.Loop() {
		Exponential(src)
	}
}

func BenchmarkDiscreteGaussian(b *testing.B) {
	g, err := NewDiscreteGaussian(big.NewRat(1_000_000, 1))
	if err != nil {
		b.Fatal(err)
	}
	src := new(System)
	for b.Loop() {
		g.Draw(src)
	}
}

func BenchmarkRound(b *testing.B) { // of a Laplace variable of scale 1/3
	src, third, grid := new(System), Rat(big.NewRat(1, 3)), big.NewRat(1, 1<<30)
	for b.Loop() {
		if _, err := Round(Exponential(src).Number().Mul(third), grid); err != nil {
			b.Fatal(err)
		}
	}
}
