package mechanism_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// The definitions of DESIGN.md, written down a second time in plain float64 and
// by all-pairs loops.

func plainWeights(name string, q *query.Query, e float64) [][]float64 {
	n, space := q.Size(), q.Space()
	f := func(x int) float64 { return float64(q.Value(x).(query.Number)) }
	delta := 0.0
	local := make([]float64, n)
	for x := range n {
		for y := range n {
			if d := space.Distance(x, y); d <= 1 {
				local[x] = max(local[x], math.Abs(f(x)-f(y)))
			}
		}
		delta = max(delta, local[x])
	}
	rows := make([][]float64, n)
	for x := range n {
		rows[x] = make([]float64, len(q.Range()))
		sum := 0.0
		for r, v := range q.Range() {
			value := float64(v.(query.Number))
			d := math.Abs(value - f(x))
			switch name {
			case "exponential":
				rows[x][r] = math.Exp(-e * d / (2 * delta))
				if delta == 0 {
					rows[x][r] = 0
					if d == 0 {
						rows[x][r] = 1
					}
				}
			case "ladder":
				k := 0.0
				if d > 0 {
					k = 1
					total := 0.0
					for t := 0; ; t++ {
						step := 0.0
						for y := range n {
							if space.Distance(x, y) <= float64(t) {
								step = max(step, local[y])
							}
						}
						total += step
						if total >= d-1e-9 {
							break
						}
						if t > 100 {
							k = math.Inf(1)
							break
						}
						k++
					}
				}
				rows[x][r] = math.Exp(-k * e / 2)
			case "inverse":
				k := math.Inf(1)
				for y := range n {
					if f(y) == value {
						k = min(k, space.Distance(x, y))
					}
				}
				rows[x][r] = math.Exp(-k * e / 2)
			case "laplace": // integrated numerically
				if delta == 0 {
					if d == 0 {
						rows[x][r] = 1
					}
					break
				}
				b := delta / e
				cdf := func(t float64) float64 {
					if t < 0 {
						return math.Exp(t/b) / 2
					}
					return 1 - math.Exp(-t/b)/2
				}
				lo, hi := math.Inf(-1), math.Inf(1)
				if r > 0 {
					lo = (value + float64(q.Range()[r-1].(query.Number))) / 2
				}
				if r+1 < len(q.Range()) {
					hi = (value + float64(q.Range()[r+1].(query.Number))) / 2
				}
				rows[x][r] = cdf(hi-f(x)) - cdf(lo-f(x))
			case "geometric": // noise summed one by one
				if delta == 0 {
					if d == 0 {
						rows[x][r] = 1
					}
					break
				}
				for k := -3000; k <= 3000; k++ {
					out := f(x) + float64(k)
					best := 0
					for s := range q.Range() {
						if math.Abs(float64(q.Range()[s].(query.Number))-out) < math.Abs(float64(q.Range()[best].(query.Number))-out) {
							best = s // the first, smaller value wins a tie
						}
					}
					if best == r {
						rows[x][r] += math.Exp(-e * math.Abs(float64(k)) / delta)
					}
				}
			}
			sum += rows[x][r]
		}
		for r := range rows[x] {
			rows[x][r] /= sum
		}
	}
	return rows
}

// One suite for all mechanisms: law, distortion, smallest ε and profile against
// the definitions in plain float64.
func TestAgainstDefinitions(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		scale := []float64{1, 1, 10}[trial%3]
		q := randomQuery(t, rng, scale)
		e := []float64{0.1, 0.7, 1, 3}[rng.IntN(4)]
		for _, name := range names {
			if name == "geometric" && scale != 1 {
				continue
			}
			m := build(t, name, q, eps(t, e))
			want := plainWeights(name, q, e)
			label := fmt.Sprintf("trial %d: %s at %g", trial, name, e)
			for x := range want {
				distortion := 0.0
				for r, p := range want[x] {
					got := m.Enclose(x, r).Mid()
					if math.Abs(got-p) > 1e-12 {
						t.Fatalf("%s: p^%d(%v) = %.15g, want %.15g", label, x, q.Range()[r], got, p)
					}
					if p > 0 && math.Abs(m.LogProb(x, r)-math.Log(p)) > 1e-9 {
						t.Fatalf("%s: ln p^%d(%v) = %v, want %v", label, x, q.Range()[r], m.LogProb(x, r), math.Log(p))
					}
					distortion += p * math.Abs(float64(q.Range()[r].(query.Number)-q.Value(x).(query.Number)))
				}
				if got := mechanism.Distortion(m, x).Float(); math.Abs(got-distortion) > 1e-11 {
					t.Fatalf("%s: distortion at %d is %v, want %v", label, x, got, distortion)
				}
			}
			loss, delta := 0.0, 0.0
			for x := range want {
				for _, y := range q.Space().Neighbors(x) {
					sum := 0.0
					for r := range want[x] {
						if want[x][r] > 0 {
							loss = max(loss, math.Log(want[x][r]/want[y][r]))
						}
						sum += max(0, want[x][r]-math.Exp(e/3)*want[y][r])
					}
					delta = max(delta, sum)
				}
			}
			got, err := mechanism.Privacy(m).Epsilon(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			if g := got.Float(); math.Abs(g-loss) > 1e-9 && !(math.IsInf(g, 1) && math.IsInf(loss, 1)) {
				t.Fatalf("%s: smallest ε %v, want %v", label, got, loss)
			}
			lo, hi := got.Bounds()
			if !math.IsInf(hi, 1) && hi-lo > 1e-12*max(hi, e) {
				t.Fatalf("%s: enclosure [%v, %v] is too wide", label, lo, hi)
			}
			d, err := mechanism.Privacy(m).Delta(ctx, eps(t, e/3))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(d.Float()-delta) > 1e-12 {
				t.Fatalf("%s: δ(%g) = %v, want %v", label, e/3, d.Float(), delta)
			}
			if hi > 0 && !math.IsInf(hi, 1) {
				if at, _ := mechanism.Privacy(m).Delta(ctx, eps(t, hi)); at.Float() > 1e-14 {
					t.Fatalf("%s: δ at the smallest ε is %v, want 0", label, at)
				}
				if at, _ := mechanism.Privacy(m).Delta(ctx, eps(t, 0.99*lo)); at.Float() <= 0 {
					t.Fatalf("%s: δ just below the smallest ε is %v, want more than 0", label, at)
				}
			}
			if hi > m.ClaimedEpsilon().Float()*(1+1e-12) {
				t.Fatalf("%s: smallest ε %v exceeds the claim %v", label, hi, m.ClaimedEpsilon().Float())
			}
		}
	}
}
