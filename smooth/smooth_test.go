package smooth

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/query"
)

func TestTry(t *testing.T) {
	for _, g := range []int64{2, 3, 4, 5} {
		n, _ := Cauchy(big.NewRat(g, 1))
		m, ok := n.AbsMoment()
		fmt.Println(g, m, ok, 1/(2*math.Cos(math.Pi/float64(g))))
		fmt.Println(n.Tail(interval.Int(0)), n.Tail(interval.Int(1)), n.Tail(interval.Float(0.999)), n.Tail(interval.Float(1.001)), n.Tail(interval.Float(10)))
	}
	for _, g := range []int64{1, 2, 3, 30} {
		n, _ := Student(big.NewRat(g, 1))
		m, ok := n.AbsMoment()
		fmt.Println(g, m, ok)
		fmt.Println(n.Tail(interval.Int(1)), n.Tail(interval.Float(1.7)), n.Tail(interval.Float(10)))
		fmt.Println(n.Quantile(big.NewRat(9, 10)))
	}
	g, err := query.NewGraphs(context.Background(), 6)
	if err != nil {
		t.Fatal(err)
	}
	q, _ := g.Count("triangle")
	eps, _ := evidence.NewEpsilon("eps", 1)
	for _, n := range []Noise{must1(Cauchy(big.NewRat(4, 1))), must1(Cauchy(big.NewRat(3, 1))), must1(Student(big.NewRat(3, 1))), Laplace()} {
		var delta *big.Rat
		if n.family == laplace {
			delta = big.NewRat(1, 1000)
		}
		c, err := Calibrate(n, eps, delta, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := New(context.Background(), q, c)
		if err != nil {
			t.Fatal(err)
		}
		w, err := m.Worst(context.Background())
		fmt.Println(m.Name(), c.Beta(), c.Scale(), w, err, m.Distortion(0), m.Distortion(100))
		d, err := m.DeltaAt(context.Background(), eps)
		fmt.Println(d, err)
		fmt.Println(m.Sample(context.Background(), 3, 4, nil, evidenceSource()))
		r, err := m.OnRange(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(r.Enclose(3, 0))
	}
}
