package study

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"

	"github.com/c-bata/goptuna"
)

// The mixture is a density on [0, 1]: its mass is 1, by its parts and by quadrature, and draws follow it.
func TestParzenIsADensity(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, us := range [][]float64{{}, {0}, {1}, {0.5, 0.5}, {0.1, 0.11, 0.9}, {0, 0.2, 0.2, 0.7, 1}} {
		p := newParzen(us)
		if mass := math.Exp(p.logMass(0, 1)); math.Abs(mass-1) > 1e-12 {
			t.Errorf("%v: the mass of [0, 1] is %g", us, mass)
		}
		const cells, draws = 50, 200_000
		counts := make([]float64, cells)
		for range draws {
			counts[min(int(p.draw(r)*cells), cells-1)]++
		}
		sum, quadrature := 0.0, 0.0
		for k := range cells {
			lo, hi := float64(k)/cells, float64(k+1)/cells
			mass := math.Exp(p.logMass(lo, hi))
			sum += mass
			const fine = 200
			for i := range fine {
				x := lo + (float64(i)+0.5)/fine/cells
				quadrature += math.Exp(p.logMass(x, x)) / fine / cells
			}
			// Hoeffding 1963, Theorem 1: false-positive rate 1e-9 in total.
			if radius := math.Sqrt(math.Log(2*cells*6/1e-9) / 2 / draws); math.Abs(counts[k]/draws-mass) > radius {
				t.Errorf("%v: cell %d holds %g of the draws, want %g ± %g", us, k, counts[k]/draws, mass, radius)
			}
		}
		if math.Abs(sum-1) > 1e-12 || math.Abs(quadrature-1) > 1e-4 {
			t.Errorf("%v: the masses of cells sum to %g, the density integrates to %g", us, sum, quadrature)
		}
	}
}

// law is a normal law truncated to [0, 1].
type law struct{ mu, sigma float64 }

func (l law) below(u float64) float64 { return math.Erfc(-(u-l.mu)/l.sigma/math.Sqrt2) / 2 }

// over returns the mass of [lo, hi], or the density at lo if lo = hi.
func (l law) over(lo, hi float64) float64 {
	all := l.below(1) - l.below(0)
	if lo == hi {
		return math.Exp(-(lo-l.mu)*(lo-l.mu)/2/l.sigma/l.sigma) / l.sigma / math.Sqrt(2*math.Pi) / all
	}
	return (l.below(hi) - l.below(lo)) / all
}

// mixtureOf returns the mixture of the paper's section 4, sorted by center. It has the prior N(1/2, 1) and one law
// per point, as wide as the larger distance to a neighbor or an end. Among equal centers, the prior comes first.
func mixtureOf(points []float64) []law {
	all := []law{{0.5, 1}}
	for _, u := range points {
		all = append(all, law{u, 0})
	}
	slices.SortStableFunc(all, func(a, b law) int { return cmp.Compare(a.mu, b.mu) })
	least := 1 / math.Min(100, float64(len(all)+1))
	for i := range all {
		if all[i].sigma == 1 {
			continue
		}
		before, after := 0.0, 1.0
		if i > 0 {
			before = all[i-1].mu
		}
		if i+1 < len(all) {
			after = all[i+1].mu
		}
		all[i].sigma = math.Min(1, math.Max(least, math.Max(all[i].mu-before, after-all[i].mu)))
	}
	return all
}

