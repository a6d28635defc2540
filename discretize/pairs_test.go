package discretize_test

import (
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/discretize"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// A discretized mechanism has the pairs of its law, and not a bound: Laplace noise's is a Staircase with γ = 1, and
// twice discretized the same.
func TestPairsOfLine(t *testing.T) {
	q := must.For(continuous.NewLinear([][2]*big.Rat{{big.NewRat(0, 1), big.NewRat(3, 1)}}))(t)
	three := log(t, 3)
	line := must.For(discretize.NewLine(q, must.For(continuous.NewLaplace(q, three))(t)))(t)
	for _, m := range []*discretize.Line{line, must.For(discretize.NewLine(q, line))(t)} {
		f := must.For(m.Pairs(ctx))(t)
		a := must.For(privacy.Compose(ctx, []*privacy.Account{privacy.New(f)}, []int{1}))(t)
		d := must.For(a.Delta(ctx, log(t, 2)))(t)
		want := must.For(line.Privacy().Delta(ctx, log(t, 2)))(t)
		if lo, hi := d.Bounds(); f.Bound || f.Name != m.Name() || lo > want.Float() || hi < want.Float() || hi-lo > 1e-12 {
			t.Errorf("%s: δ %v of %s, want %v", m.Name(), d, f.Name, want)
		}
		two := must.For(privacy.Compose(ctx, []*privacy.Account{privacy.New(f)}, []int{2}))(t)
		if two.IsBound() {
			t.Errorf("%s: two uses are a bound", m.Name())
		}
	}
}
