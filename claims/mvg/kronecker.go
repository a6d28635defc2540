package mvg

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/internal/lists"
)

// turnCase is an orthogonal Q = [[x, −y], [y, x]]/z, or the reflection [[x, y],
// [y, −x]]/z, two eigenvalues and a level.
type turnCase struct {
	x, y, z    int64
	reflection bool
	a, b       int64
	level      int64
}

func (c turnCase) q() ratMatrix {
	x, y := big.NewRat(c.x, c.z), big.NewRat(c.y, c.z)
	if c.reflection {
		return ratMatrix{{x, y}, {y, new(big.Rat).Neg(x)}}
	}
	return ratMatrix{{x, new(big.Rat).Neg(y)}, {y, x}}
}

func (a ratMatrix) transpose() ratMatrix {
	t := make(ratMatrix, len(a[0]))
	for j := range t {
		for i := range a {
			t[j] = append(t[j], a[i][j])
		}
	}
	return t
}

func ratDiagonal(xs ...*big.Rat) ratMatrix {
	d := make(ratMatrix, len(xs))
	for i, x := range xs {
		for range xs {
			d[i] = append(d[i], new(big.Rat))
		}
		d[i][i] = x
	}
	return d
}

// transposed returns QᵀΛQ, which is (26) as printed. untransposed returns QΛQᵀ.
func transposed(q, noise ratMatrix) ratMatrix   { return q.transpose().times(noise).times(q) }
func untransposed(q, noise ratMatrix) ratMatrix { return q.times(noise).times(q.transpose()) }

// turnedNoise checks in rationals that det(K + S)/det S, with S the noise rotated by Q, is Π(1 + λ_ip_i).
func turnedNoise(turn func(q, noise ratMatrix) ratMatrix) check.Statement[turnCase] {
	return check.Statement[turnCase]{
		Family: "Q with rows of 1/1, 3/5 and 4/5, 5/13 and 12/13, turned or reflected, λ in 1…3, c in 2…3",
		Each: check.Grid(func(c *turnCase) []check.Axis {
			var t [3]int64
			return []check.Axis{
				check.Over(&t, [3]int64{1, 0, 1}, [3]int64{0, 1, 1}, [3]int64{3, 4, 5}, [3]int64{4, 3, 5}, [3]int64{5, 12, 13}, [3]int64{12, 5, 13}),
				check.Over(&c.reflection, true, false),
				check.Span(&c.a, 1, 3),
				check.Span(&c.b, 1, 3),
				check.Span(&c.level, 2, 3),
				check.Let(func() { c.x, c.y, c.z = t[0], t[1], t[2] }),
			}
		}),
		Holds: func(c turnCase) bool {
			best := big.NewRat(1, 1)
			var variances, signal []*big.Rat
			for _, l := range []int64{c.a, c.b} {
				p := new(big.Rat).Sub(big.NewRat(c.level, 1), big.NewRat(1, l))
				variances, signal = append(variances, new(big.Rat).Inv(p)), append(signal, big.NewRat(l, 1))
				best.Mul(best, p.Mul(p, big.NewRat(l, 1)).Add(p, big.NewRat(1, 1)))
			}
			k := untransposed(c.q(), ratDiagonal(signal...))
			s := turn(c.q(), ratDiagonal(variances...))
			sum := make(ratMatrix, 2)
			for i := range sum {
				for j := range 2 {
					sum[i] = append(sum[i], new(big.Rat).Add(k[i][j], s[i][j]))
				}
			}
			all, _ := sum.eliminate()
			noise, _ := s.eliminate()
			return all.Quo(all, noise).Cmp(best) == 0
		},
		Witness: func(c turnCase) *check.Witness {
			var q []string
			for _, row := range c.q() {
				q = append(q, fmt.Sprintf("[%s, %s]", row[0].RatString(), row[1].RatString()))
			}
			return check.NewWitness(check.Named("Q", check.List(q), "eigenvalues", check.List([]int64{c.a, c.b}), "c", c.level),
				check.Vars{"q": check.Code(check.List(q)), "a": c.a, "b": c.b, "level": c.level},
				"q, ls, c = {q}, [{a}, {b}], {level}; r = range(2); k = [[sum([q[i][t] * ls[t] * q[j][t] for t in r]) for j in r] for i in r]",
				"s = [[sum([q[t][i] / (c - 1 / ls[t]) * q[t][j] for t in r]) for j in r] for i in r]",
				"a = (((k[0][0] + s[0][0]) * (k[1][1] + s[1][1]) - (k[0][1] + s[0][1]) * (k[1][0] + s[1][0])) / (s[0][0] * s[1][1] - s[0][1] * s[1][0]))",
				"b = c * ls[0] * c * ls[1]; print(a, b, abs(a - b) < 1e-9)")
		},
	}
}

