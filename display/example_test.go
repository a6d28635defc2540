package display_test

import (
	"fmt"

	"dpworkbench/display"
)

func ExampleTable() {
	t, err := display.NewTable(display.TableSpec{
		Title:  "Datasets of G_n",
		Header: []string{"n", "graphs", "pairs"},
		Rows:   [][]string{{"4", "11", "14"}, {"5", "34", "74"}, {"6", "156", "571"}, {"7", "1044", "6558"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(t.Terminal(display.Caps{}))
	// Output:
	// Datasets of G_n
	//
	// n  graphs  pairs
	// ----------------
	// 4      11     14
	// 5      34     74
	// 6     156    571
	// 7    1044   6558
}

func ExampleHeatMap() {
	one := 1.0
	h, err := display.NewHeatMap(display.HeatSpec{
		Title: "A ratio and its inverse", XLabel: "graph", ValueLabel: "ratio",
		Values: [][]float64{{0.25, 0.5, 1, 2, 4}}, Center: &one,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(h.Terminal(display.Caps{Width: 34, Height: 10}))
	// Output:
	// A ratio and its inverse
	//   |444444222222......bbbbbbdddddd
	//   |444444222222......bbbbbbdddddd
	// 0 +444444222222......bbbbbbdddddd
	//   |444444222222......bbbbbbdddddd
	//   |444444222222......bbbbbbdddddd
	//   +---+-----+-----+-----+-----+--
	//       0     1     2     3     4
	//                graph
	//
	//    ratio
	//    443332222111....aaabbbbcccdd
	//  0.25    0.5     1      2     4
}

func ExampleNumber() {
	fmt.Println(display.Number(0.995213, 4), display.Number(1044, 2), display.Number(1.5e-7, 3))
	// Output: 0.9952 1044 1.5e-7
}

func ExampleLinePlot() {
	l, err := display.NewLinePlot(display.LineSpec{
		Title: "Privacy profile", XLabel: "epsilon (nats)", YLabel: "delta", LogY: true,
		X:      []float64{0, 1, 2, 3},
		Series: []display.Series{{Name: "claimed", Y: []float64{1, 1e-1, 1e-2, 1e-3}}, {Name: "exact", Y: []float64{1, 1e-2, 1e-4, 1e-6}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(l.Terminal(display.Caps{Width: 40, Height: 14}))
	// Output:
	// Privacy profile
	// a  claimed   b  exact
	// delta
	//      1 +bbbaaa
	//        |   bbbbaaaaaaa
	//   0.01 +       bbbb   aaaaaaaa
	//        |           bbbbb      aaaaaaaaa
	//        |                bbbb
	// 0.0001 +                    bbbb
	//        |                        bbbb
	//   1e-6 +                            bbb
	//        ++---------+---------+---------+
	//         0         1         2         3
	//                 epsilon (nats)
}
