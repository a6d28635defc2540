package workload

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The step in λ and M equals the step of the whole system in λ and every N_π, whose blocks ⟨∂H, H^{−1}∂H Z⟩ are
// computed by matrix products.
func TestReducedStepSolvesTheWholeSystem(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 58))
	e := newEpochs([][]int{{0, 2, 4}, {1, 3, 5}, {2, 4, 6}, {0, 4, 6}}, false, 7)
	if !e.sharing {
		t.Fatal("no pattern has its own N")
	}
	y := e.start()
	for i := range y {
		y[i] *= 1 + .2*rng.Float64()
	}
	const target = .3
	if err := e.invert(y, target); err != nil {
		t.Fatal(err)
	}
	for k := range e.blocks.z {
		e.blocks.z[k].SetSym(0, 1, e.blocks.z[k].At(0, 1)+.1*e.blocks.z[k].At(1, 1))
	}
	joint := e.joint(y)
	n, m := len(y), len(joint)
	half := mat.NewDense(m, m, nil)
	half.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, half)
	a, right := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	a.SymOuterK(1, half)
	for i := range m {
		right.SetVec(i, rng.NormFloat64())
	}

	// J is the matrix that maps relative steps of all variables to relative steps of the joint variables.
	j := mat.NewDense(m, n, nil)
	for k := range e.patterns {
		j.Set(k, k, 1)
		for i, at := range e.own[k] {
			j.Set(len(e.patterns)+at, e.first[k]+i, y[e.first[k]+i]/joint[len(e.patterns)+at])
		}
	}
	var whole, aj mat.Dense
	aj.Mul(a, j)
	whole.Mul(j.T(), &aj)
	want := mat.NewVecDense(n, nil)
	want.MulVec(j.T(), right)
	for k, z := range e.blocks.z {
		unit := func(a int) *mat.SymDense {
			moves := make([]float64, n)
			moves[e.index(k, a)] = y[e.index(k, a)]
			return e.block(moves, k)
		}
		var product mat.Dense
		for a := range 1 + len(e.own[k]) {
			row := e.index(k, a)
			product.Mul(unit(a), e.blocks.inverse[k])
			want.SetVec(row, want.AtVec(row)+target*mat.Trace(&product))
			for b := range 1 + len(e.own[k]) {
				product.Mul(unit(a), e.blocks.inverse[k])
				product.Mul(&product, unit(b))
				product.Mul(&product, z)
				whole.Set(row, e.index(k, b), whole.At(row, e.index(k, b))+mat.Trace(&product))
			}
		}
	}
	if err := want.SolveVec(&whole, want); err != nil {
		t.Fatal(err)
	}

	if err := e.reduce(a, right, 0, y, target); err != nil {
		t.Fatal(err)
	}
	if err := right.SolveVec(a, right); err != nil {
		t.Fatal(err)
	}
	for i, v := range e.expand(right.RawVector().Data, y) {
		if math.Abs(v-want.AtVec(i)) > 1e-9*mat.Norm(want, 2) {
			t.Errorf("step %d is %v, want %v", i, v, want.AtVec(i))
		}
	}
}