// proposalOf returns the proposal of TPE by its definition, for points in the order of their trials. It uses
// densities instead of masses if there are more than 2³⁰ values.
func proposalOf(d any, points, losses []float64, r *rand.Rand) float64 {
	n := len(points)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(losses[a], losses[b]) })
	var good, bad []float64
	for rank, i := range order {
		if 10*rank < n && rank < 25 {
			good = append(good, points[i])
		} else {
			bad = append(bad, points[i])
		}
	}
	best, top := 0.0, math.Inf(-1)
	if c, ok := d.(goptuna.CategoricalDistribution); ok {
		k := len(c.Choices)
		chance := func(among []float64, choice int) float64 {
			count := 1 / float64(k)
			for _, u := range among {
				if int(u*float64(k)) == choice {
					count++
				}
			}
			return count / float64(len(among)+1)
		}
		for range 24 {
			choice, x := 0, r.Float64()
			for choice < k-1 && x >= chance(good, choice) {
				x -= chance(good, choice)
				choice++
			}
			if ratio := chance(good, choice) / chance(bad, choice); ratio > top {
				best, top = float64(choice), ratio
			}
		}
		return best
	}
	l, g := mixtureOf(good), mixtureOf(bad)
	for range 24 {
		from, u := l[r.IntN(len(l))], -1.0
		for u < 0 || u > 1 {
			u = from.mu + from.sigma*r.NormFloat64()
		}
		lo, hi := u, u
		if w, ok := d.(goptuna.IntUniformDistribution); ok && w.High-w.Low < 1<<30 {
			values := float64(w.High - w.Low + 1)
			k := math.Min(math.Floor(u*values), values-1)
			lo, hi = k/values, (k+1)/values
		}
		mean := func(laws []law) float64 {
			sum := 0.0
			for _, m := range laws {
				sum += m.over(lo, hi)
			}
			return sum / float64(len(laws))
		}
		if ratio := mean(l) / mean(g); ratio > top {
			best, top = u, ratio
		}
	}
	return fromUnit(d, best)
}

// TPE proposes values by its definition, for every kind of range, any number of earlier trials, minimization and
// maximization. Before ten trials, its proposals are random.
func TestTPEByDefinition(t *testing.T) {
	storage := must.For(Open(t.Context(), "", StorageOptions{}))(t)
	defer storage.Close()
	ranges := []any{
		must.Be(floatRange("x", -1, 3, false)), must.Be(floatRange("x", 1e-3, 10, true)), must.Be(intRange("x", -2, 4)), must.Be(intRange("x", 0, 200)),
		must.Be(intRange("x", 1, 1<<30)), must.Be(intRange("x", 0, 1<<30)), must.Be(intRange("x", -1<<53, 1<<53)), // the last range has cells too small for a mass in float64
		must.Be(choices("x", []string{"a"})), must.Be(choices("x", []string{"a", "b", "c", "d", "e"})),
	}
	for _, maximize := range []bool{false, true} {
		s := must.For(New(t.Context(), storage, fmt.Sprint(maximize), Options{Sampler: "tpe", Maximize: maximize}))(t)
		for which, d := range ranges {
			for _, n := range []int{0, 9, 10, 11, 20, 21, 57, 251, 400} {
				r := rand.New(rand.NewPCG(uint64(which), uint64(n)))
				tpe := &TPE{seed: uint64(n), trial: 7, trials: []goptuna.FrozenTrial{}}
				var points, losses []float64
				for i := range n + n/5 {
					v, value := fromUnit(d, math.Pow(r.Float64(), 1+r.Float64())), float64(r.IntN(n))
					f := goptuna.FrozenTrial{State: goptuna.TrialStateComplete, Value: value, InternalParams: map[string]float64{"x": v}}
					switch {
					case len(points) == n: // enough points; later ones do not count
						f.State = []goptuna.TrialState{goptuna.TrialStateFail, goptuna.TrialStateRunning}[i%2]
					case i%6 == 5:
						f.InternalParams = map[string]float64{"y": v}
					default:
						if maximize {
							value = -value
						}
						points, losses = append(points, toUnit(d, v)), append(losses, value)
					}
					tpe.trials = append(tpe.trials, f)
				}
				for number := range 6 {
					trial := goptuna.FrozenTrial{ID: 7, Number: number}
					got := must.For(tpe.Sample(s, trial, "x", d))(t)
					stream := source(uint64(n), number, "x")
					want := fromUnit(d, source(uint64(n), number, "x").Float64())
					if len(points) >= 10 {
						want = proposalOf(d, points, losses, stream)
					}
					if got != want {
						t.Errorf("range %d, %d points, maximize %t, trial %d: proposes %v, want %v", which, len(points), maximize, number, got, want)
					}
				}
			}
		}
	}
}
