package query

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
)

// The unit of rounded numbers is the power of two next below the largest; numbers nearer than 2^−1020 of it are refused.
func TestRoundedUnit(t *testing.T) {
	near := func(exponent int) []*big.Rat { return []*big.Rat{new(big.Rat), powerOfTwo(exponent), big.NewRat(1, 1)} }
	one := big.NewRat(1, 1)
	for _, c := range []struct {
		numbers []*big.Rat
		largest *big.Rat
		unit    *big.Rat // nil where they are refused
	}{
		{near(-10), one, one}, {near(-1000), one, one}, {near(-1020), one, one}, {near(-1021), one, nil}, {near(-1100), one, nil},
		{near(-1021), big.NewRat(3, 2), nil}, {near(-1019), big.NewRat(3, 1), big.NewRat(2, 1)}, {near(-1020), big.NewRat(2, 1), nil},
		{nil, big.NewRat(7, 3), big.NewRat(2, 1)}, {nil, big.NewRat(8, 3), big.NewRat(2, 1)}, {nil, big.NewRat(1, 3), big.NewRat(1, 4)}, {nil, big.NewRat(1, 4), big.NewRat(1, 4)}, {nil, big.NewRat(3, 16), big.NewRat(1, 8)}, {nil, big.NewRat(5, 16), big.NewRat(1, 4)},
		// Equal ones are no gap, and a gap between two that are large is one.
		{[]*big.Rat{one, one}, one, one}, {[]*big.Rat{one, new(big.Rat).Sub(one, powerOfTwo(-1021))}, one, nil}, {[]*big.Rat{one, new(big.Rat).Sub(one, powerOfTwo(-1020))}, one, one},
	} {
		unit, err := roundedUnit(c.numbers, c.largest, "it")
		if c.unit == nil && !errors.Is(err, evidence.ErrParameter) || c.unit != nil && (err != nil || unit.Cmp(c.unit) != 0) {
			t.Errorf("largest %v: unit %v, %v, want %v", c.largest, unit, err, c.unit)
		}
	}
}

// Losses that have no common unit are rounded to 2⁻⁵³ in steps of the power of two next below the largest.
func TestRoundedLosses(t *testing.T) {
	space := must.For(NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(New("q", space, []Value{Name("a"), Name("b")}, nil, ValueMetric{Discrete: true}))(t)
	for _, largest := range []*big.Rat{big.NewRat(22, 7), big.NewRat(1, 3), big.NewRat(1<<40, 3)} {
		tiny := new(big.Rat).SetFrac64(1, 1<<62+3)
		loss := [][]*big.Rat{{new(big.Rat), largest}, {tiny, new(big.Rat).Quo(largest, big.NewRat(1<<61+1, 1))}}
		m := must.For(q.WithLoss("loss", loss))(t).Metric()
		unit := m.Unit()
		if unit.Cmp(largest) > 0 || new(big.Rat).Add(unit, unit).Cmp(largest) <= 0 || unit.Num().BitLen() != 1 && unit.Denom().BitLen() != 1 {
			t.Errorf("largest %v: unit %v", largest, unit)
		}
		for i, row := range loss {
			for j, v := range row {
				if want, _ := new(big.Rat).Quo(v, unit).Float64(); m.Steps(i, j) != want || m.Rational(i, j).Cmp(v) != 0 {
					t.Errorf("loss[%d][%d] = %v is %v steps of %v, want %v", i, j, v, m.Steps(i, j), unit, want)
				}
			}
		}
	}
}

// Words are at a distance of 1 from all others.
func TestDiscreteDistances(t *testing.T) {
	m := discreteMetric()
	for i := range 3 {
		for j := range 3 {
			want := int64(1)
			if i == j {
				want = 0
			}
			if m.Steps(i, j) != float64(want) || m.Rational(i, j).Cmp(big.NewRat(want, 1)) != 0 {
				t.Errorf("the distance of %d and %d is %v", i, j, m.Steps(i, j))
			}
		}
	}
}

// Distances of vectors by definition, the Euclidean one rounded up by less than 2⁻²⁰ of the common denominator.
func TestVectorMetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for range 30 {
		vectors := make([][]*big.Rat, 4)
		for i := range vectors {
			for range 3 {
				vectors[i] = append(vectors[i], big.NewRat(rng.Int64N(19)-9, []int64{1, 2, 6}[rng.IntN(3)]))
			}
		}
		unit := big.NewRat(1, 6<<20) // a multiple of the unit where the common denominator is smaller
		for _, norm := range []Norm{SumNorm, MaxNorm, EuclideanNorm} {
			d := must.For(VectorMetric(vectors, norm))(t)
			for i, a := range vectors {
				for j, b := range vectors {
					sum, most, square := new(big.Rat), new(big.Rat), new(big.Rat)
					for k := range a {
						v := new(big.Rat).Sub(a[k], b[k])
						v.Abs(v)
						sum.Add(sum, v)
						if v.Cmp(most) > 0 {
							most = v
						}
						square.Add(square, new(big.Rat).Mul(v, v))
					}
					switch got := d[i][j]; {
					case norm == SumNorm && got.Cmp(sum) != 0, norm == MaxNorm && got.Cmp(most) != 0:
						t.Errorf("%s: d(%v, %v) = %v", norm, a, b, got)
					case norm == EuclideanNorm:
						less := new(big.Rat).Sub(got, big.NewRat(1, 1<<20))
						if new(big.Rat).Mul(got, got).Cmp(square) < 0 || less.Sign() > 0 && less.Mul(less, less).Cmp(square) >= 0 || !new(big.Rat).Quo(got, unit).IsInt() {
							t.Errorf("d(%v, %v) = %v, want √%v", a, b, got, square)
						}
					}
				}
			}
		}
	}
	for what, f := range map[string]func() ([][]*big.Rat, error){
		"norm":  func() ([][]*big.Rat, error) { return VectorMetric(nil, "l3") },
		"shape": func() ([][]*big.Rat, error) { return VectorMetric([][]*big.Rat{{big.NewRat(1, 1)}, {}}, SumNorm) },
	} {
		if d, err := f(); d != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("a bad %s: %v, %v", what, d, err)
		}
	}
	// The smallest multiple whose square is no less, also where that is the root itself.
	for _, c := range [][2]*big.Rat{{big.NewRat(9, 4), big.NewRat(3, 2)}, {big.NewRat(2, 1), big.NewRat(3, 2)}, {new(big.Rat), new(big.Rat)}, {big.NewRat(901, 400), big.NewRat(2, 1)}} {
		if got := sqrtUp(c[0], big.NewRat(1, 2)); got.Cmp(c[1]) != 0 {
			t.Errorf("√%v in halves is %v, want %v", c[0], got, c[1])
		}
	}
}