// productCase is a pair of spectra of small integers and a level.
type productCase struct {
	rows, columns []int64
	level         int64
}

// anySpectra returns a case unchanged. oneFlatSpectrum makes one of the two spectra constant unless one is already.
func anySpectra(c productCase) productCase { return c }

func oneFlatSpectrum(c productCase) productCase {
	if flatSpectrum(c.rows) || flatSpectrum(c.columns) {
		return c
	}
	if c.level%2 == 0 {
		c.rows = slices.Repeat(c.rows[:1], len(c.rows))
	} else {
		c.columns = slices.Repeat(c.columns[:1], len(c.columns))
	}
	return c
}

func flatSpectrum(xs []int64) bool {
	for _, x := range xs {
		if x != xs[0] {
			return false
		}
	}
	return true
}

// waterPrecision returns (c − 1/λκ)⁺ at the level c.
func waterPrecision(level, row, column int64) *big.Rat {
	p := new(big.Rat).Sub(big.NewRat(level, 1), big.NewRat(1, row*column))
	if p.Sign() < 0 {
		p.SetInt64(0)
	}
	return p
}

// rankOnePrecisions states that every 2×2 minor of the matrix of precisions is zero.
func rankOnePrecisions(choose func(productCase) productCase, precision func(level, row, column int64) *big.Rat) check.Statement[productCase] {
	matrix := func(c productCase) ratMatrix {
		out := make(ratMatrix, len(c.columns))
		for b, k := range c.columns {
			for _, l := range c.rows {
				out[b] = append(out[b], precision(c.level, l, k))
			}
		}
		return out
	}
	spectra := check.Keep(intVectors(1, 3, 1, 3), slices.IsSorted)
	return check.Statement[productCase]{
		Family: "spectra of up to three eigenvalues in 1…3, c in 1…3",
		Each: check.Map(check.Grid(func(c *productCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.level, 2, 3, 1), // from level 2 on all precisions are positive
				check.From(&c.rows, spectra),
				check.From(&c.columns, spectra),
			}
		}), choose),
		Draw: func(rng *rand.Rand) productCase {
			draw := func() []int64 {
				return lists.Of(1+rng.IntN(4), func(int) int64 { return 1 + rng.Int64N(20) })
			}
			return choose(productCase{draw(), draw(), 1 + rng.Int64N(4)})
		},
		Holds: func(c productCase) bool {
			p := matrix(c)
			for a := range p {
				for b := range a {
					for i := range p[a] {
						for j := range i {
							x := new(big.Rat).Mul(p[a][i], p[b][j])
							if x.Cmp(new(big.Rat).Mul(p[a][j], p[b][i])) != 0 {
								return false
							}
						}
					}
				}
			}
			return true
		},
		Witness: func(c productCase) *check.Witness {
			return check.NewWitness(check.Named("eigenvalues of Σ_f", c.rows, "eigenvalues of Ψ_f", c.columns, "c", c.level),
				check.Vars{"level": c.level, "rows": c.rows, "columns": c.columns},
				"p = [[max({level} - 1 / (l * k), 0) for l in {rows}] for k in {columns}]; a, b = p[0][0] * p[1][1], p[0][1] * p[1][0]",
				"print(p, a, b, abs(a - b) < 1e-9)")
		},
	}
}
