package certificate_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/xor"
)

func TestBits(t *testing.T) { checkAll(t, bits) }

// bits adds certificates for noise on bits.
func bits(j *checkerCases) {
	t := j.t
	s := generator{t, rand.New(rand.NewPCG(26, 13))}
	ctx := context.Background()
	entry := func() float64 { return []float64{0, 0, 0.1, -0.3, 0.25, -1, s.rng.NormFloat64()}[s.rng.IntN(7)] }
	square := func(p int) [][]float64 {
		m := make([][]float64, p)
		for i := range m {
			m[i] = make([]float64, p)
			for k := range i + 1 {
				m[i][k] = entry()
				m[k][i] = m[i][k]
			}
		}
		return m
	}
	several := func(b *xor.Bernoulli) {
		t.Helper()
		n, p := b.Shape()
		relations := []xor.Neighbors{xor.FlipBits(1), xor.FlipBits(2), xor.FlipBits(min(n*p, 4)), xor.FlipRows(1)}
		if n*p <= 6 {
			relations = append(relations, xor.FlipRows(2))
		}
		if n == p && n > 1 {
			relations = append(relations, xor.FlipEdges(1))
			if n <= 2 {
				relations = append(relations, xor.FlipEdges(2))
			}
		}
		pattern, err := xor.NewBits(n, p)
		s.fail(err)
		for range 1 + s.rng.IntN(4) {
			pattern.Set(s.rng.IntN(n), s.rng.IntN(p), true)
		}
		relations = append(relations, xor.FlipPatterns(pattern))
		for _, nb := range relations {
			u, err := b.Under(nb, xor.LossOptions{})
			s.fail(err)
			loss, err := u.Loss(ctx)
			j.number(loss.Certified, err)
		}
		number := func(c evidence.Certified, err error) { t.Helper(); j.number(c, err) }
		number(b.LogNormalizer(ctx))
		number(b.ErrorRate(ctx, 0, xor.Plain))
		number(b.ErrorRate(ctx, 3, xor.Complement))
	}
	for range j.rounds(9) {
		n, p := 1+s.rng.IntN(4), 1+s.rng.IntN(3)
		lam := map[xor.Pair][][]float64{}
		for i := range n {
			for k := range i {
				if s.rng.IntN(3) == 0 {
					lam[xor.Pair{I: k, J: i}] = square(p)
				}
			}
		}
		b, err := xor.NewBernoulli(square(p), lam, n)
		s.fail(err)
		switch s.rng.IntN(3) {
		case 0:
			b = b.ForDecimals()
		case 1:
			b, err = b.Scale(1.3)
			s.fail(err)
		}
		several(b)
	}
	for range j.rounds(6) {
		b, err := xor.NewUniform(1+s.rng.IntN(60), 1+s.rng.IntN(60), entry(), entry()/20)
		s.fail(err)
		several(b.ForDecimals())
	}
	a, err := xor.Allocate(xor.Budget{N: 4039, P: 4039, Epsilon: s.eps(1), Alpha: 0.7, Sensitivity: 2})
	s.fail(err)
	several(a)

	b, err := xor.NewBernoulli([][]float64{{0.5, 0.2}, {0.2, -1}}, map[xor.Pair][][]float64{{I: 0, J: 1}: {{0.3, 0}, {0, 0.1}}}, 3)
	s.fail(err)
	u, err := b.Under(xor.FlipBits(2), xor.LossOptions{})
	s.fail(err)
	loss, err := u.Loss(ctx)
	f := j.number(loss.Certified, err)
	law := f.statement["law"].(object)
	other := func(key string, value any) object {
		out := maps.Clone(law)
		out[key] = value
		return out
	}
	j.add(f.saying("neighbors", object{"bits": 1}), "fewer bits")
	j.add(f.saying("neighbors", object{"bits": 3}), "more bits")
	j.add(f.saying("neighbors", object{"rows": 1}), "rows")
	j.add(f.saying("neighbors", object{"edges": 1}), "edges of no square matrix")
	j.add(f.saying("law", other("lambda", list{})), "no associations")
	j.add(f.saying("law", other("theta", list{list{"1/2", "1/5"}, list{"0", "-1"}})), "a law that is not symmetric")
	j.add(f.saying("law", other("objects", 4)), "") // the fourth object has no partner and adds no loss
}
