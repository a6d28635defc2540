package main

import (
	"context"
	"encoding/json"
	"math"
	"math/big"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/elementary"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// accounted is a composition that accountants compute, given as an event of dp_accounting. The number is the
// composition's ε at δ = at or, if delta is set, its δ at ε = at.
type accounted struct {
	name, work string
	n, quick   int
	event      func(n int) any
	delta      bool // compute δ, not ε
	at, truth  float64
	account    func(ctx context.Context, n int) *privacy.Account // nil to use the event
}

func event(class string, values ...any) []any { return append([]any{"", class + "DpEvent"}, values...) }

func repeated(n int, e []any) []any { return event("SelfComposed", e, n) }

var accountantRows = accountants([]accounted{
	{name: "accountant-gaussian", work: "ε at δ = 1e-6 of %d uses of Gaussian noise, σ = 20, told as two distribution functions", n: 1000, quick: 10, at: 1e-6, truth: 8.30622504995, account: ownNormal,
		event: func(n int) any { return repeated(n, event("MixtureOfGaussians", 20, []int{1}, []int{1})) }},
	{name: "accountant-mnist", work: "ε at δ = 1e-5 of %d steps, σ = 1.1, rate 256/60000", n: 10_000, quick: 10, at: 1e-5, truth: 1.97790246320813,
		event: func(n int) any { return repeated(n, event("PoissonSampled", 256./60000, event("Gaussian", 1.1))) }},
	{name: "accountant-little-noise", work: "ε at δ = 1e-5 of %d steps, σ = .8, rate 1/100", n: 1000, quick: 10, at: 1e-5, truth: 3.14101413945477,
		event: func(n int) any { return repeated(n, event("PoissonSampled", .01, event("Gaussian", .8))) }},
	{name: "accountant-three", work: "ε at δ = 1e-6 of %d uses each of Gaussian noise σ = 40, Laplace noise ε = .05 and steps σ = 1, rate 1/100", n: 500, quick: 10, at: 1e-6, truth: 6.46049021449,
		event: func(n int) any {
			return event("Composed", []any{repeated(n, event("Gaussian", 40)), repeated(n, event("Laplace", 20)), repeated(n, event("PoissonSampled", .01, event("Gaussian", 1)))})
		}},
	{name: "accountant-deep", work: "δ at ε = 27.1359 of %d uses of Gaussian noise, σ = 100, told to dp_accounting as a mixture of one law", n: 100_000, quick: 100_000, delta: true, at: 27.1359, truth: 3.894289368580487e-13,
		event: func(n int) any { return repeated(n, event("MixtureOfGaussians", 100, []int{1}, []int{1})) }},
	{name: "accountant-long", work: "ε at δ = 1e-6 of %d uses of Laplace noise at ε = 1/1000", n: 1_000_000, quick: 1000, at: 1e-6, truth: 4.88561694137889,
		event: func(n int) any { return repeated(n, event("Laplace", 1000)) }},
})

// accountants returns the rows of compositions. Peers' numbers are not compared with ours; the page shows all of them
// beside the true number.
func accountants(all []accounted) (rows []comparison) {
	for _, a := range all {
		rows = append(rows, comparison{
			name: a.name, work: a.work, n: a.n, quick: a.quick, slow: true, truth: a.truth,
			run: func(ctx context.Context, n int) task {
				return func() float64 {
					if a.account != nil {
						return a.ask(ctx, a.account(ctx, n))
					}
					return a.ask(ctx, must(privacy.EventAccount(ctx, must(json.Marshal(a.event(n))), "")))
				}
			},
			input: func(_ context.Context, n int) any {
				return map[string]any{"event": a.event(n), "delta": a.delta, "at": a.at}
			},
			peers: []peer{
				{name: "dp_accounting, at 1e-4", module: "with_dp_accounting", function: "event"},
				{name: "prv_accountant, ε to 1e-2", module: "with_prv", function: "event"},
			},
		})
	}
	return append(rows, comparison{
		name: "accountant-table", work: "ε at δ = 1e-6 of %d uses of a table of 5 outputs at two datasets", n: 50, quick: 50, truth: 92.8528279987934,
		run: func(ctx context.Context, n int) task {
			rows := fiveOutputs(ctx, n).([2][]float64)
			exact := func(p []float64) (out []*big.Rat) {
				for _, v := range p {
					out = append(out, new(big.Rat).SetFloat64(v))
				}
				return out
			}
			pair := must(privacy.NewRationalPair(exact(rows[0]), exact(rows[1])))
			return func() float64 { return spent(ctx, n, privacy.New(privacy.PairAndReverse("table", "", pair))) }
		},
		input: fiveOutputs, peers: []peer{{name: "dp_accounting, at 1e-4", module: "with_dp_accounting", function: "masses"}},
	})
}

func fiveOutputs(context.Context, int) any {
	return [2][]float64{{.5, .25, .125, .0625, .0625}, {.0625, .0625, .125, .25, .5}}
}

func (a accounted) ask(ctx context.Context, of *privacy.Account) float64 {
	if a.delta {
		return value(of.Delta(ctx, nats(a.at)))
	}
	return value(of.Epsilon(ctx, evidencetest.Delta(a.at)))
}

// ownNormal returns the account of n uses of Gaussian noise that is given by two distribution functions and the privacy
// loss.
func ownNormal(ctx context.Context, n int) *privacy.Account {
	const mu = 1. / 20
	chance := func(at float64) func(x float64) interval.Interval { // distribution function, mean at
		return func(x float64) interval.Interval {
			tail := elementary.Erfc(math.Abs(x-at)/math.Sqrt2) / 2
			err := 32 * interval.Unit * (1 + (x-at)*(x-at)) // errors of the function and of its argument
			out := interval.Between(tail*(1-err), tail*(1+err)+0x1p-1000)
			if x > at {
				out = interval.Int(1).Sub(out)
			}
			return out
		}
	}
	loss := func(x float64) interval.Interval {
		return interval.Float(mu).Mul(interval.Float(x).Sub(interval.Float(mu / 2)))
	}
	f := must(privacy.Continuous{P: chance(mu), Q: chance(0), Loss: privacy.Monotone(loss), From: -40, To: 40, Cells: 1000}.DominatingPairs(ctx, "Gaussian", ""))
	return must(must(privacy.Compose(ctx, []*privacy.Account{privacy.New(f)}, []int{n})).Within(1e-5))
}