// Whoever inserts a row waits for the shard of its hash.
func TestRowsAreLocked(t *testing.T) {
	s := newRowSet(2, 100)
	for i := range uint64(10) {
		row := []uint64{i, i * i}
		locks.Awaited(t, "insert", &s.shards[hash(row)%shards].mu, func() { _, _ = s.insert(row) })
	}
}

// As many classifiers as are allowed are looked at one by one, and one more is too many.
func TestMostClassifiers(t *testing.T) {
	h := must.For(NewHistograms(t.Context(), 1, 1, AddRemove))(t)
	for n, want := range map[int]string{0: "classifiers has 0 entries", maxEuclideanRange: "classifiers[0] has 0 answers", maxEuclideanRange + 1: "classifiers has 2049 entries"} {
		if _, err := h.Classifier([]int{1}, make([][]int, n), nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d classifiers: %v, want %s", n, err, want)
		}
	}
}

// A name that is none is found nowhere.
func TestNoSuchName(t *testing.T) {
	s := must.For(must.For(NewPathSpace(2, [][2]int{{0, 1}}))(t).Named([]any{"a", 5}))(t)
	for _, name := range []any{"b", 6, 2.5} {
		if x, err := s.Find(name); x != 0 || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v is %d, %v", name, x, err)
		}
	}
}

// Components are orthonormal eigenvectors of whole matrices, by falling eigenvalue: A·v = (vᵀA·v)·v.
func TestComponentsOfWholeMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 5))
	for range 100 {
		m := 1 + rng.IntN(6)
		a, size := make([]float64, m*m), 1.0
		for i := range m {
			for j := range i + 1 {
				v := float64(rng.IntN(41) - 20)
				if rng.IntN(3) == 0 {
					v = 0
				}
				a[i*m+j], a[j*m+i] = v, v
				size = max(size, math.Abs(v))
			}
		}
		out, last := must.For(components(a, m))(t), math.Inf(1)
		for k, v := range out {
			times, value := make([]float64, m), 0.0
			for i := range m {
				for j := range m {
					times[i] += a[i*m+j] * v[j]
				}
				value += v[i] * times[i]
			}
			for i := range m {
				if math.Abs(times[i]-value*v[i]) > 1e-12*size*float64(m) {
					t.Fatalf("%v: column %d, %v, is no eigenvector", a, k, v)
				}
			}
			if value > last+1e-11*size {
				t.Fatalf("%v: eigenvalue %v after %v", a, value, last)
			}
			last = value
			for l, w := range out[:k+1] {
				dot := 0.0
				for i := range m {
					dot += v[i] * w[i]
				}
				if l == k {
					dot--
				}
				if math.Abs(dot) > 1e-12 {
					t.Fatalf("%v: columns %d and %d are not orthonormal: %v", a, k, l, dot)
				}
			}
		}
		if len(out) != m {
			t.Fatalf("%d of %d components", len(out), m)
		}
	}
}

// Distances as layers count them are rounded up, and −1 where no path is or no layer.
func TestCeiling(t *testing.T) {
	inf := math.Inf(1)
	s := must.For(NewMatrixSpace([][]float64{{0, 1.5, 1.25, inf}, {1.5, 0, 0.25, inf}, {1.25, 0.25, 0, inf}, {inf, inf, inf, 0}}))(t)
	for x, want := range [][]int{{0, 2, 2, -1}, {2, 0, 1, -1}, {2, 1, 0, -1}, {-1, -1, -1, 0}} {
		if got := s.CeilDistances(x); !slices.Equal(got, want) {
			t.Errorf("from %d: %v, want %v", x, got, want)
		}
	}
	for far, want := range map[float64]int{MaxLayer: MaxLayer, MaxLayer - 0.5: MaxLayer, MaxLayer + 0.5: -1} {
		if got := must.For(NewMatrixSpace([][]float64{{0, far}, {far, 0}}))(t).CeilDistances(0)[1]; got != want {
			t.Errorf("%v is %d, want %d", far, got, want)
		}
	}
}
