package continuous_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"

	"github.com/cockroachdb/apd/v3"
)

func plane(t testing.TB, eps evidence.Epsilon, columns ...[2]int64) *continuous.KNorm {
	t.Helper()
	var c []continuous.Point
	for _, v := range columns {
		c = append(c, continuous.Point{big.NewRat(v[0], 1), big.NewRat(v[1], 1)})
	}
	k := must.For(continuous.NewKNormPlane(c, eps))(t)
	return k
}

// On D = ℤ² with F the identity, the K-norm mechanism is not basic, although it is on D = ℝⁿ (Wu et al., Proposition
// 6).
func ExampleKNorm_FindLatticeGap() {
	eps, _ := evidence.NewEpsilon("eps", 1)
	one, zero := big.NewRat(1, 1), new(big.Rat)
	k, _ := continuous.NewKNormPlane([]continuous.Point{{one, zero}, {zero, one}}, eps)
	gap, found, _ := k.FindLatticeGap(context.Background(), 1, 2)
	fmt.Println(found, gap.R, gap.Layer, gap.Norm)
	r := continuous.Point{big.NewRat(9, 10), big.NewRat(9, 10)}
	fmt.Println(r, k.Layer(r))
	// Output:
	// true (-1/2, 1/2) 1 1/1
	// (9/10, 9/10) 1
}

func TestKNormBasic(t *testing.T) {
	for _, k := range []*continuous.KNorm{
		plane(t, evidencetest.Epsilon(1), [2]int64{1, 0}, [2]int64{0, 1}),
		plane(t, evidencetest.Epsilon(1), [2]int64{2, 1}, [2]int64{-1, 3}, [2]int64{1, 1}, [2]int64{0, 2}),
	} {
		if i, ok, err := k.CheckBasic(context.Background(), 12); !ok || err != nil {
			t.Errorf("%s: %d·K + K is not %d·K", k.Name(), i, i+1)
		}
	}
	line := must.For(continuous.NewKNormLine([]*big.Rat{big.NewRat(2, 1), big.NewRat(-5, 2)}, evidencetest.Epsilon(1)))(t)
	if _, ok, err := line.CheckBasic(context.Background(), 12); !ok || err != nil {
		t.Error("an interval is not convex")
	}
	// On ℤ with F = 1 there is no gap: (−1, 1) moved by −1, 0, 1 covers (−2, 2).
	unit := must.For(continuous.NewKNormLine([]*big.Rat{big.NewRat(1, 1)}, evidencetest.Epsilon(1)))(t)
	if gap, found, err := unit.FindLatticeGap(context.Background(), 4, 6); found || err != nil || gap.Cases == 0 {
		t.Errorf("gap %v, %v, %v, want none after some cases", gap, found, err)
	}
}

// Volume and mean norm agree with quadrature and simulation: E‖noise‖ is 3/ε times the mean Euclidean norm of a
// uniform point of K.
func TestKNormDistortion(t *testing.T) {
	const e = 0.8
	for _, k := range []*continuous.KNorm{
		plane(t, evidencetest.Epsilon(e), [2]int64{1, 0}, [2]int64{0, 1}),
		plane(t, evidencetest.Epsilon(e), [2]int64{3, 1}, [2]int64{1, 2}),
	} {
		const n = 1200
		norm := normOf(k)
		sum, inside := 0.0, 0.0
		reach := 4.0
		for a := range n {
			for b := range n {
				x, y := reach*(2*(float64(a)+.5)/n-1), reach*(2*(float64(b)+.5)/n-1)
				if norm(x, y) <= 1 {
					inside++
					sum += math.Hypot(x, y)
				}
			}
		}
		volume, _ := k.Volume().Float64()
		if got := inside * 4 * reach * reach / n / n; math.Abs(got-volume) > 0.01*volume {
			t.Errorf("%s: volume %v by quadrature, want %v", k.Name(), got, volume)
		}
		want := 3 / e * sum / inside
		if got := k.Distortion().Float(); math.Abs(got-want) > 0.005*want {
			t.Errorf("%s: distortion %v, by quadrature %v", k.Name(), got, want)
		}
		draws := must.For(k.Noise(100_000, rand.NewPCG(5, 1)))(t)
		mean, norms := 0.0, 0.0
		for _, r := range draws {
			mean += math.Hypot(r[0], r[1]) / float64(len(draws))
			norms += norm(r[0], r[1]) / float64(len(draws))
		}
		if got := k.Distortion().Float(); math.Abs(mean-got) > 0.015*got { // more than six standard errors
			t.Errorf("%s: mean norm of the draws %v, want %v", k.Name(), mean, got)
		}
		if want := 2 / e; math.Abs(norms-want) > 0.015*want { // ‖noise‖_K is Gamma(2)
			t.Errorf("%s: mean K-norm of the draws %v, want %v", k.Name(), norms, want)
		}
	}
}

