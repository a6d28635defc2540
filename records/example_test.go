package records_test

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

func ExampleNewPurest() {
	x := must.Be(records.New([]float64{3, 8, 8, 2, 5}, records.Options{Lo: big.NewRat(0, 1), Hi: big.NewRat(10, 1), Grid: big.NewRat(1, 1), Neighbors: records.Replace}))
	q := must.Be(x.Median())
	m := must.Be(records.NewPurest(q, must.Be(evidence.LogEpsilon("decay", big.NewRat(3, 1)))))
	fmt.Println(q.Value().RatString(), must.Be(m.Distortion(context.Background())))
	// Output: 5 1.36708860759494 (exact: 108/79)
}

func ExampleVerify() {
	g := must.Be(records.NewGraph(4, [][2]int{{0, 1}, {1, 2}, {2, 0}}, records.Edge))
	q := must.Be(g.Triangles(context.Background()))
	decay := must.Be(evidence.NewEpsilon("decay", 1))
	v := must.Be(records.Verify(context.Background(), q, func(q *records.Query) (records.Law, error) { return records.NewPurest(q, decay) }, records.VerifyOptions{Nodes: 5}))
	fmt.Println(v.Verdict, v.Keeps)
	// Output: valid bound confirmed
}
