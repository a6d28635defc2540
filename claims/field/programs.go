package field

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/program"
	"dpworkbench/query"
)

// algorithm is a program over lists of counts. Geometric noise stands for Laplace noise, and one-sided geometric
// noise for exponential noise.
type algorithm struct {
	name   string
	n, top int  // lists of n counts from 0 to top
	single bool // whether neighbors differ by 1 in one count only
	run    func(x []int, n *program.Noise) program.Output
	script string // a line of script that decides the same program
}

// rate returns the rate a/b·ε of noise.
func rate(a, b int64) program.Rate { return check.Must(program.Symbol(big.NewRat(a, b))) }

// count returns the constant k as a draw.
func count(k int) program.SymbolicDraw { return program.Constant(big.NewRat(int64(k), 1)) }

// universe returns the lists and the space of their neighbors. Each count differs by at most 1 between neighbors, and
// if single is set, only one count differs.
func (a algorithm) universe() (lists [][]int, space *query.Space) {
	lists = slices.Collect(check.Words(a.top+1, a.n))
	var edges [][2]int
	for i := range lists {
		for j := range i {
			far, apart := false, 0
			for k := range lists[i] {
				d := check.Abs(lists[i][k] - lists[j][k])
				far, apart = far || d > 1, apart+d
			}
			if !far && (!a.single || apart == 1) {
				edges = append(edges, [2]int{j, i})
			}
		}
	}
	return lists, check.Must(query.NewPathSpace(len(lists), edges))
}

// decide returns the decision whether the program is ε-private for every ε.
func (a algorithm) decide(ctx context.Context) *program.Decision {
	lists, space := a.universe()
	p := check.Must(program.New(ctx, a.name, space, func(x int, n *program.Noise) program.Output { return a.run(lists[x], n) }, program.Default))
	return check.Must(p.Private(ctx, big.NewRat(1, 1)))
}

// private returns a check of the source's statement. If said is true, the program is stated to be ε-private for every
// ε. Otherwise it is stated not to be private at some ε, and the outcome's exception is such an instance.
func (a algorithm) private(said bool) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		decide := sync.OnceValue(func() *program.Decision { return a.decide(ctx) })
		witness := func(algorithm) *check.Witness {
			w, lists := decide().Witness, slices.Collect(check.Words(a.top+1, a.n))
			if w == nil {
				return check.NewWitness(check.Named("lists", "none"), check.Vars{})
			}
			return check.NewWitness(check.Named("lists", check.List(lists[w.X])+" and "+check.List(lists[w.Y]), "output", w.Output, "eps", evidence.Brief(w.Epsilon())), check.Vars{}, a.script)
		}
		out, err := check.Statement[algorithm]{
			Family:  fmt.Sprintf("%s: lists of %d counts from 0 to %d, every ε > 0", a.name, a.n, a.top),
			Each:    slices.Values([]algorithm{a}),
			Size:    1,
			Whole:   true,
			Holds:   func(algorithm) bool { return (decide().Verdict == evidence.Confirmed) == said },
			Witness: witness,
		}.Check(ctx, run)
		if err == nil && out.Verdict == evidence.Confirmed && !said {
			out.Exception = witness(a)
			out.Evidence = append(out.Evidence, check.Item{Label: "loss there", Number: decide().Witness.Loss()})
		}
		return out, err
	}
}

// sparse returns the sparse vector technique at threshold 0, which stops after the given number of positives, or never
// if this is 0. query is nil for queries without noise. If values is set, the noisy counts of the positives are
// released, too.
func sparse(n int, threshold program.Rate, query *program.Rate, positives int, values bool) algorithm {
	one := big.NewRat(1, 1)
	return algorithm{name: "sparse vector", n: n, top: 1, run: func(x []int, noise *program.Noise) program.Output {
		rho := noise.Geometric(threshold, one)
		var told strings.Builder
		heard := 0
		for _, q := range x {
			v := count(q)
			if query != nil {
				v = v.Add(noise.Geometric(*query, one))
			}
			if noise.Less(v, rho) {
				told.WriteString("-")
				continue
			}
			told.WriteString("+")
			for k := -2; values && k <= 2; k++ { // the value, clamped to −2 … 2
				if k == 2 || noise.Less(v, count(k+1)) {
					fmt.Fprint(&told, k)
					break
				}
			}
			if heard++; heard == positives {
				break
			}
		}
		return program.Output{Shape: told.String()}
	}}
}

// highest returns the algorithm that releases the index of the largest noisy count. If value is set, it releases the
// noisy count itself, clamped to −2 … 3.
func highest(n, top int, oneSided, value bool) algorithm {
	return algorithm{name: "noisy maximum", n: n, top: top, run: func(x []int, noise *program.Noise) program.Output {
		best, which := program.SymbolicDraw{}, -1
		for i, q := range x {
			v := count(q)
			if oneSided {
				v = v.Add(noise.OneSided(rate(1, 2)))
			} else {
				v = v.Add(noise.Geometric(rate(1, 2), big.NewRat(1, 1)))
			}
			if which < 0 || noise.Less(best, v) {
				best, which = v, i
			}
		}
		if !value {
			return program.Output{Shape: fmt.Sprint(which)}
		}
		for k := -2; k < 3; k++ {
			if noise.Less(best, count(k+1)) {
				return program.Output{Shape: fmt.Sprint(k)}
			}
		}
		return program.Output{Shape: "3"}
	}}
}