// normOf returns the K-norm in float64: the largest of the edges' linear forms, each equal to 1 on its edge.
func normOf(k *continuous.KNorm) func(x, y float64) float64 {
	var forms [][2]float64
	corners := k.Corners()
	for i, p := range corners {
		q := corners[(i+1)%len(corners)]
		px, _ := p[0].Float64()
		py, _ := p[1].Float64()
		qx, _ := q[0].Float64()
		qy, _ := q[1].Float64()
		at := px*qy - py*qx
		forms = append(forms, [2]float64{(qy - py) / at, (px - qx) / at})
	}
	return func(x, y float64) float64 {
		most := 0.0
		for _, f := range forms {
			most = max(most, f[0]*x+f[1]*y)
		}
		return most
	}
}

// Mean norms of skewed and distant polygons agree with 420-digit arithmetic. The reference is the textbook
// antiderivative (x√(x²+h²) + h² asinh(x/h))/2 along each edge, which may cancel.
func TestKNormDistortionAtEveryScale(t *testing.T) {
	d := digits{t, apd.BaseContext.WithPrecision(420)}
	rng := rand.New(rand.NewPCG(6, 6))
	sqrt := func(a *apd.Decimal) *apd.Decimal {
		return d.do(func(o *apd.Decimal) (apd.Condition, error) { return d.Sqrt(o, a) })
	}
	ln := func(a *apd.Decimal) *apd.Decimal {
		return d.do(func(o *apd.Decimal) (apd.Condition, error) { return d.Ln(o, a) })
	}
	for trial := range cases.Of(4, 8) {
		stretch := [2]string{[]string{"1", "1e80", "1e-30", "1"}[trial%4], []string{"1", "1", "1e30", "1e-80"}[trial%4]}
		var columns []continuous.Point
		for range 2 + rng.IntN(3) {
			var p continuous.Point
			for i := range p {
				p[i] = new(big.Rat).Mul(big.NewRat(rng.Int64N(19)-9, 1+rng.Int64N(3)), fractionOf(t, stretch[i]))
			}
			columns = append(columns, p)
		}
		k, err := continuous.NewKNormPlane(columns, evidencetest.Epsilon(0.5))
		if err != nil {
			continue // the columns are on a line
		}
		total := new(apd.Decimal)
		corners := k.Corners()
		for i, p := range corners {
			q := corners[(i+1)%len(corners)]
			px, py, qx, qy := d.rat(p[0]), d.rat(p[1]), d.rat(q[0]), d.rat(q[1])
			dx, dy := d.sub(qx, px), d.sub(qy, py)
			edge := sqrt(d.add(d.mul(dx, dx), d.mul(dy, dy)))
			h := d.quo(d.sub(d.mul(px, qy), d.mul(py, qx)), edge)
			along := func(x, y *apd.Decimal) *apd.Decimal {
				s := d.quo(d.add(d.mul(x, dx), d.mul(y, dy)), edge)
				root := sqrt(d.add(d.mul(s, s), d.mul(h, h)))
				return d.add(d.mul(s, root), d.mul(h, h, ln(d.quo(d.add(s, root), h))))
			}
			total = d.add(total, d.mul(h, d.sub(along(qx, qy), along(px, py))))
		}
		// The wanted distortion is 3/ε · Σ (h/3)·(along/2), divided by the volume.
		d.holds(k.Name(), k.Distortion(), d.quo(total, d.rat(k.Volume())))
	}
	// For a diamond, E|a| ≤ E‖(a, b)‖ ≤ E|a| + E|b|. The means E|a| and E|b| are a third of the half-axes.
	for _, side := range []int64{-300, -80, 80, 300} {
		far := fractionOf(t, fmt.Sprintf("1e%d", side))
		k := must.For(continuous.NewKNormPlane([]continuous.Point{{far, new(big.Rat)}, {new(big.Rat), big.NewRat(1, 1)}}, evidencetest.Epsilon(1)))(t)
		lo, hi := k.Distortion().Bounds()
		want, _ := new(big.Rat).Set(far).Float64()
		if want = max(want, 1); !(lo <= want && hi >= want && hi-lo <= 1e-15*want) {
			t.Errorf("half-axes 1 and 1e%d: [%g, %g], want %g", side, lo, hi, want)
		}
	}
}
