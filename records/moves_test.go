package records_test

import (
	"math/big"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// tuples lists all ascending lists of n of the values 0…top.
func tuples(n int, top int64) (out [][]int64) {
	if n == 0 {
		return [][]int64{nil}
	}
	for _, rest := range tuples(n-1, top) {
		from := int64(0)
		if len(rest) > 0 {
			from = rest[len(rest)-1]
		}
		for v := from; v <= top; v++ {
			out = append(out, append(slices.Clone(rest), v))
		}
	}
	return out
}

// apart is how many records of x have to be replaced to make y.
func apart(x, y []int64) int {
	same, i, j := 0, 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] < y[j]:
			i++
		case x[i] > y[j]:
			j++
		default:
			same, i, j = same+1, i+1, j+1
		}
	}
	return len(x) - same
}

// statistics are queries of records, with what they are.
var statistics = map[string]struct {
	of    func(r *records.Records) (*records.Query, error)
	value func(x []int64) *big.Rat
}{
	"median":  {(*records.Records).Median, func(x []int64) *big.Rat { return rat(x[(len(x)+1)/2-1], 1) }},
	"minimum": {(*records.Records).Minimum, func(x []int64) *big.Rat { return rat(x[0], 1) }},
	"maximum": {(*records.Records).Maximum, func(x []int64) *big.Rat { return rat(x[len(x)-1], 1) }},
	"quantile": {func(r *records.Records) (*records.Query, error) { return r.Quantile(rat(2, 3)) }, func(x []int64) *big.Rat {
		k := (2*len(x) + 2) / 3
		return rat(x[k-1], 1)
	}},
	"total": {(*records.Records).Total, func(x []int64) *big.Rat { return sumOf(x) }},
	"mean":  {(*records.Records).Mean, func(x []int64) *big.Rat { return new(big.Rat).Quo(sumOf(x), rat(int64(len(x)), 1)) }},
	"trimmed": {func(r *records.Records) (*records.Query, error) { return r.TrimmedMean(1) }, func(x []int64) *big.Rat {
		return new(big.Rat).Quo(sumOf(x[1:len(x)-1]), rat(int64(len(x)-2), 1))
	}},
	"variance": {(*records.Records).Variance, func(x []int64) *big.Rat {
		mean, sum := new(big.Rat).Quo(sumOf(x), rat(int64(len(x)), 1)), new(big.Rat)
		for _, v := range x {
			d := new(big.Rat).Sub(rat(v, 1), mean)
			sum.Add(sum, d.Mul(d, d))
		}
		return sum.Quo(sum, rat(int64(len(x)), 1))
	}},
	"count": {func(r *records.Records) (*records.Query, error) {
		return r.Count(func(v *big.Rat) (bool, error) { return v.Cmp(rat(2, 1)) >= 0, nil })
	}, func(x []int64) *big.Rat {
		n := int64(0)
		for _, v := range x {
			if v >= 2 {
				n++
			}
		}
		return rat(n, 1)
	}},
}

func sumOf(x []int64) *big.Rat {
	sum := int64(0)
	for _, v := range x {
		sum += v
	}
	return rat(sum, 1)
}

// recordsOf are whole numbers from 0 to top, in steps of a half or without a grid.
func recordsOf(t *testing.T, x []int64, top int64, grid *big.Rat, neighbors records.Neighbors) *records.Records {
	t.Helper()
	var floats []float64
	for _, v := range x {
		floats = append(floats, float64(v))
	}
	return must.For(records.New(floats, records.Options{Lo: rat(0, 1), Hi: rat(top, 1), Grid: grid, Neighbors: neighbors}))(t)
}

// How far t replaced records move a query is found by visiting all datasets: exactly, and no further behind the last; variances, whose least
// is between the grid, at least as far down. Local sensitivities are what neighbors of datasets that far change, and of variances the bound that the mean of the other records gives.
func TestMovesByAllDatasets(t *testing.T) {
	const top = 3
	for name, s := range statistics {
		for n := 1; n <= 4; n++ {
			if name == "trimmed" && n < 3 || name == "variance" && n < 2 {
				continue
			}
			all := tuples(n, top)
			values := make([]*big.Rat, len(all))
			for i, x := range all {
				values[i] = s.value(x)
			}
			for i, x := range all {
				for _, grid := range []*big.Rat{rat(1, 1), nil} {
					q := must.For(s.of(recordsOf(t, x, top, grid, records.Replace)))(t)
					if q.Value().Cmp(values[i]) != 0 {
						t.Fatalf("%s of %v is %v, want %v", name, x, q.Value(), values[i])
					}
					for d := 0; d <= n+2; d++ {
						lo, hi, local := values[i], values[i], new(big.Rat)
						for j, y := range all {
							if apart(x, y) > d {
								continue
							}
							lo, hi = smallest(lo, values[j]), largest(hi, values[j])
							if name == "variance" { // by the mean of the others: (n − 1)/n² times its largest squared distance to an end
								for k := range y {
									mean := new(big.Rat).Quo(new(big.Rat).Sub(sumOf(y), rat(y[k], 1)), rat(int64(n-1), 1))
									far := largest(mean, new(big.Rat).Sub(rat(top, 1), mean))
									far = new(big.Rat).Mul(far, far)
									local = largest(local, far.Mul(far, rat(int64(n-1), int64(n*n))))
								}
								continue
							}
							for k, z := range all {
								if apart(y, z) == 1 {
									c := new(big.Rat).Sub(values[j], values[k])
									local = largest(local, c.Abs(c))
								}
							}
						}
						up, down, err := q.Moves(d)
						if err != nil {
							t.Fatal(err)
						}
						up, down = new(big.Rat).Add(values[i], up), new(big.Rat).Sub(values[i], down)
						if up.Cmp(hi) != 0 || down.Cmp(lo) != 0 && (name != "variance" || down.Cmp(lo) > 0) {
							t.Errorf("%s of %v, grid %v: %d changes reach [%v, %v], want [%v, %v]", name, x, grid, d, down, up, lo, hi)
						}
						have := must.For(q.Local(d))(t)
						if have.Cmp(local) != 0 || have.Cmp(q.Global()) > 0 || q.LocalIsExact(d) != (name != "variance") {
							t.Errorf("%s of %v: I_%d = %v, want %v, at most %v", name, x, d, have, local, q.Global())
						}
					}
				}
			}
		}
	}
}

