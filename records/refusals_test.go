package records_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
	"dpworkbench/smooth"
)

// refused fails unless an error is of a parameter and says just this.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func errorOf[T any](_ T, err error) error { return err }

// shares are the mechanisms that have an ε, and those of layers.
var mechanisms = map[string]func(q *records.Query, eps evidence.Epsilon) (records.Law, error){
	"purest": records.NewPurest,
	"delta": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewDeltaNeighborhood(q, eps, rat(1, 2))
	},
	"ladder":  records.NewLadder,
	"laplace": records.NewLaplace,
	"staircase": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewStaircase(q, eps, rat(1, 3))
	},
	"best": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewStaircase(q, eps, nil)
	},
	"exponential": records.NewExponential,
	"line": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		m, err := records.NewLaplace(q, eps)
		if err != nil {
			return nil, err
		}
		return m.(*records.Added).OnLine(), nil
	},
	"smooth": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewSmooth(ctx, q, must.Be(smooth.Calibrate(must.Be(smooth.Student(rat(3, 1))), eps, evidence.Delta{}, nil)))
	},
	"smooth on the line": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		m, err := records.NewSmooth(ctx, q, must.Be(smooth.Calibrate(must.Be(smooth.Student(rat(3, 1))), eps, evidence.Delta{}, nil)))
		if err != nil {
			return nil, err
		}
		return m.OnLine(), nil
	},
}

var modal = map[string]func(q *records.Query, eps evidence.Epsilon) (records.Law, error){
	"purest":           records.NewPurest,
	"exponential":      records.NewExponential,
	"permute_and_flip": records.NewPermuteAndFlip,
	"laplace": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewNoisyMax(q, eps, "laplace")
	},
	"flips": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewNoisyMax(q, eps, "exponential")
	},
	"gumbel": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewNoisyMax(q, eps, "gumbel")
	},
}

// ownTotal is the sum by functions of its own, under replacement, without a sensitivity.
func ownTotal(t *testing.T, rng records.Range) *records.Query {
	o := must.For(records.NewOwn(records.Own{
		Value: func(x records.Dataset) (*big.Rat, error) {
			sum := new(big.Rat)
			for _, v := range x.Records {
				sum.Add(sum, new(big.Rat).SetFloat64(v))
			}
			return sum, nil
		},
		Up:   func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(4*t), 1), nil },
		Down: func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(4*t), 1), nil },
	}))(t)
	return must.For(o.OnRecords(small(records.Replace), rng))(t)
}

func TestRefusedMechanisms(t *testing.T) {
	none := evidence.Epsilon{}
	one := must.For(evidence.NewEpsilon("eps", 1))(t)
	median := must.For(small(records.Replace).Median())(t)
	mode := modeOf(t, []int{1, 2}, records.Replace)
	own := ownTotal(t, records.Range{Lo: rat(0, 1), Hi: rat(12, 1)})
	pair := must.For(must.For(records.NewGraph(2, nil, records.Edge))(t).Triangles(ctx))(t)
	bare := must.For(records.NewOwn(records.Own{Value: func(records.Dataset) (*big.Rat, error) { return rat(0, 1), nil }, Distance: func(records.Dataset, *big.Rat) (int, error) { return 0, nil }}))(t).Bare(records.Replace)
	for name, of := range mechanisms {
		parameter := "eps"
		if name == "purest" || name == "delta" {
			parameter = "decay"
		}
		if name != "smooth" && name != "smooth on the line" { // whose calibration has none
			refused(t, errorOf(of(median, none)), parameter+" = 0, want a positive finite number")
		}
	}
	for name, of := range modal {
		parameter := "eps"
		if name == "purest" {
			parameter = "decay"
		}
		refused(t, errorOf(of(mode, none)), parameter+" = 0, want a positive finite number")
		if name != "purest" && name != "exponential" {
			what := name
			switch name {
			case "laplace":
				what = "noisy_max"
			case "flips":
				what = "noisy_max, exponential"
			case "gumbel":
				what = "noisy_max, gumbel"
			}
			refused(t, errorOf(of(median, one)), "median of 3 records in [0, 4], grid 1 is no mode, and "+what+" wants one")
			refused(t, errorOf(of(own, one)), "own query of 3 records in [0, 4], grid 1 is no mode, and "+what+" wants one")
		}
	}
	for _, name := range []string{"laplace", "staircase", "exponential"} {
		refused(t, errorOf(mechanisms[name](own, one)), "own query of 3 records in [0, 4], grid 1 has no finite global sensitivity, which "+name+" wants")
	}
	for _, name := range []string{"laplace", "staircase", "line"} {
		refused(t, errorOf(mechanisms[name](mode, one)), "mode of 3 records of 2 categories has categories as values, to which no noise is added")
	}
	refused(t, errorOf(records.NewLadder(own, one)), "own query of 3 records in [0, 4], grid 1 has no local sensitivity that is known at a distance, which ladder sums")
	refused(t, errorOf(records.NewLadder(mode, one)), "mode of 3 records of 2 categories has no local sensitivity that is known at a distance, which ladder sums")
	for _, q := range []*records.Query{own, mode} {
		refused(t, errorOf(mechanisms["smooth"](q, one)), q.Name()+" has no local sensitivity that is known at a distance, which smooth_sensitivity weighs")
	}
	refused(t, errorOf(records.NewPurest(bare, one)), "own query is at no dataset, and has no layers but in verify")
	refused(t, errorOf(bare.Layer(rat(0, 1))), "own query is at no dataset, and has no layers but in verify")
	refused(t, errorOf(records.NewExponential(pair, one)), "triangles of a graph of 2 nodes and 0 edges never changes, and exponential weighs errors by how much it may")
	refused(t, errorOf(records.NewNoisyMax(mode, one, "t")), `noise = "t", want "laplace", "exponential" or "gumbel"`)
	for _, gamma := range []*big.Rat{rat(0, 1), rat(-1, 2), rat(1, 1), rat(3, 2)} {
		refused(t, errorOf(records.NewStaircase(median, one, gamma)), "gamma = "+gamma.RatString()+", want a number between 0 and 1")
	}
	refused(t, errorOf(records.NewDeltaNeighborhood(median, one, rat(-1, 9))), "radius = -1/9, want at least 0")
	refused(t, errorOf(records.NewDeltaNeighborhood(mode, one, nil)), "radius = inf, want 0 for mode of 3 records of 2 categories, whose layers are no intervals")
	refused(t, errorOf(records.NewDeltaNeighborhood(mode, one, rat(1, 1))), "radius = 1, want 0 for mode of 3 records of 2 categories, whose layers are no intervals")
	if m, err := records.NewDeltaNeighborhood(mode, one, rat(0, 1)); err != nil || m.Name() != "purest(decay=1)" {
		t.Errorf("a radius of 0: %v, %v", m, err)
	}
	wide := func(n int) *records.Query {
		names := make([]string, n)
		for i := range names {
			names[i] = rat(int64(i), 1).RatString()
		}
		return must.For(must.For(records.NewCategories(names[:1], names, records.Replace))(t).Mode())(t)
	}
	if _, err := records.NewNoisyMax(wide(128), one, "laplace"); err != nil {
		t.Error(err)
	}
	refused(t, errorOf(records.NewNoisyMax(wide(129), one, "laplace")), `129 categories, want at most 128 for noisy_max with noise "laplace"`)
	refused(t, errorOf(records.NewPermuteAndFlip(wide(2049), one)), "2049 categories, want at most 2048 for permute_and_flip")
	refused(t, errorOf(records.NewNoisyMax(wide(2049), one, "exponential")), "2049 categories, want at most 2048 for noisy_max, exponential")
	// A law without a sampler, one that is not made again, and those that have nothing to hide.
	plain := must.For(records.NewAdded(median, "noise", must.For(records.NewLaplace(median, one))(t).(*records.Added).Scale(), nil, nil, nil))(t)
	refused(t, errorOf(plain.Remake(median)), "noise cannot be made again at another dataset")
	_, _, err := plain.Release(ctx, 1, nil)
	refused(t, err, "noise has no exact sampler")
	refused(t, errorOf(must.For(records.NewLaplace(median, one))(t).(*records.Added).OnLine().Remake(mode)), "mode of 3 records of 2 categories has categories as values, to which no noise is added")
	refused(t, errorOf(must.For(mechanisms["smooth"](median, one))(t).Remake(mode)), "mode of 3 records of 2 categories has no local sensitivity that is known at a distance, which smooth_sensitivity weighs")
}

// Without anything to hide, the answer is the answer.
func TestSilence(t *testing.T) {
	pair := must.For(must.For(records.NewGraph(2, nil, records.Edge))(t).Triangles(ctx))(t)
	one := must.For(evidence.NewEpsilon("eps", 1))(t)
	for _, of := range []string{"laplace", "staircase", "line", "smooth", "smooth on the line"} {
		m := must.For(mechanisms[of](pair, one))(t)
		sure := &reference{atoms: []atom{{rat(0, 1), fresh().SetInt64(1)}}}
		for _, c := range []*big.Rat{rat(-1, 2), rat(0, 1), rat(3, 2)} {
			n := must.For(records.DistortionFrom(ctx, m, c))(t)
			tells(t, of, n, sure.off(c), 0)
			for _, d := range []*big.Rat{rat(-1, 2), rat(0, 1), rat(3, 2)} {
				if c.Cmp(d) <= 0 {
					encloses(t, of, must.For(m.Between(ctx, c, d))(t), sure.between(c, d), 300)
				}
			}
			encloses(t, of, must.For(m.Within(ctx, c))(t), sure.between(new(big.Rat).Neg(c), c), 300)
		}
		if n, ok := must.For(m.Distortion(ctx))(t).(evidence.Exact); !ok || n.Value.Sign() != 0 {
			t.Errorf("%s: an error of %v", of, n)
		}
		for _, v := range must.For(m.Simulate(ctx, 3, rand.NewPCG(1, 1)))(t) {
			if v != 0 {
				t.Errorf("%s: draws %g", of, v)
			}
		}
	}
}
