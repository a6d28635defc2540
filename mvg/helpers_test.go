package mvg_test

import "slices"

func sortFloats(x []float64) { slices.Sort(x) }
