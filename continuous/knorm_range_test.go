package continuous_test

import (
	"context"
	"dpworkbench/internal/must"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"

	"github.com/cockroachdb/apd/v3"
)

// Mean norms of skewed and far-flung polygons in 420 digits, where the textbook
// antiderivative (x√(x²+h²) + h² asinh(x/h))/2 along each edge may cancel.
func TestKNormDistortionAtEveryScale(t *testing.T) {
	d := digits{t, apd.BaseContext.WithPrecision(420)}
	rng := rand.New(rand.NewPCG(6, 6))
	sqrt := func(a *apd.Decimal) *apd.Decimal {
		return d.do(func(o *apd.Decimal) (apd.Condition, error) { return d.Sqrt(o, a) })
	}
	ln := func(a *apd.Decimal) *apd.Decimal {
		return d.do(func(o *apd.Decimal) (apd.Condition, error) { return d.Ln(o, a) })
	}
	for trial := range 8 {
		stretch := [2]string{[]string{"1", "1e80", "1e-30", "1"}[trial%4], []string{"1", "1", "1e30", "1e-80"}[trial%4]}
		var columns []continuous.Point
		for range 2 + rng.IntN(3) {
			var p continuous.Point
			for i := range p {
				p[i] = new(big.Rat).Mul(big.NewRat(rng.Int64N(19)-9, 1+rng.Int64N(3)), fractionOf(t, stretch[i]))
			}
			columns = append(columns, p)
		}
		k, err := continuous.NewKNormPlane(columns, epsilonOf(t, 0.5))
		if err != nil {
			continue // on a line
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
		// 3/ε over the volume times Σ h/3 · half of along.
		d.holds(k.Name(), k.Distortion(), d.quo(total, d.rat(k.Volume())))
	}
	// E|a| ≤ E‖(a, b)‖ ≤ E|a| + E|b|, a third of each half-axis of a diamond.
	for _, side := range []int64{-300, -80, 80, 300} {
		far := fractionOf(t, fmt.Sprintf("1e%d", side))
		k := must.For(continuous.NewKNormPlane([]continuous.Point{{far, new(big.Rat)}, {new(big.Rat), big.NewRat(1, 1)}}, epsilonOf(t, 1)))(t)
		lo, hi := k.Distortion().Bounds()
		want, _ := new(big.Rat).Set(far).Float64()
		if want = max(want, 1); !(lo <= want && hi >= want && hi-lo <= 1e-15*want) {
			t.Errorf("half-axes 1 and 1e%d: [%g, %g], want %g", side, lo, hi, want)
		}
	}
}

// Layers and densities at norms that are whole numbers, beside them, and beyond int64.
func TestKNormFarOut(t *testing.T) {
	k := plane(t, epsilonOf(t, 1), [2]int64{3, 1}, [2]int64{-1, 2})
	corner := k.Corners()[1]
	for _, norm := range []string{"0", "1", "7", "9223372036854775807", "9223372036854775808", "1e40"} {
		n := fractionOf(t, norm)
		for _, off := range []string{"0", "1e-40", "-1e-40"} {
			at := new(big.Rat).Add(n, fractionOf(t, off))
			if at.Sign() < 0 {
				continue
			}
			want := new(big.Int).Set(n.Num())
			if at.Cmp(n) < 0 {
				want.Sub(want, big.NewInt(1))
			}
			r := continuous.Point{new(big.Rat).Mul(corner[0], at), new(big.Rat).Mul(corner[1], at)}
			if got := k.Layer(r); got.Cmp(want) != 0 {
				t.Errorf("norm %v: layer %v, want %v", at, got, want)
			}
			lo, hi := k.Density(r).Bounds()
			if v, _ := at.Float64(); v > 800 {
				if lo != 0 || hi != math.SmallestNonzeroFloat64 {
					t.Errorf("norm %v: density in [%g, %g], want a positive number below float64", at, lo, hi)
				}
			} else if want := math.Exp(-v) / 28; math.Abs(lo-want) > 1e-14*want || hi < lo { // ε²/(2 vol K), vol K = 14
				t.Errorf("norm %v: density in [%g, %g], want %g", at, lo, hi, want)
			}
		}
	}
}

func TestKNormSearchesEnd(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	k := plane(t, epsilonOf(t, 1), [2]int64{1, 0}, [2]int64{0, 1})
	if _, _, err := k.CheckBasic(ended, 9); !errors.Is(err, context.Canceled) {
		t.Errorf("CheckBasic: %v, want Canceled", err)
	}
	if _, _, err := k.FindLatticeGap(ended, 1, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("FindLatticeGap: %v, want Canceled", err)
	}
	far := must.For(continuous.NewKNormPlane([]continuous.Point{{fractionOf(t, "1e80"), new(big.Rat)}, {new(big.Rat), big.NewRat(1, 1)}}, epsilonOf(t, 1)))(t)
	if _, _, err := far.FindLatticeGap(context.Background(), 1, 2); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("K of 1e80 steps: %v, want ErrParameter", err)
	}
	draws := must.For(far.Noise(100, rand.NewPCG(1, 1)))(t)
	for _, v := range draws {
		if math.IsNaN(v[0]) || math.IsInf(v[0], 0) || math.Abs(v[1]) > 100 || v[0] == 0 {
			t.Errorf("draw %v", v)
		}
	}
}
