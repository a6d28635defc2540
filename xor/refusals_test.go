package xor_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// Arguments just beyond the allowed range return an error with a reason. Arguments just within it are accepted.
func TestRefusalsNameTheReason(t *testing.T) {
	budget := func(change func(u *xor.Budget)) error {
		u := xor.Budget{N: 2, P: 2, Epsilon: evidencetest.Epsilon(1), Alpha: .5, Sensitivity: 1}
		change(&u)
		_, err := xor.Allocate(u)
		return err
	}
	alpha := func(q xor.AlphaProblem) error { _, err := xor.OptimizeAlpha(ctx, q); return err }
	columns := func(n, p int, theta, lambda float64) error { return second(xor.NewColumns(n, p, theta, lambda)) }
	law := func(theta [][]float64, lam map[xor.Pair][][]float64, n int) error {
		return second(xor.NewBernoulli(theta, lam, n))
	}
	half := func(n int) []*big.Rat {
		out := make([]*big.Rat, n)
		for i := range out {
			out[i] = big.NewRat(1, int64(n))
		}
		return out
	}
	uniform := must.Be(xor.NewUniform(3, 3, .5, .1))
	dense := randomLaw(t, 3, 3, .4, rand.New(rand.NewPCG(22, 51)))
	query := must.Be(xor.NewBits(3, 3))
	table := must.Be(xor.NewNoiseLaw(2, 2, half(16)))
	loop := must.Be(xor.ParseBits([][]float64{{0, 0}, {0, 1}}))
	lopsided := must.Be(xor.ParseBits([][]float64{{0, 0, 0}, {0, 0, 1}, {0, 0, 0}}))
	draw := func(b *xor.Bernoulli, k int, m xor.Method) error {
		_, _, err := b.Noise(ctx, k, m, rand.NewPCG(1, 1))
		return err
	}
	release := func(m *xor.Bits, b *xor.Bernoulli, o xor.ReleaseOptions) error {
		_, _, err := xor.Release(ctx, m, b, o, rand.NewPCG(1, 1))
		return err
	}
	graph := func(m *xor.Bits) error {
		n, p := m.Shape()
		_, _, err := xor.ReleaseGraph(ctx, m, must.Be(xor.NewUniform(n, p, 1, 0)), xor.ReleaseOptions{}, rand.NewPCG(1, 1))
		return err
	}
	const far = math.MaxInt32
	for _, c := range []struct {
		want string // "" if there is no error
		err  error
	}{
		{"shape 0 × 2, want at least 1 × 1", budget(func(u *xor.Budget) { u.N = 0 })},
		{"shape 2 × 0, want at least 1 × 1", budget(func(u *xor.Budget) { u.P = 0 })},
		{"", budget(func(u *xor.Budget) { u.N, u.P = 1, 1 })},
		{"at most 2³¹ − 1 rows and columns", budget(func(u *xor.Budget) { u.N = far + 1 })},
		{"at most 2³¹ − 1 rows and columns", budget(func(u *xor.Budget) { u.P = far + 1 })},
		{"", budget(func(u *xor.Budget) { u.P = far })},
		{"", budget(func(u *xor.Budget) { u.N = far })},
		{"", budget(func(u *xor.Budget) { u.Alpha = 0 })},
		{"", budget(func(u *xor.Budget) { u.Alpha = 1 })},
		{"alpha", budget(func(u *xor.Budget) { u.Alpha = 1.5 })},
		{"eps", budget(func(u *xor.Budget) { u.Epsilon = evidence.Epsilon{} })},
		{"sensitivity", budget(func(u *xor.Budget) { u.Sensitivity = -1 })},
		{"makes Θ", budget(func(u *xor.Budget) { u.Epsilon = evidencetest.Epsilon(1e300) })},
		{"want ClaimedPrivacy or ExactPrivacy", alpha(xor.AlphaProblem{N: 2, P: 2, Epsilon: evidencetest.Epsilon(1), Sensitivity: 1})},
		{"want ClaimedPrivacy or ExactPrivacy", alpha(xor.AlphaProblem{N: 2, P: 2, Epsilon: evidencetest.Epsilon(1), Sensitivity: 1, Privacy: 3})},
		{"shape 0 × 2", alpha(xor.AlphaProblem{P: 2, Epsilon: evidencetest.Epsilon(1), Sensitivity: 1, Privacy: xor.ExactPrivacy})},
		{"sensitivity = 5 bits, want 1 to 4", alpha(xor.AlphaProblem{N: 2, P: 2, Epsilon: evidencetest.Epsilon(1), Sensitivity: 5, Privacy: xor.ExactPrivacy})},
		{"", alpha(xor.AlphaProblem{N: 2, P: 2, Epsilon: evidencetest.Epsilon(1), Sensitivity: 4, Privacy: xor.ExactPrivacy})},
		{"makes Θ", alpha(xor.AlphaProblem{N: 2, P: 2, Epsilon: evidencetest.Epsilon(1e300), Sensitivity: 1, Privacy: xor.ExactPrivacy})},
		{"shape 0 × 1", columns(0, 1, 0, 0)},
		{"shape 1 × 0", columns(1, 0, 0, 0)},
		{"", columns(1, 1, 0, 0)},
		{"", columns(far, far, 0, 0)},
		{"at most 2³¹ − 1", columns(far+1, 1, 0, 0)},
		{"at most 2³¹ − 1", columns(1, far+1, 0, 0)},
		{"", columns(4, 1, 0x1p57, 0)},
		{"", columns(4, 1, -0x1p57, 0)},
		{"theta", columns(4, 1, math.Nextafter(0x1p57, 0x1p60), 0)},
		{"theta", columns(4, 1, math.NaN(), 0)},
		{"", columns(4, 1, 0, 0x1p55)},
		{"lam", columns(4, 1, 0, -math.Nextafter(0x1p55, 0x1p60))},
		{"lam", columns(1, 1, 0, math.NaN())},
		{"shape 0 × 1", second(xor.NewUniform(0, 1, 0, 0))},
		{"n = 0 objects", law([][]float64{{1}}, nil, 0)},
		{"", law([][]float64{{1, 1}, {1, 1}}, nil, far)},
		{"n = 2147483648 objects", law([][]float64{{1}}, nil, far+1)},
		{"theta is empty", law(nil, nil, 1)},
		{"theta[0] has 1 entries, want 2", law([][]float64{{1}, {1, 2}}, nil, 1)},
		{"lam[(0, 1)] has 2 rows, want 1, the order of theta", law([][]float64{{1}}, map[xor.Pair][][]float64{{I: 0, J: 1}: {{1}, {1}}}, 2)},
		{"the pair (-1, 1)", law([][]float64{{1}}, map[xor.Pair][][]float64{{I: -1, J: 1}: {{1}}}, 2)},
		{"the pair (1, 1)", law([][]float64{{1}}, map[xor.Pair][][]float64{{I: 1, J: 1}: {{1}}}, 2)},
		{"", law([][]float64{{1}}, map[xor.Pair][][]float64{{I: 0, J: 1}: {{1}}}, 2)},
		{"", law([][]float64{{1e307}}, nil, 1)},
		{"theta[0][0] = 1.1e+307", law([][]float64{{1.1e307}}, nil, 1)},
		{"add up to 2e+307", law([][]float64{{1e307}}, nil, 2)},
		{"add up to 1.1e+307", law([][]float64{{1e306}}, map[xor.Pair][][]float64{{I: 0, J: 1}: {{4.5e306}}}, 2)},
		{"not symmetric: [1][0] = 3, [0][1] = 2", law([][]float64{{1, 2}, {3, 1}}, nil, 1)},
		{"factor", second(dense.Scale(math.NaN()))},
		{"factor", second(dense.Scale(math.Inf(-1)))},
		{"add up", second(dense.Scale(1e307))},
		{"theta", second(uniform.Scale(1e307))},
		{"order 65537, want at most 65536", second(must.Be(xor.NewUniform(65537, 1, 1, 0)).Pi())},
		{"order 65537, want at most 65536", second(must.Be(xor.NewUniform(1, 65537, 1, 0)).Theta())},
		{"2 × 2, want 3 × 3, the noise's shape", second(dense.Exponent(loop))},
		{"2 × 2, want 3 × 3, the noise's shape", release(loop, uniform, xor.ReleaseOptions{})},
		{`method = "closed" needs`, release(query, dense, xor.ReleaseOptions{Method: xor.Closed})},
		{"", release(query, uniform, xor.ReleaseOptions{})},
		{"want a square matrix", graph(must.Be(xor.NewBits(2, 3)))},
		{"a loop at 1", graph(loop)},
		{"entries (1, 2) and (2, 1) differ", graph(lopsided)},
		{"", graph(query)},
		{"k = 0 draws", draw(uniform, 0, xor.Auto)},
		{"", draw(uniform, 1, xor.Auto)},
		{"take 4.32 GB, want at most 4.29 GB", draw(must.Be(xor.NewUniform(30, 64, 1, 0)), 18e6, xor.Closed)},
		{"method", draw(uniform, 1, "magic")},
		{"one has 25 bits, 2^25 = 3.36e+07 states, want at most 20 bits", draw(randomLaw(t, 5, 5, .1, rand.New(rand.NewPCG(1, 1))), 1, xor.Enumerated)},
		{"a cycle with an odd number", draw(randomLaw(t, 3, 3, 1, rand.New(rand.NewPCG(1, 1))), 1, xor.Perfect)},
		{"probabilities of 15 states, want 16", second(xor.NewNoiseLaw(2, 2, half(15)))},
		{"want 1 to 16 bits", second(xor.NewNoiseLaw(1, 17, half(16)))},
		{"want 1 to 16 bits", second(xor.NewNoiseLaw(0, 1, half(16)))},
		{"want 1 to 16 bits", second(xor.NewNoiseLaw(1, 0, half(1)))},
		{"", second(xor.NewNoiseLaw(16, 1, half(1<<16)))},
		{"", second(xor.NewNoiseLaw(1, 16, half(1<<16)))},
		{"want 1 to 16 bits", second(xor.NewWeightedNoiseLaw(17, 1, make([]float64, 1<<17)))},
		{"weight of state 1: -1", second(xor.NewWeightedNoiseLaw(1, 1, []float64{1, -1}))},
		{"the sum of the weights is 0", second(xor.NewWeightedNoiseLaw(1, 1, []float64{0, 0}))},
		{"the sum of the weights is +Inf", second(xor.NewWeightedNoiseLaw(1, 1, []float64{math.MaxFloat64, math.MaxFloat64}))},
		{"", second(xor.NewWeightedNoiseLaw(1, 1, []float64{0, 5e-324}))},
		{"probability of state 0: <nil>", second(xor.NewNoiseLaw(1, 1, make([]*big.Rat, 2)))},
		{"the sum of the probabilities is 2, want 1", second(xor.NewNoiseLaw(1, 1, []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 1)}))},
		{"n", second(table.Noise(-1, rand.NewPCG(1, 1)))},
		{"n", second(table.Noise(1<<29+1, rand.NewPCG(1, 1)))},
		{"", second(table.Noise(0, rand.NewPCG(1, 1)))},
		{"want n = p", second(must.Be(xor.NewNoiseLaw(1, 2, half(4))).Under(xor.FlipEdges(1)))},
		{"neighbors are missing", second(table.Under(xor.Neighbors{}))},
		{"sensitivity = 0 bits", second(dense.Under(xor.FlipBits(0), xor.LossOptions{}))},
		{"sensitivity = 0 rows", second(dense.Under(xor.FlipRows(0), xor.LossOptions{}))},
		{"sensitivity = 0 edges", second(dense.Under(xor.FlipEdges(0), xor.LossOptions{}))},
		{"edges need a square matrix of order at least 2, the noise is 1 × 1", second(must.Be(xor.NewUniform(1, 1, 1, 0)).Under(xor.FlipEdges(1), xor.LossOptions{}))},
		{"", second(must.Be(xor.NewUniform(2, 2, 1, 0)).Under(xor.FlipEdges(1), xor.LossOptions{}))},
		{"the noise is 2 × 3", second(must.Be(xor.NewUniform(2, 3, 1, 0)).Under(xor.FlipEdges(1), xor.LossOptions{}))},
		{"pattern 1 is 2 × 2", second(dense.Under(xor.FlipPatterns(query, loop), xor.LossOptions{}))},
		{"2 rows or edges at once", second(must.Be(xor.NewUniform(5, 4, 1, 0)).Under(xor.FlipRows(2), xor.LossOptions{}))},
		{"", second(must.Be(xor.NewUniform(4, 4, 1, 0)).Under(xor.FlipEdges(2), xor.LossOptions{}))},
		{"the Privacy is its zero value", second(new(xor.Privacy).Loss(ctx))},
		{"the Privacy is its zero value", second(new(xor.Privacy).Epsilon(ctx, evidencetest.Delta(.1)))},
		{"bits 0 and 9, want 0 to 8", second(must.Be(dense.Moments(ctx)).Pair(0, 9))},
		{"want at most 1048576 to list", second(must.Be(xor.NewUniform(1<<20+1, 1, 1, 0)).Moments(ctx))},
		{"columns of 16777217 objects", second(must.Be(xor.NewColumns(1<<24+1, 1, -1, 0)).ColumnOnes(ctx))},
		{"columns of 16777217 objects", second(must.Be(xor.NewColumns(1<<24+1, 1, -1, 0)).Noise(ctx, rand.NewPCG(1, 1)))},
		{"per", second(uniform.Columns().MeanOnes(ctx, xor.Plain, .5))},
		{"per", second(uniform.Columns().MeanOnes(ctx, xor.Plain, math.Inf(1)))},
		{"", second(uniform.Columns().MeanOnes(ctx, xor.Plain, math.MaxFloat64))},
		{"ones", second(dense.ErrorRate(ctx, -1, xor.Plain))},
		{"may reach 4e+18 nats", second(must.Be(xor.NewBernoulli([][]float64{{1e18, 1e18}, {1e18, 1e18}}, nil, 1)).Enumerate(ctx))},
		{"may reach 4e+18 nats", draw(must.Be(xor.NewBernoulli([][]float64{{1e18, 1e18}, {1e18, 1e18}}, nil, 1)), 1, xor.Enumerated)},
		{"may reach 4e+18 nats", second(must.Be(xor.NewBernoulli([][]float64{{1e18, 1e18}, {1e18, 1e18}}, nil, 1)).Moments(ctx))},
		{"may reach 4e+18 nats", second(must.Be(xor.NewBernoulli([][]float64{{1e18, 1e18}, {1e18, 1e18}}, nil, 1)).LogNormalizer(ctx))},
		{"37 bits have 2^37", second(randomLaw(t, 1, 37, .1, rand.New(rand.NewPCG(1, 1))).Moments(ctx))},
		{"37 bits have 2^37 = 1.37e+11 states, about 0.0382 hours", second(randomLaw(t, 1, 37, .1, rand.New(rand.NewPCG(1, 1))).LogNormalizer(ctx))},
		{"alpha", second(dense.Distance([]*xor.Bits{query}, 1))},
		{"no draws", second(dense.Distance(nil, .1))},
		{"prior_ratio", second(xor.EdgeLeakage(evidencetest.Epsilon(1), 0))},
		{"want equal shapes", second(query.Xor(loop))},
		{"want a square matrix", second(xor.Symmetrize(must.Be(xor.NewBits(2, 3))))},
		{"edges[1] = (0, 3), want nodes from 0 to 2", second(xor.Adjacency(3, [][2]int{{0, 1}, {0, 3}}))},
		{"the matrix is empty", second(xor.ParseBits([][]float64{{}}))},
		{"want at most", second(xor.NewBits(1<<40, 1))},
		{"want at most", second(xor.NewBits(1, 1<<38))},
	} {
		switch {
		case c.want == "" && c.err != nil:
			t.Errorf("refused: %v", c.err)
		case c.want != "" && (!errors.Is(c.err, evidence.ErrParameter) || !strings.Contains(c.err.Error(), c.want)):
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
	previous := memory.SetLimit(1 << 28)
	defer memory.SetLimit(previous)
	for what, err := range map[string]error{
		"a matrix of 100000 × 100000 bits":        second(xor.NewBits(100000, 100000)),
		"Π of order 60000":                        second(must.Be(xor.NewUniform(60000, 1, 1, 0)).Pi()),
		"Θ of order 60000":                        second(must.Be(xor.NewUniform(1, 60000, 1, 0)).Theta()),
		"a search over 10000000 associated bits":  second(smallest(ctx, must.Be(xor.NewUniform(10000000, 1, 1, .1)), xor.FlipBits(1), xor.LossOptions{General: true})),
		"a matrix of 100000 × 100000 bits ":       second(xor.Adjacency(100000, nil)),
		"a state of 90000000 bits":                draw(must.Be(xor.NewUniform(30000, 3000, 1, .1)), 1, xor.Gibbs),
		"a state of 90000000 bits ":               draw(must.Be(xor.NewUniform(30000, 3000, 1, .1)), 1, xor.Published),
		"coupling from the past of 90000000 bits": draw(must.Be(xor.NewUniform(30000, 3000, 1, .1)), 1, xor.Perfect),
		"a search over 10000000 associated bits ": draw(must.Be(xor.NewUniform(10000000, 1, 1, .1)), 1, xor.Enumerated),
	} {
		if !errors.Is(err, memory.Err) || !strings.Contains(err.Error(), strings.TrimSpace(what)) {
			t.Errorf("%s gives %v", what, err)
		}
	}
}

// Scale multiplies the whole law, and the certified numbers hold for the exact product.
func TestScale(t *testing.T) {
	dense := randomLaw(t, 2, 2, 1, rand.New(rand.NewPCG(22, 52)))
	for name, b := range map[string]*xor.Bernoulli{
		"dense": dense, "uniform": must.Be(xor.NewUniform(3, 2, .7, -.3)), "decimals": must.Be(xor.NewUniform(3, 2, .7, .3)).ForDecimals(),
		"allocated": must.Be(xor.Allocate(xor.Budget{N: 3, P: 2, Epsilon: evidencetest.Epsilon(1), Alpha: .3, Sensitivity: 1})), "small": must.Be(xor.NewUniform(2, 1, 3e-308, 1e-308)),
	} {
		for _, factor := range []float64{1, 0, -1, 2, 1. / 3, -.1, 7.3} {
			got := must.Be(b.Scale(factor))
			pi, scaled := must.Be(b.Pi()), must.Be(got.Pi())
			for i := range pi {
				for j := range pi {
					if want := pi[i][j] * factor; scaled[i][j] != want {
						t.Errorf("%s times %v: Π[%d][%d] = %v, want %v", name, factor, i, j, scaled[i][j], want)
					}
				}
			}
			for _, general := range []bool{false, true} {
				opts := xor.LossOptions{General: general}
				before, after := must.Be(smallest(ctx, b, xor.FlipBits(2), opts)), must.Be(smallest(ctx, got, xor.FlipBits(2), opts))
				// The exact loss is |factor| times the loss before.
				k := new(big.Rat).SetFloat64(math.Abs(factor))
				lo, hi := new(big.Rat).Mul(k, new(big.Rat).SetFloat64(before.Lo)), new(big.Rat).Mul(k, new(big.Rat).SetFloat64(before.Hi))
				if new(big.Rat).SetFloat64(after.Lo).Cmp(hi) > 0 || new(big.Rat).SetFloat64(after.Hi).Cmp(lo) < 0 {
					t.Errorf("%s times %v: the loss is [%v, %v], was [%v, %v]", name, factor, after.Lo, after.Hi, before.Lo, before.Hi)
				}
				if factor != 1 && factor != 0 && factor != -1 && factor != 2 && after.Hi-after.Lo < (before.Hi-before.Lo)*math.Abs(factor)*(1-1e-9) {
					t.Errorf("%s times %v: the loss is [%v, %v], narrower than the scaled [%v, %v]", name, factor, after.Lo, after.Hi, before.Lo, before.Hi)
				}
			}
		}
	}
}

// Unsuitable arguments give an error or the documented result, never a panic.
func TestMismatchedShapes(t *testing.T) {
	small, wide := must.Be(xor.NewBits(2, 3)), must.Be(xor.NewBits(2, 70))
	law := must.Be(xor.NewUniform(2, 3, 1, .1))
	dense := must.Be(xor.NewBernoulli([][]float64{{1, .5}, {.5, 0}}, nil, 2))
	moments := must.Be(dense.Moments(ctx))
	for what, err := range map[string]error{
		"a matrix without rows":                    second(xor.NewBits(0, 3)),
		"a matrix of -1 columns":                   second(xor.NewBits(3, -1)),
		"a matrix too large for memory":            second(xor.NewBits(math.MaxInt, math.MaxInt)),
		"xor of different shapes":                  second(small.Xor(wide)),
		"xor with nil":                             second(small.Xor(nil)),
		"a matrix that is not square, symmetrized": second(xor.Symmetrize(small)),
		"nil, symmetrized":                         second(xor.Symmetrize(nil)),
		"the exponent of nil":                      second(law.Exponent(nil)),
		"the exponent of another shape":            second(law.Exponent(wide)),
		"a nil pattern":                            second(law.Under(xor.FlipPatterns(nil), xor.LossOptions{})),
		"a pair with bit 4 of 4":                   second(moments.Pair(0, 4)),
		"a pair with bit −1":                       second(moments.Pair(-1, 0)),
		"a mean divided by 0":                      second(law.Columns().MeanOnes(ctx, xor.Plain, 0)),
		"Π of a million bits":                      second(must.Be(xor.NewUniform(1000, 1000, 1, 0)).Pi()),
		"Θ of a million features":                  second(must.Be(xor.NewUniform(1, 1000000, 1, 0)).Theta()),
		"differences of many bits":                 second(xor.FlipBits(1).Differences(5, 4)),
		"differences without rows":                 second(xor.FlipBits(1).Differences(0, 4)),
		"differences for zero Neighbors":           second(xor.Neighbors{}.Differences(1, 1)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", what, err)
		}
	}
	dense.AddRow(0, 1, make([]float64, 1))
	for _, k := range []int{-1, 7, 1 << 40} {
		small.Set(k, 0, true)
		small.Set(0, k, true)
		law.AddRow(k, 1, nil)
		if small.At(k, 0) || small.At(0, k) || small.Row(k) != nil || small.ColumnOnes(k) != 0 || law.Diagonal(k) != 0 || dense.Diagonal(k) != 0 {
			t.Errorf("index %d is accepted as a row, a column or a bit", k)
		}
	}
	for _, b := range []*xor.Bernoulli{law, dense} {
		row := make([]float64, b.Dim())
		b.AddRow(b.Dim(), 1, row)
		if slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) || b.Diagonal(b.Dim()) != 0 {
			t.Errorf("index %d is past the last bit, but has row %v and diagonal %v", b.Dim(), row, b.Diagonal(b.Dim()))
		}
	}
	if small.Ones() != 0 {
		t.Errorf("%d entries were set", small.Ones())
	}
	var none xor.Bits
	if none.Complement().Ones() != 0 || none.Transpose().Ones() != 0 || len(none.Flat()) != 0 || none.At(0, 0) {
		t.Error("the zero matrix has entries")
	}
	for _, s := range []int{math.MinInt, -1, 0} {
		for _, loss := range []evidence.Certified{law.Columns().LossAnywhere(s), law.Columns().LossInDistinctColumns(s)} {
			if loss.Lo != 0 || loss.Hi != 0 {
				t.Errorf("%d bits: %v", s, loss)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }
