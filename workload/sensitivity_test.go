package workload_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/workload"

	"gonum.org/v1/gonum/mat"
)

var once = workload.Participation{}

func fixed(k, b int) workload.Participation {
	return workload.Participation{Kind: workload.Fixed, Epochs: k, Separation: b}
}

func apart(k, b int) workload.Participation {
	return workload.Participation{Kind: workload.MinSeparation, Epochs: k, Separation: b}
}

// allows reports whether one person may participate in exactly these steps, by definition.
func allows(p workload.Participation, steps []int) bool {
	k, b := p.Epochs, p.Separation
	if p.Kind == workload.Once {
		k, b = 1, 1
	}
	for i := 1; i < len(steps); i++ {
		if d := steps[i] - steps[i-1]; d < b || p.Kind == workload.Fixed && d != b {
			return false
		}
	}
	return len(steps) <= k
}

// bruteForce returns the largest ‖Σ c_i x_iᵀ‖_F over every set of steps that p allows. It finds the x_i by gradient
// steps from random starts. The x_i have as many dimensions as there are steps, so every local maximum is global.
func bruteForce(c *mat.Dense, p workload.Participation, rng *rand.Rand) (worst float64) {
	_, n := c.Dims()
	var x mat.Dense
	x.Mul(c.T(), c)
	for set := 1; set < 1<<n; set++ {
		var steps []int
		for i := range n {
			if set>>i&1 == 1 {
				steps = append(steps, i)
			}
		}
		if !allows(p, steps) {
			continue
		}
		k := len(steps)
		v := mat.NewDense(k, k, nil)
		v.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, v)
		part := mat.NewDense(k, k, nil)
		part.Apply(func(i, j int, _ float64) float64 { return x.At(steps[i], steps[j]) }, part)
		var next mat.Dense
		value := 0.0
		for range 3000 {
			for i := range k {
				r := v.RawRowView(i)
				s := mat.Norm(mat.NewVecDense(k, r), 2)
				for j := range r {
					r[j] /= max(s, 1e-300)
				}
			}
			next.Mul(part, v)
			before := value
			value = 0
			for i := range k {
				value += mat.Dot(next.RowView(i), v.RowView(i))
			}
			if math.Abs(value-before) < 1e-13*value {
				break
			}
			v.Add(&next, mat.NewDense(k, k, nil))
		}
		worst = max(worst, value)
	}
	return math.Sqrt(worst)
}

func TestSensitivityMatchesBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 58))
	for trial := range 60 {
		n := 1 + rng.IntN(8)
		c := mat.NewDense(1+rng.IntN(n+1), n, nil)
		c.Apply(func(i, j int, _ float64) float64 {
			switch trial % 3 {
			case 0:
				return rng.Float64()
			case 1:
				return rng.NormFloat64()
			}
			if i < j || i > j+1 {
				return 0
			}
			return rng.NormFloat64()
		}, c)
		b := 1 + rng.IntN(n)
		k := 1 + rng.IntN((n-1)/b+1)
		for _, p := range []workload.Participation{once, fixed(k, b), apart(k, b)} {
			want := bruteForce(c, p, rng)
			got, sharp, err := workload.Sensitivity(context.Background(), c, p)
			if err != nil {
				t.Fatal(err)
			}
			// The result of brute force is a lower bound that is nearly exact.
			if !(got.Lo <= got.Hi && got.Lo <= want*(1+1e-6) && want <= got.Hi*(1+1e-12)) {
				t.Errorf("trial %d, %v: [%v, %v], want %v", trial, p, got.Lo, got.Hi, want)
			}
			if !sharp {
				t.Errorf("trial %d, %v, %v: [%v, %v] is not sharp", trial, mat.Formatted(c), p, got.Lo, got.Hi)
			}
		}
	}
}

// For three unit columns of C at 120° to each other, contributions that are numbers have sensitivity √4. Contributions
// that are vectors at 60° have √4.5.
func TestVectorContributions(t *testing.T) {
	h := math.Sqrt(3) / 2
	c := mat.NewDense(2, 3, []float64{1, -.5, -.5, 0, h, -h})
	for _, p := range []workload.Participation{fixed(3, 1), apart(3, 1), scalar(fixed(3, 1)), scalar(apart(3, 1))} {
		want := math.Sqrt(4.5)
		if p.Scalar {
			want = 2
		}
		got, sharp, err := workload.Sensitivity(context.Background(), c, p)
		if err != nil || !sharp || math.Abs(got.Hi-want) > 1e-8 {
			t.Errorf("%v: [%v, %v], %v, want %v", p, got.Lo, got.Hi, err, want)
		}
	}
}

