package networks

import (
	"slices"
	"testing"
)

// cluster agrees with clusters worked out by hand. The initial centers lie far apart, ties go to the smaller index, and
// centers move to the means.
func TestClusters(t *testing.T) {
	line := func(v ...int) (out [][]int) {
		for _, x := range v {
			out = append(out, []int{x})
		}
		return out
	}
	for _, c := range []struct {
		points [][]int
		k      int
		want   []int
	}{
		{line(0, 10, 11, 1), 1, []int{0, 0, 0, 0}},
		{line(0, 10, 11, 1), 2, []int{0, 1, 1, 0}},
		{line(0, 10, 11, 1), 3, []int{0, 1, 2, 0}}, // 10 and 1 are equally far from 0 and 11, and the first of them is chosen
		{line(0, 10, 11, 1), 4, []int{0, 1, 2, 3}},
		{line(0, 10, 11, 1), 9, []int{0, 1, 2, 3}},
		{line(4, 4, 4), 3, []int{0, 0, 0}},
		{line(7), 2, []int{0}},
		{line(5, 0, 10), 2, []int{0, 1, 0}},                                       // 0 and 10 are equally far from 5, and the center is 0
		{line(0, 0, 0, 0, 0, 9, 12, 12, 20), 2, []int{0, 0, 0, 0, 0, 1, 1, 1, 1}}, // 9 is nearer to 0 than to 20, and then to 14⅔
		{line(0, 5, 10, 10), 2, []int{0, 0, 1, 1}},                                // a tie stays with the first center
		{[][]int{{0, 0}, {0, 5}, {5, 0}, {1, 0}}, 3, []int{0, 1, 2, 0}},           // both coordinates count
		{[][]int{{3, 4}, {0, 0}, {-3, -4}, {3, 3}}, 2, []int{0, 0, 1, 0}},         // (0, 0) is equally far from both, and stays with the first
		{line(0, 100, 49, 49, 49, 49, 60, 60), 2, []int{0, 1, 0, 0, 0, 0, 1, 1}},  // 60 joins 100 and stays
		{line(0, 100, 52, 45, 44, 43), 2, []int{0, 1, 0, 0, 0, 0}},                // 52 joins 100, and moves from 76 to 33
		{line(9, 9, 1, 1, 5), 3, []int{0, 0, 1, 1, 2}},
	} {
		if got := cluster(c.points, c.k); !slices.Equal(got, c.want) {
			t.Errorf("%v to %d clusters: %v, want %v", c.points, c.k, got, c.want)
		}
	}
	if got := renumbered([]int{7, 2, 7, 0, 2}); !slices.Equal(got, []int{0, 1, 0, 2, 1}) {
		t.Errorf("renumbered %v", got)
	}
	if d := distance([]int{3, -1}, []float64{1, 1.5}); d != 4+6.25 {
		t.Errorf("distance %v", d)
	}
}
