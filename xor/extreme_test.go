package xor_test

import (
	"errors"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// What is possible is never certified impossible, however unlikely; and small
// chances beside large ones keep their digits.
func TestChancesBelowTheNormalNumbers(t *testing.T) {
	b := must.Be(xor.NewUniform(150, 2, 55.5, 21.9))
	rate := must.Be(b.ErrorRate(ctx, 0, xor.Complement))
	if !(rate.Lo == 0 && rate.Hi > 0 && rate.Hi < 1e-300 && rate.Float() > 0) {
		t.Errorf("rate of zeros is %v, want it above 0", rate)
	}
	block := [][]float64{{.1, 0}, {0, .2}}
	b = must.Be(xor.NewBernoulli([][]float64{{700, 0}, {0, -700}}, map[xor.Pair][][]float64{{I: 0, J: 1}: block}, 2))
	m := must.Be(b.Moments(ctx))
	const want = 9.859676543759770e-305 // 1/(1 + e^700) but for 1e-300 of it
	if c := m.Marginals[1]; !(c.Lo <= want*(1+1e-12) && c.Hi >= want*(1-1e-12) && c.Hi-c.Lo < 1e-11*want) {
		t.Errorf("marginal %v, want %v", c, want)
	}
}

func TestCryptoSourceRefusesChains(t *testing.T) {
	const p = 36
	frustrated := make([][]float64, p)
	for i := range frustrated {
		frustrated[i] = make([]float64, p)
		for j := range frustrated[i] {
			frustrated[i][j] = -.05
		}
	}
	b := must.Be(xor.NewBernoulli(frustrated, nil, 1))
	for _, method := range []xor.Method{xor.Auto, xor.EHMC, xor.Gibbs, xor.Published} {
		if _, _, err := b.Noise(ctx, 1, method, xor.NewCryptoSource()); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s from a cryptographic source gives %v", method, err)
		}
	}
}
