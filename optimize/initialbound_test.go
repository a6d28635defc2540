package optimize

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

func TestScratchBound(t *testing.T) {
	ctx := context.Background()
	nodes, _ := strconv.Atoi(os.Getenv("NODES"))
	deep, _ := strconv.Atoi(os.Getenv("DEEP"))
	eps, _ := strconv.ParseFloat(os.Getenv("EPS"), 64)
	passes, _ := strconv.Atoi(os.Getenv("PASSES"))
	q := must.For(must.For(query.NewGraphs(ctx, nodes))(t).Count("triangle"))(t)
	decay := must.For(evidence.NewEpsilon("decay", eps))(t)
	prior := must.For(mechanism.PriorWeights(q.Size(), nil))(t)
	s := must.For(newTables(ctx, q, decay, prior))(t)
	local := must.For(SearchInitial(ctx, q, decay, InitialOptions{Rounds: 20}))(t)
	e := must.For(s.relax(deep))(t)
	fmt.Println("states", e.states, len(e.valid), "edges", len(e.edges), "local", local.Value)
	if os.Getenv("BOXES") != "" {
		boxes, _ := strconv.Atoi(os.Getenv("BOXES"))
		start := time.Now()
		out, err := s.branch(ctx, local.Value.Float(), deep, boxes)
		fmt.Println(out, err, time.Since(start))
		return
	}
	limit := local.Value.Float() * (1 + 1e-9)
	b := &box{gone: make([]rowset, q.Size())}
	for x := range b.gone {
		b.gone[x] = make(rowset, e.states/64+1)
	}
	for i := range passes {
		start := time.Now()
		if err := e.pass(ctx, b, false); err != nil {
			t.Fatal(err)
		}
		if err := e.pass(ctx, b, true); err != nil {
			t.Fatal(err)
		}
		if err := e.settle(ctx, b, limit); err != nil {
			t.Fatal(err)
		}
		left := make([]int, q.Size())
		for x := range left {
			for _, i := range e.valid {
				if !b.gone[x].has(i) {
					left[x]++
				}
			}
		}
		fmt.Println(i, b.bound, b.split, time.Since(start), left)
	}
}
