package matrices

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"

	"gonum.org/v1/gonum/mat"
)

// zeros is a source of nothing but zeros, with which every uniform number is 0.
type zeros struct{}

func (zeros) Uint64() uint64 { return 0 }

// digits writes the entries of a matrix with nine digits, row by row.
func digits(a mat.Matrix) string {
	var out []string
	m, n := a.Dims()
	for i := range m {
		for k := range n {
			out = append(out, fmt.Sprintf("%.9g", a.At(i, k)))
		}
	}
	return fmt.Sprint(out)
}

// The noise on the diagonal and above is the source's normal numbers in turn, mirrored below.
func TestSymmetricNoiseInOrder(t *testing.T) {
	const d, sigma = 4, 0.75
	x := mat.NewDense(d, d, nil)
	for i := range d {
		for k := range d {
			x.Set(i, k, float64(i+k))
		}
	}
	s := must.For(UpperSensitivity(d, 1, nil, false, 1))(t)
	got := must.For(must.For(NewSymmetricGauss(d, s, sigma))(t).Simulate(x, rand.NewPCG(3, 9)))(t)
	normal := rand.New(rand.NewPCG(3, 9))
	for i := range d {
		for k := i; k < d; k++ {
			if want := x.At(i, k) + sigma*normal.NormFloat64(); got.At(i, k) != want || got.At(k, i) != want {
				t.Errorf("(%d, %d) is %v and %v, want %v", i, k, got.At(i, k), got.At(k, i), want)
			}
		}
	}
}

// Of orthogonal records the mixed ones are the source's normal numbers in turn, times each row's length, over √r: the longest
// row first; and their Gram matrix is less by what the spectrum was raised.
func TestMixedRecordsInOrder(t *testing.T) {
	x := mat.NewDense(3, 3, []float64{0, 3, 0, 0, 0, -5, 4, 0, 0})
	order := []int{1, 2, 0} // lengths 5, 4, 3
	for _, form := range []Form{Raised, Threshold} {
		j := JL{Form: form, Rows: 6, Width: 2, Move: 1}
		got := must.For(j.Simulate(x, rand.NewPCG(8, 8)))(t)
		want := mat.NewDense(3, 6, nil)
		normal := rand.New(rand.NewPCG(8, 8))
		for _, i := range order {
			square := []float64{9, 25, 16}[i]
			if form == Raised {
				square += 4
			}
			for k := range 6 {
				want.Set(i, k, normal.NormFloat64()*math.Sqrt(square/6))
			}
		}
		for i := range 3 {
			sign := 1.0
			if got.At(i, 0)*want.At(i, 0) < 0 { // of an eigenvector
				sign = -1
			}
			for k := range 6 {
				if math.Abs(got.At(i, k)-sign*want.At(i, k)) > 1e-13 {
					t.Errorf("%s: (%d, %d) is %v, want ±%v", form, i, k, got.At(i, k), want.At(i, k))
				}
			}
		}
		estimate := must.For(j.SimulateGram(x, rand.NewPCG(8, 8)))(t)
		for i := range 3 {
			for k := range 3 {
				sum := 0.0
				for l := range 6 {
					sum += got.At(i, l) * got.At(k, l)
				}
				if i == k && form == Raised {
					sum -= 4
				}
				if math.Abs(estimate.At(i, k)-sum) > 1e-12 {
					t.Errorf("%s: estimate (%d, %d) is %v, want %v", form, i, k, estimate.At(i, k), sum)
				}
			}
		}
	}
	thin := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}) // fewer records than dimensions: what is left of the spectrum is w²
	_, values, err := JL{Form: Raised, Rows: 1, Width: 0x1p-40, Move: 1}.spectrum(thin)
	if err != nil || values[2] != 0x1p-40 || values[1] < 0.5 {
		t.Errorf("values %v, %v; want the last one 2⁻⁴⁰", values, err)
	}
}