// Three unit columns with equal inner products x have the squared sensitivity 3 + 6x for x ≥ 0, and 3 − 3x for x < 0,
// attained by vectors at 120°.
func TestSensitivityOfEqualAngles(t *testing.T) {
	for _, x := range []float64{-.499, -.25, -1e-6, 0, .25, .9} {
		var u mat.Cholesky
		if !u.Factorize(mat.NewSymDense(3, []float64{1, x, x, x, 1, x, x, x, 1})) {
			t.Fatal(x)
		}
		want := math.Sqrt(3 + 3*max(-x, 2*x))
		got, sharp, err := workload.Sensitivity(context.Background(), mat.DenseCopyOf(u.RawU()), fixed(3, 1))
		if err != nil || !sharp || !(got.Hi >= want*(1-1e-15) && got.Hi < want*(1+1e-9) && got.Lo <= want*(1+1e-15)) {
			t.Errorf("%v: [%v, %v], %v, want %v", x, got.Lo, got.Hi, err, want)
		}
	}
}

func scalar(p workload.Participation) workload.Participation {
	p.Scalar = true
	return p
}

// For numbers of at most 1, the sensitivity is attained at signs. All signs are tried for every set of steps.
func TestScalarSensitivityMatchesSigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 58))
	for trial := range 20 {
		n := 1 + rng.IntN(12)
		c := mat.NewDense(1+rng.IntN(n), n, nil)
		c.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, c)
		b := 1 + rng.IntN(n)
		k := 1 + rng.IntN((n-1)/b+1)
		for _, p := range []workload.Participation{once, fixed(k, b), apart(k, b)} {
			want := 0.0
			for set := range 1 << n {
				var steps []int
				for i := range n {
					if set>>i&1 == 1 {
						steps = append(steps, i)
					}
				}
				for signs := 0; allows(p, steps) && signs < 1<<len(steps); signs += 2 {
					sum := mat.NewVecDense(c.RawMatrix().Rows, nil)
					for i, s := range steps {
						sum.AddScaledVec(sum, float64(1-2*(signs>>i&1)), c.ColView(s))
					}
					want = max(want, mat.Norm(sum, 2))
				}
			}
			got, sharp, err := workload.Sensitivity(context.Background(), c, scalar(p))
			if err != nil || !sharp || !(got.Lo <= want*(1+1e-12) && want <= got.Hi*(1+1e-12)) {
				t.Errorf("trial %d, %v: [%v, %v], sharp %v, %v, want %v", trial, p, got.Lo, got.Hi, sharp, err, want)
			}
		}
	}
	// For a pattern that is too long to try all signs, the sensitivity is enclosed in an interval below that of
	// vectors.
	c := mat.NewDense(60, 80, nil)
	c.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, c)
	got, sharp, err := workload.Sensitivity(context.Background(), c, scalar(fixed(80, 1)))
	vectors, _, _ := workload.Sensitivity(context.Background(), c, fixed(80, 1))
	if err != nil || sharp || !(0 < got.Lo && got.Lo < got.Hi && got.Hi <= vectors.Hi) {
		t.Errorf("80 steps: [%v, %v], sharp %v, %v; vectors %v", got.Lo, got.Hi, sharp, err, vectors.Hi)
	}
}

// If there are too many patterns to list, dynamic programming is exact for banded matrices. For the square root of
// prefix sums, the worst pattern is 0, b, 2b, … (Kalinin and Lampert, arXiv:2405.13763).
func TestManyPatterns(t *testing.T) {
	const n, b, k = 200, 8, 12
	root := mat.NewDense(n, n, nil)
	banded := mat.NewDense(n, n, nil)
	for j := range n {
		v := 1.0
		for i := j; i < n; i++ {
			root.Set(i, j, v)
			if i < j+b {
				banded.Set(i, j, v)
			}
			v *= 1 - .5/float64(i-j+1)
		}
	}
	for _, c := range []*mat.Dense{root, banded} {
		sum := mat.NewVecDense(n, nil)
		for i := range k {
			sum.AddVec(sum, c.ColView(i*b))
		}
		got, sharp, err := workload.Sensitivity(context.Background(), c, apart(k, b))
		if want := mat.Norm(sum, 2); err != nil || !sharp || math.Abs(got.Hi-want) > 1e-9*want {
			t.Errorf("[%v, %v], sharp %v, %v, want %v", got.Lo, got.Hi, sharp, err, want)
		}
	}
	// With entries of both signs, the ends differ.
	rng := rand.New(rand.NewPCG(4, 58))
	root.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, root)
	got, sharp, err := workload.Sensitivity(context.Background(), root, apart(k, b))
	if err != nil || sharp || !(0 < got.Lo && got.Lo < got.Hi) {
		t.Errorf("random: [%v, %v], sharp %v, %v", got.Lo, got.Hi, sharp, err)
	}
}
