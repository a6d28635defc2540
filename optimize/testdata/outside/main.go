// Command outside is a separate module. It defines a query and a mechanism that the workbench does not know, and
// computes their privacy and that of competitors.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/big"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// answers is randomized response on a ring of datasets: the true value with probability 1/2, and each other value with
// an equal share of the rest.
type answers struct{ ring *query.Query }

func (answers) Name() string          { return "half the truth" }
func (a answers) Query() *query.Query { return a.ring }
func (answers) ClaimedEpsilon() evidence.Number {
	return evidence.Claimed{Value: math.Log(4), Provenance: evidence.From("its author")}
}

// Law returns 1/2 for the true value, and an equal share of the rest for each other value.
func (a answers) Law(x int) ([]evidence.RatOrInterval, error) {
	law := make([]evidence.RatOrInterval, len(a.ring.Range()))
	for r := range law {
		p := big.NewRat(1, 2)
		if a.ring.ValueIndex(x) != r {
			p.Quo(p, big.NewRat(int64(len(law)-1), 1))
		}
		law[r] = evidence.ExactRat(p)
	}
	return law, nil
}

// noise returns Laplace noise of scale 1 on two answers that are ½ apart, by its distribution functions and its loss.
func noise() privacy.Continuous {
	law := func(center float64) func(x float64) interval.Interval {
		half := interval.Float(0.5)
		return func(x float64) interval.Interval {
			if d := interval.Float(x).Sub(interval.Float(center)); x < center {
				return d.Exp().Mul(half)
			} else {
				return interval.Int(1).Sub(d.Neg().Exp().Mul(half))
			}
		}
	}
	return privacy.Continuous{
		P: law(0.5), Q: law(0), From: -40, To: 40, Relation: query.AddRemove, Cells: 256,
		Loss: privacy.Monotone(func(x float64) interval.Interval { return interval.Float(min(max(2*x-0.5, -0.5), 0.5)) }),
	}
}

func main() {
	ctx := context.Background()
	space, err := query.NewPathSpace(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}})
	check(err)
	ring, err := query.NewNumeric("place", space, []float64{0, 1, 2, 3, 4}, nil)
	check(err)
	m, err := mechanism.New(ctx, answers{ring})
	check(err)

	one, err := privacy.Of(ctx, m)
	check(err)
	smallest, err := one.Epsilon(ctx, evidence.Delta{})
	check(err)
	fmt.Println("epsilon", smallest)
	ln2, err := evidence.LogEpsilon("eps", big.NewRat(2, 1))
	check(err)
	delta, err := one.Delta(ctx, ln2)
	check(err)
	fmt.Println("delta", delta)
	fifty, err := one.Compose(50)
	check(err)
	millionth, err := evidence.NewDelta("delta", 1e-6)
	check(err)
	eps, err := fifty.Epsilon(ctx, millionth)
	check(err)
	fmt.Println("fifty uses", evidence.FormatNumber(eps, 6))

	pairs, err := noise().DominatingPairs(ctx, "own noise", "its functions")
	check(err)
	drawn, err := privacy.Subsample(ctx, privacy.New(pairs), big.NewRat(1, 10), privacy.Poisson)
	check(err)
	many, err := drawn.Compose(100)
	check(err)
	eps, err = many.Epsilon(ctx, millionth)
	check(err)
	fmt.Println("own noise on drawn records", evidence.FormatNumber(eps, 3))
	proof, err := certificate.Of(ctx, smallest)
	check(err)
	text, err := proof.Encode("epsilon.json")
	check(err)
	fmt.Println("certificate", len(text) > 0)

	ln4, err := evidence.LogEpsilon("eps", big.NewRat(4, 1))
	check(err)
	best, err := optimize.NewOptimal(ctx, ring, ln4, optimize.Options{})
	check(err)
	fmt.Println("optimum", best.Optimum())

	_, err = mechanism.NewLadder(ctx, ring, evidence.Epsilon{})
	fmt.Println("error", err)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
