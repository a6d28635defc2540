package signrp_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

func ExampleProjection_Sensitivity() {
	w, _ := signrp.NewProjection(signrp.Rademacher, 1000, 256, signrp.ProjectionOptions{Seed: 1})
	s, _ := w.Sensitivity(context.Background(), 0.5)
	fmt.Println(s.Float(), s.Kind())
	// Output: 0.5 exact
}

// OPORP's matrix has one ±1 a row and at most ⌈p/k⌉ a column.
func TestOPORPShape(t *testing.T) {
	for _, shape := range [][2]int{{12, 4}, {13, 4}, {7, 7}, {100, 33}} {
		w := must.Be(signrp.NewOPORP(context.Background(), shape[0], shape[1], 3))
		columns := make([]int, w.K())
		for i := range w.P() {
			count := 0
			for j, v := range must.Be(w.Matrix())[i] {
				if v != 0 {
					count++
					columns[j]++
				}
				if v != 0 && math.Abs(v) != 1 {
					t.Errorf("entry %v", v)
				}
			}
			if count != 1 {
				t.Errorf("row %d has %d entries", i, count)
			}
		}
		size := w.Padded() / w.K()
		for j, c := range columns {
			if c > size || w.Padded() == w.P() && c != size {
				t.Errorf("%v: bin %d holds %d of %d", shape, j, c, size)
			}
		}
	}
}

// Empty bins and bins of zeros sum to +0.
func TestBinsOfZerosArePositive(t *testing.T) {
	w := must.Be(signrp.NewOPORP(context.Background(), 5, 4, 1))
	x := must.Be(w.Apply(context.Background(), []float64{0, math.Copysign(0, -1), 0, 0, math.Copysign(0, -1)}))
	for j, v := range x {
		if v != 0 || math.Signbit(v) {
			t.Errorf("x[%d] = %v, want +0", j, v)
		}
	}
}
