package field

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/workload"
)

// nodesOf returns the largest number of complete dyadic nodes that contain one step.
func nodesOf(steps int) int {
	most := 0
	for step := range steps {
		n := 0
		for size := 1; size <= steps; size *= 2 {
			if step/size*size+size <= steps {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// depth states that nodesOf is at most ⌈log₂(T + 1)⌉ − less.
func depth(less int) inequality {
	return inequality{
		family: "T = 1, 2, …, 512 steps",
		each:   check.Untyped(slices.Values(check.Counting(513)[1:])),
		quantity: computed("nodes of a step", func(_ context.Context, steps int) evidence.Number {
			return exact(big.NewRat(int64(nodesOf(steps)), 1), "counted")
		}),
		bound: computed("⌈log₂(T + 1)⌉", func(_ context.Context, steps int) evidence.Number {
			return exact(big.NewRat(int64(bits.Len(uint(steps))-less), 1), "the formula")
		}),
	}
}

// rootError returns Σ f_j², where f_j = C(2j, j)/4ʲ. This is the largest error of the square-root factorisation of n
// prefix sums at sensitivity 1.
func rootError(n int) *big.Rat {
	sum, f := new(big.Rat), big.NewRat(1, 1)
	for j := range n {
		sum.Add(sum, new(big.Rat).Mul(f, f))
		f = new(big.Rat).Mul(f, big.NewRat(int64(2*j+1), int64(2*j+2)))
	}
	return sum
}

// squared returns the last entry of the first column of C·C, where C is the n×n lower triangular Toeplitz matrix of the
// coefficients f_j.
func squared(n int) *big.Rat {
	f := []*big.Rat{big.NewRat(1, 1)}
	for j := range n - 1 {
		f = append(f, new(big.Rat).Mul(f[j], big.NewRat(int64(2*j+1), int64(2*j+2))))
	}
	sum := new(big.Rat)
	for j := range f {
		sum.Add(sum, new(big.Rat).Mul(f[j], f[n-1-j]))
	}
	return sum
}

// rootFactors states that each entry of the first column of C·C is at most 1, the entry of the prefix sums.
func rootFactors() inequality {
	return inequality{
		family: "n = 1, 2, …, 128", each: check.Untyped(slices.Values(check.Counting(129)[1:])),
		quantity: computed("entry of C·C", func(_ context.Context, n int) evidence.Number { return exact(squared(n), "multiplied") }),
		bound:    computed("entry of the prefix sums", func(context.Context, int) evidence.Number { return exact(check.One, "the matrix") }),
	}
}

// rootBest states that for two prefix sums the square-root factorisation has at most the largest error of another
// factorisation.
func rootBest() inequality {
	return inequality{
		family: "n = 2", each: check.Untyped(slices.Values([]int{2})),
		quantity: computed("largest error of the root", func(_ context.Context, n int) evidence.Number { return exact(rootError(n), "Σ C(2j, j)²/16ʲ") }),
		bound: computed("that of another factorisation", func(context.Context, int) evidence.Number {
			// B has the rows (1, 0) and (½, √3/2), of norm 1. C = B⁻¹A has the columns (1, 1/√3) and (0, 2/√3), of
			// squared norm 4/3.
			return enclosed(whole(4).Quo(whole(3)).Sqrt(), "B = (1, 0; 1/2, √3/2), C = B⁻¹A: rows of norm 1, columns of squared norm 4/3")
		}),
		witness: describing(func(n int) *check.Witness {
			return check.NewWitness(check.Named("n", n), check.Vars{},
				"b = [[1, 0], [0.5, math.sqrt(3) / 2]]; c = [[1, 0], [1 / math.sqrt(3), 2 / math.sqrt(3)]]; f = 1 + 1 / 4; t = math.sqrt(max([c[0][0] * c[0][0] + c[1][0] * c[1][0], c[0][1] * c[0][1] + c[1][1] * c[1][1]])); print(f, t, f <= t)")
		}),
	}
}

// lowerRoot returns Σ 1/(2n sin((2j−1)π/(4n+2))), the mean of the singular values of the prefix sums. It is a lower
// bound on the largest error of every factorisation.
func lowerRoot(n int) interval.Interval {
	sum := whole(0)
	for j := 1; j <= n; j++ {
		angle := interval.Pi().Mul(whole(2*j - 1)).Quo(whole(4*n + 2))
		sum = sum.Add(whole(1).Quo(whole(2).Mul(sine(angle))))
	}
	return sum.Quo(whole(n))
}

// sine encloses sin x for 0 < x < 2, by its alternating series.
func sine(x interval.Interval) interval.Interval {
	square, term, sum := x.Mul(x), x, x
	for j := 2; ; j += 2 {
		term = term.Mul(square).Quo(whole(j * (j + 1))).Neg()
		next := sum.Add(term)
		if _, hi := term.Quo(x).Mul(term.Quo(x)).Bounds(); hi < 1e-60 {
			return interval.Hull(sum, next)
		}
		sum = next
	}
}

// leastRoot returns the largest error of the best factorisation. Its bounds are rounded outward to thousandths.
func leastRoot(ctx context.Context, n int) evidence.Number {
	sums := check.Must(workload.PrefixSums(n))
	least := check.Must(workload.LeastError(ctx, sums, workload.Max, workload.Participation{}, workload.Options{Gap: 1e-4}))
	out := least.Error
	out.Lo, out.Hi = math.Floor(out.Lo*1000)/1000, math.Ceil(out.Hi*1000)/1000
	return out
}

// treeChecks returns the checks of the statements about running sums.
func treeChecks() check.Checks {
	root := func(n int) check.Item {
		sum := enclosed(interval.Rat(rootError(n)), "Σ C(2j, j)²/16ʲ")
		return check.Item{Label: fmt.Sprintf("largest error of the root, n = %d", n), Number: sum}
	}
	factors := rootFactors()
	best := check.TakenFor(check.InTurn(factors.Check, reverse(factors).Check), rootBest().Check)
	return check.Checks{
		"field.tree.depth": check.InTurn(depth(0).Check, reverse(depth(0)).Check),
		"field.tree.root": check.Loose(best, func(ctx context.Context) []check.Item {
			least := check.Item{Label: "least of any factorisation, n = 128", Number: leastRoot(ctx, 128)}
			bound := enclosed(lowerRoot(1024), "the mean of the singular values")
			mean := check.Item{Label: "least that any factorisation has, n = 1024, at least", Number: bound}
			return []check.Item{root(128), least, root(1024), mean}
		}),
	}
}