// scripted returns the algorithm with the script of the claim with the given id.
func (a algorithm) scripted(id string) algorithm {
	for _, c := range Paper().Claims {
		if c.ID == id {
			a.script = c.Entry.Compute
		}
	}
	return a
}

// testCase is propose-test-release at ε and δ for two datasets. Their values differ by ratio times the proposed bound.
type testCase struct {
	eps   float64
	delta float64
	ratio int
}

// released states that propose-test-release is (ε, δ)-private for two datasets that pass the test with the same
// probability, pass. A dataset that passes releases its value plus Laplace noise of scale b/ε, where b is the proposed
// bound. The two values differ by ratio·b.
func released(name string, pass func(c testCase) interval.Interval) inequality {
	return inequality{
		family: "two datasets at distance 0 from a larger sensitivity, ε in {.1, 1}, δ in {.1, .01, 1e-6}, f moving by 20 times the bound",
		each: check.Untyped(check.Grid(func(c *testCase) []check.Axis {
			c.ratio = 20
			return []check.Axis{check.Over(&c.delta, .1, .01, 1e-6), check.Over(&c.eps, 1, .1)}
		})),
		quantity: computed("δ at ε", func(_ context.Context, c testCase) evidence.Number {
			eps := real(c.eps)
			apart := eps.Sub(eps.Mul(whole(c.ratio))).Quo(whole(2)).Expm1().Neg()
			return enclosed(pass(c).Mul(apart), "the chance to pass, times the δ of the released value")
		}),
		bound: computed("δ asked for", func(_ context.Context, c testCase) evidence.Number { return exact(interval.Decimal(c.delta), "given") }),
		witness: describing(func(c testCase) *check.Witness {
			return check.NewWitness(check.Named("eps", c.eps, "delta", c.delta, "difference over the bound", c.ratio), check.Vars{"e": c.eps, "d": c.delta, "m": c.ratio},
				"threshold = math.log(2 / {d}) / (2 * {e}); passes = math.exp(-{e} * threshold) / 2; t = passes * (1 - math.exp({e} * (1 - {m}) / 2)); print(t, {d}, t <= {d})")
		}),
	}
}

// programChecks returns the checks of the statements about algorithms.
func programChecks() check.Checks {
	half, quarter, three := rate(1, 2), rate(1, 4), rate(3, 4)
	eighth := rate(1, 8)
	out := check.Checks{
		"field.release.test": check.WithCorrection(
			released("the book's threshold", func(c testCase) interval.Interval { return real(c.delta).Quo(whole(2)).Sqrt().Quo(whole(2)) }).Check,
			released("ln(1/2δ)/ε", func(c testCase) interval.Interval { return real(c.delta) }).Check),
		"field.adept": quoted(clipped().Check),
	}
	for id, a := range map[string]algorithm{
		"field.statdp.svt":        sparse(3, half, &eighth, 2, false),
		"field.statdp.noisymax1a": highest(3, 1, false, false),
		"field.statdp.noisymax2a": highest(3, 1, true, false),
	} {
		out[id] = a.private(true)
	}
	for id, a := range map[string]algorithm{
		"field.statdp.isvt1":      sparse(3, half, nil, 0, false),
		"field.statdp.isvt2":      sparse(3, half, &half, 0, false),
		"field.statdp.isvt3":      sparse(3, quarter, &three, 2, false),
		"field.statdp.isvt4":      sparse(3, half, &half, 1, true),
		"field.statdp.noisymax1b": highest(3, 1, false, true),
		"field.statdp.noisymax2b": highest(2, 1, true, true),
	} {
		out[id] = a.scripted(id).private(false)
	}
	return out
}

// clipped states that two vectors of Euclidean norm 5 differ by at most 10 in the ℓ₁ norm, which Laplace noise needs.
func clipped() inequality {
	return inequality{
		family: "vectors (3, 4) and (−3, −4)", each: check.Untyped(slices.Values([][2]int{{3, 4}})),
		quantity: computed("distance in absolute values", func(_ context.Context, v [2]int) evidence.Number {
			return exact(big.NewRat(int64(2*(v[0]+v[1])), 1), "counted")
		}),
		bound: computed("2C", func(context.Context, [2]int) evidence.Number { return exact(big.NewRat(10, 1), "C = 5") }),
		witness: describing(func(v [2]int) *check.Witness {
			return check.NewWitness(check.Named("x", check.List(v[:]), "y", check.List([]int{-v[0], -v[1]}), "norm", 5), check.Vars{"a": v[0], "b": v[1]},
				"d = 2 * abs({a}) + 2 * abs({b}); print(d, 10, d <= 10)")
		}),
	}
}