// A seed's draws stay what they are, each sampler's to nine digits.
func TestDrawsOfASeed(t *testing.T) {
	l := must.For(NewLaplace(box(t, 2, 1, 2), 3))(t)
	x := mat.NewDense(2, 2, []float64{0.5, -1, 2, 0.25})
	var vectors *mat.Dense
	vectors, proposals, err := bingham(t, 3, 0, -6).Simulate(4, rand.NewPCG(5, 1))
	if err != nil {
		t.Fatal(err)
	}
	p := must.For(NewPPCA(epsilon(t, 6), 3, false))(t)
	principal := must.For(p.Simulate(x, rand.NewPCG(5, 2)))(t)
	half := []float64{1, 2}
	max := must.For(NewNet(half, 2, 9, Max, epsilon(t, 20)))(t)
	sum := must.For(NewNet(half, 2, 9, Sum, epsilon(t, 20)))(t)
	for _, c := range [][3]string{
		{"Laplace", digits(must.For(l.Simulate(x, rand.NewPCG(5, 3)))(t)), "[0.329306247 -3.54758088 1.95229977 -3.31595273]"},
		{"Bingham", fmt.Sprint(digits(vectors), proposals), "[0.993721023 0.987449625 0.721430922 0.98688633 0.0311974437 -0.142422849 0.582036919 -0.148659141 -0.10744882 0.0682566479 -0.375193883 0.0628953999]7"},
		{"PPCA", digits(mat.NewVecDense(2, principal)), "[0.6243786 0.781121863]"},
		{"a net by its worst entry", digits(must.For(max.Simulate(x, rand.NewPCG(5, 4)))(t)), "[1 0.5 0.5 2]"},
		{"a net by its entries", digits(must.For(sum.Simulate(x, rand.NewPCG(5, 5)))(t)), "[0.25 -0.5 2 0.5]"},
	} {
		if c[1] != c[2] {
			t.Errorf("%s draws %s, want %s", c[0], c[1], c[2])
		}
	}
}

// However large the rate, the nearest matrix of the net comes out, and never one that has no weight left.
func TestNetAtLargeRates(t *testing.T) {
	for _, q := range []Quality{Max, Sum} {
		for _, eta := range []float64{1e6, 1e9} {
			n := must.For(NewNet([]float64{1, 2}, 2, 3, q, epsilon(t, eta)))(t)
			for what, c := range map[string][2][]float64{
				"on it":     {{0, 1, -2, 2}, {0, 1, -2, 2}},
				"beside it": {{-0.4, 0.6, -1.2, 0.9}, {0, 1, -2, 0}},
				"at an end": {{1, 1, 2, 2}, {1, 1, 2, 2}},
			} {
				if q == Max && what == "beside it" {
					continue // of others than the worst entry more than one value is as good
				}
				for _, src := range []rand.Source{zeros{}, rand.NewPCG(1, 2), rand.NewPCG(3, 4)} {
					if got := must.For(n.Simulate(mat.NewDense(2, 2, c[0]), src))(t); !mat.Equal(got, mat.NewDense(2, 2, c[1])) {
						t.Errorf("%s, η = %v, %s: %v, want %v", q, eta, what, got.RawMatrix().Data, c[1])
					}
				}
			}
		}
	}
}

// Values of a net by its worst entry are even among those in reach: rows 1 and 2 have other values than entries, and
// every one of them is drawn as often as enumeration has it. Pearson's χ², false-positive rate 1e-9.
func TestNetOfOneRowOfThree(t *testing.T) {
	const draws = 6000
	for _, q := range []Quality{Max, Sum} {
		n := must.For(NewNet([]float64{1.5}, 3, 4, q, epsilon(t, 9)))(t)
		data := []float64{-1.5, 0.25, 1.1}
		rate := 9 / (2 * 2 * 1.5)
		weights, total := make([]float64, 64), 0.0
		for code := range weights {
			worst, all := 0.0, 0.0
			for e, at := range []int{code / 16, code / 4 % 4, code % 4} {
				d := math.Abs(float64(at) - 1.5 - data[e])
				worst, all = math.Max(worst, d), all+d
			}
			if q == Sum {
				worst = all
			}
			weights[code] = math.Exp(-rate * worst)
			total += weights[code]
		}
		counts, chances := []int{0}, []float64{0} // rare ones together
		at := make([]int, len(weights))
		for code, w := range weights {
			if w/total*draws < 10 {
				chances[0] += w / total
				continue
			}
			at[code] = len(chances)
			chances, counts = append(chances, w/total), append(counts, 0)
		}
		src := rand.NewPCG(6, 6)
		for range draws {
			y := must.For(n.Simulate(mat.NewDense(1, 3, data), src))(t)
			code := 0
			for k := range 3 {
				code = 4*code + int(math.Round(y.At(0, k)+1.5))
			}
			counts[at[code]]++
		}
		if _, _, tail := stattest.ChiSquare(counts, chances); tail < 0.5e-9 {
			t.Errorf("%s: counts %v for %v have tail %g", q, counts, chances, tail)
		}
	}
}