// Layers where records come and go are distances between all small datasets: what is reached is known as long as no more records are needed
// than the universe has.
func TestLayersByAllDatasets(t *testing.T) {
	const top, most = 3, 6
	var all [][]int64
	for n := 1; n <= most; n++ {
		all = append(all, tuples(n, top)...)
	}
	distance := func(x, y []int64) int { // records to remove, and to add
		same := 0
		for v := range int64(top + 1) {
			a, b := 0, 0
			for _, w := range x {
				a += b2i(w == v)
			}
			for _, w := range y {
				b += b2i(w == v)
			}
			same += min(a, b)
		}
		return len(x) + len(y) - 2*same
	}
	for _, p := range []*big.Rat{rat(0, 1), rat(1, 3), rat(1, 2), rat(3, 4), rat(1, 1)} {
		value := func(x []int64) int64 {
			k := 1
			for new(big.Rat).Mul(p, rat(int64(len(x)), 1)).Cmp(rat(int64(k), 1)) > 0 {
				k++
			}
			return x[k-1]
		}
		for _, grid := range []*big.Rat{rat(1, 1), nil} {
			for n := 1; n <= 3; n++ {
				for _, x := range tuples(n, top) {
					q := must.For(recordsOf(t, x, top, grid, records.AddRemove).Quantile(p))(t)
					for r := range int64(top + 1) {
						least := 100
						for _, y := range all {
							// From one dataset to another all removals may come first, but the last record.
							if value(y) == r {
								least = min(least, distance(x, y))
							}
						}
						have := must.For(q.Layer(rat(r, 1)))(t)
						if n+least <= most && have != least {
							t.Errorf("the quantile %v of %v, grid %v: %d is in layer %d, want %d", p, x, grid, r, have, least)
						}
					}
				}
			}
		}
	}
	// A count of all records, where some must stay.
	for _, of := range [][]int64{{3}, {3, 3}, {2, 3, 3}, {0, 3}, {0}} {
		q := must.For(statistics["count"].of(recordsOf(t, of, top, nil, records.AddRemove)))(t)
		for r := range int64(5) {
			least := 100
			for _, y := range all {
				if statistics["count"].value(y).Cmp(rat(r, 1)) == 0 {
					least = min(least, distance(of, y))
				}
			}
			if have := must.For(q.Layer(rat(r, 1)))(t); have != least {
				t.Errorf("a count of %v: %d is in layer %d, want %d", of, r, have, least)
			}
		}
		if q.Range().Hi != nil || must.For(q.Layer(rat(10, 1)))(t) != 10-int(q.Value().Num().Int64()) {
			t.Errorf("a count of %v has the range %v", of, q.Range())
		}
	}
}

// Modes: which categories' counts win is found by all ways to move records.
func TestModesByAllCounts(t *testing.T) {
	const categories = 3
	var counts [][]int
	for a := range 5 {
		for b := range 5 {
			for c := range 5 {
				if a+b+c > 0 {
					counts = append(counts, []int{a, b, c})
				}
			}
		}
	}
	mode := func(c []int) int { return slices.Index(c, slices.Max(c)) }
	for _, x := range counts {
		n := x[0] + x[1] + x[2]
		if n > 4 {
			continue
		}
		for _, neighbors := range []records.Neighbors{records.Replace, records.AddRemove} {
			q := modeOf(t, x, neighbors)
			for k := range categories {
				least := 100
				for _, y := range counts {
					more, less := 0, 0
					for j := range x {
						more, less = more+max(y[j]-x[j], 0), less+max(x[j]-y[j], 0)
					}
					if mode(y) == k && neighbors == records.Replace && more == less {
						least = min(least, more)
					} else if mode(y) == k && neighbors == records.AddRemove {
						least = min(least, more+less)
					}
				}
				if have := must.For(q.Layer(rat(int64(k), 1)))(t); have != least {
					t.Errorf("of %v under %s category %d is in layer %d, want %d", x, neighbors, k, have, least)
				}
			}
			if q.Value().Cmp(rat(int64(mode(x)), 1)) != 0 || !q.Exact() {
				t.Errorf("the mode of %v is %v", x, q.Value())
			}
		}
	}
}
