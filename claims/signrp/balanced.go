package signrp

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/signrp"
)

// balancedCase holds the shape and seed of a Rademacher W, and δ. The neighbors u and u' come from vectors.
type balancedCase struct {
	p, k  int
	seed  uint64
	delta float64
}

func (c balancedCase) projection() *signrp.Projection {
	return check.Must(signrp.NewProjection(signrp.Rademacher, c.p, c.k, signrp.ProjectionOptions{Seed: c.seed}))
}

// vectors returns u = (−½, v) and u' = (½, v) with |Wᵀv| < ½ in every coordinate, so that all k signs differ. While
// more than k coordinates of v are inside (−1, 1), v moves from 0 along null vectors of Wᵀ on such coordinates, until
// one reaches an end (Bárány and Grinberg 1981). The remaining coordinates are rounded to multiples of 1/256. ok is
// false if some |Wᵀv| is then ½ or more.
func (c balancedCase) vectors() (u, v []float64, ok bool) {
	w := check.Must(c.projection().Matrix())
	u = make([]float64, c.p)
	free := check.Counting(c.p)[1:]
	for len(free) > c.k {
		some := free[:c.k+1]
		direction := nullVector(w, some)
		step := math.Inf(1)
		for i, x := range direction {
			if x != 0 {
				step = math.Min(step, (1-math.Copysign(1, x)*u[some[i]])/math.Abs(x))
			}
		}
		for i, x := range direction {
			u[some[i]] += step * x
		}
		free = slices.DeleteFunc(slices.Clone(free), func(i int) bool {
			if math.Abs(u[i]) < 1-1e-9 { // rounding to the ends needs no proof: the sums are checked below
				return false
			}
			u[i] = math.Copysign(1, u[i])
			return true
		})
	}
	for _, i := range free {
		u[i] = math.Round(256*u[i]) / 256
	}
	for j := range c.k {
		sum := 0.0 // sums of multiples of 1/256 below 2¹² are exact
		for i := range u {
			sum += w[i][j] * u[i]
		}
		if math.Abs(sum) >= 0.5 {
			return nil, nil, false
		}
	}
	u[0] = -0.5
	v = slices.Clone(u)
	v[0] = 0.5
	return u, v, true
}

// nullVector returns x ≠ 0 with Σ x_i w_i = 0 over the given rows of w, by Gaussian elimination with row pivots. It
// needs one row more than w has columns.
func nullVector(w [][]float64, rows []int) []float64 {
	k := len(w[0])
	a := make([][]float64, k) // equations
	for j := range a {
		a[j] = make([]float64, len(rows))
		for i, r := range rows {
			a[j][i] = w[r][j]
		}
	}
	x, pivots, open := make([]float64, len(rows)), []int(nil), len(rows)-1
	for i, at := 0, 0; i < len(rows); i++ {
		best := at
		for j := at; j < k; j++ {
			if math.Abs(a[j][i]) > math.Abs(a[best][i]) {
				best = j
			}
		}
		if at == k || math.Abs(a[best][i]) < 1e-9 {
			open = i // no pivot: this coordinate is free
			break
		}
		a[at], a[best] = a[best], a[at]
		for j := range a {
			if j != at {
				q := a[j][i] / a[at][i]
				for t := i; t < len(rows); t++ {
					a[j][t] -= q * a[at][t]
				}
			}
		}
		pivots = append(pivots, i)
		at++
	}
	x[open] = 1
	for at, i := range pivots {
		x[i] = -a[at][open] / a[at][i]
	}
	return x
}

// ends returns the number of coordinates equal to ±1.
func ends(u []float64) (n int) {
	for _, x := range u {
		if math.Abs(x) == 1 {
			n++
		}
	}
	return n
}

func norm(u []float64) float64 {
	sum := 0.0
	for _, x := range u {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// countedSigns returns N₊ of Proposition 4.4 with F by (10), rounded up and at most k.
func countedSigns(c balancedCase, u []float64) float64 {
	f, err := signrp.PublishedRademacher(1/norm(u), c.p)
	if err != nil {
		return float64(c.k)
	}
	mean, l := f.Value*float64(c.k), -math.Log(c.delta)
	return math.Min(float64(c.k), math.Ceil(mean+(l+math.Sqrt(l*l+8*mean*l))/2))
}

// signsAmong states that k signs, each flipped at ε' = 1/count, have at most the case's δ at ε = 1 for the two vectors.
func signsAmong(count func(c balancedCase, u []float64) float64) check.Statement[balancedCase] {
	spent := func(c balancedCase, u, v []float64) evidence.Number {
		n := int64(count(c, u))
		r := check.Must(signrp.NewSignRP(context.Background(), c.projection(), check.BudgetOf(1).Ratio(int64(c.k), n), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1}))
		return check.Must(r.Pair(u, v).Delta(context.Background(), check.BudgetOf(1)))
	}
	return check.Statement[balancedCase]{
		Family: "p = 400, 200, 100, k = 8, 16, …, 48, δ in {1e-6, .001, .1}, ε = 1",
		Each: check.Grid(func(c *balancedCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.delta, 1e-6, 0.001, 0.1),
				check.Over(&c.p, 400, 200, 100),
				check.Over(&c.k, 8, 16, 24, 32, 40, 48),
			}
		}),
		Applies: func(c balancedCase) bool { u, _, ok := c.vectors(); return ok && norm(u) >= 1 },
		Holds: func(c balancedCase) bool {
			u, v, ok := c.vectors()
			if !ok || norm(u) < 1 {
				return true
			}
			return check.Least(spent(c, u, v)) <= c.delta
		},
		Witness: func(c balancedCase) *check.Witness {
			u, _, _ := c.vectors()
			return check.NewWitness(check.Named("p", c.p, "k", c.k, "beta", "1", "delta", c.delta, "eps", "1", "u", fmt.Sprintf("-0.5, then %d coordinates ±1 and others inside (-1, 1): in the script", ends(u)), "u'", "the same with 0.5 first", "norm of u", fmt.Sprintf("%.4f", norm(u)), "N₊", count(c, u), "signs that differ", c.k),
				check.Vars{"k": c.k, "u": u, "p": c.p, "delta": c.delta, "seed": c.seed},
				"k, u = {k}, {u}; v = [0.5] + u[1:]",
				`f = k * p_plus_printed(1 / math.sqrt(sum([x * x for x in u])), {p}, kind="rademacher").value; l = math.log(1 / {delta})`,
				"n = math.ceil(f + (l + math.sqrt(l * l + 8 * f * l)) / 2)",
				"d = dp_signrp(projection({p}, k, seed={seed}), k / n).delta_at(1, u, v); print(n, d.lo, {delta}, d.lo <= {delta})")
		},
		Measure: func(c balancedCase) []check.Item {
			u, v, _ := c.vectors()
			d := spent(c, u, v)
			return []check.Item{{Label: "δ of the pair at ε = 1", Number: d}, {Label: "claimed δ", Number: evidence.Claimed{Value: c.delta, Provenance: evidence.From("Algorithm 3, inferred")}}}
		},
	}
}
