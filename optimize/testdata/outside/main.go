// Command outside is a module of its own: it brings a query and a mechanism that
// the workbench does not know, and asks for their privacy and their rivals'.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// answers is randomized response on a ring of datasets: the true value with
// probability 1/2, each other value with as much of the rest.
type answers struct{ ring *query.Query }

func (answers) Name() string          { return "half the truth" }
func (a answers) Query() *query.Query { return a.ring }
func (answers) ClaimedEpsilon() evidence.Number {
	return evidence.Claimed{Value: math.Log(4), Source: "its author"}
}
func (answers) LogError() float64 { return 1e-14 }
func (a answers) Classes() int    { return a.ring.Size() }
func (answers) Class(x int) int   { return x }

func (a answers) Rational(x, r int) (*big.Rat, bool) {
	if a.ring.ValueIndex(x) == r {
		return big.NewRat(1, 2), true
	}
	return big.NewRat(1, 2*int64(len(a.ring.Range())-1)), true
}

func (a answers) Enclose(x, r int) interval.Interval {
	p, _ := a.Rational(x, r)
	return interval.Rat(p)
}

func (a answers) EncloseLog(x, r int) interval.Interval { return a.Enclose(x, r).Log() }

func (a answers) LogProb(x, r int) float64 { return a.EncloseLog(x, r).Mid() }

func main() {
	ctx := context.Background()
	space, err := query.NewPathSpace(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}})
	check(err)
	ring, err := query.NewNumeric("place", space, []float64{0, 1, 2, 3, 4}, nil)
	check(err)
	m := answers{ring}

	smallest, err := mechanism.Privacy(m).Epsilon(ctx, 0)
	check(err)
	fmt.Println("epsilon", smallest)
	ln2, err := evidence.LogEpsilon("eps", big.NewRat(2, 1))
	check(err)
	delta, err := mechanism.Privacy(m).Delta(ctx, ln2)
	check(err)
	fmt.Println("delta", delta)

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
