package records_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/records"
)

// A law that is known already still draws nothing for a context that has ended.
func TestKnownLawsDrawNothingLate(t *testing.T) {
	one := must.For(evidence.NewEpsilon("eps", 1))(t)
	_, grid := scattered(t, quarters[0], rat(1, 4), records.Replace)
	_, open := scattered(t, quarters[0], nil, records.Replace)
	late, end := context.WithCancel(ctx)
	end()
	for name, of := range mechanisms {
		for _, q := range []*records.Query{must.For(grid.Median())(t), must.For(open.Median())(t)} {
			m := must.For(of(q, one))(t)
			must.For(m.Distortion(ctx))(t)
			if out, err := m.Simulate(late, 1, rand.NewPCG(1, 2)); out != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s of %s simulates %v, error %v", name, q.Name(), out, err)
			}
			if out, step, err := m.(records.Releaser).Release(late, 1, rand.NewPCG(1, 2)); out != nil || step != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s of %s releases %v on %v, error %v", name, q.Name(), out, step, err)
			}
		}
	}
	for name, of := range modal {
		m := must.For(of(modeOf(t, []int{3, 1, 2}, records.Replace), one))(t)
		if out, _, err := m.(records.Releaser).Release(late, 1, rand.NewPCG(1, 2)); len(out) > 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%s releases %v, error %v", name, out, err)
		}
	}
}

// Many draws look at their context now and then, not at each.
func TestManyDrawsLookNowAndThen(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	_, r := scattered(t, quarters[0], rat(1, 4), records.Replace)
	for name, of := range mechanisms {
		m := must.For(of(must.For(r.Median())(t), eps))(t)
		must.For(m.Distortion(ctx))(t)
		if !strings.Contains(name, "smooth") { // which draws exactly
			whole := looks.After(ctx, math.MaxInt)
			if out, err := m.Simulate(whole, 9000, rand.NewPCG(1, 2)); len(out) != 9000 || err != nil || whole.Looks() < 2 || whole.Looks() > 200 {
				t.Errorf("%s simulates with %d looks, error %v", name, whole.Looks(), err)
			}
		}
		whole := looks.After(ctx, math.MaxInt)
		if out, _, err := m.(records.Releaser).Release(whole, 1100, rand.NewPCG(1, 2)); len(out) != 1100 || err != nil || whole.Looks() < 2 || whole.Looks() > 40 {
			t.Errorf("%s releases with %d looks, error %v", name, whole.Looks(), err)
		}
	}
}

// The error against a number many corners of a staircase away stops as the error itself does.
func TestFarOffsetsStop(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 0.2))(t)
	r := must.For(records.New([]float64{0.5}, records.Options{Lo: rat(0, 1), Hi: rat(1000, 1), Grid: rat(1, 2), Neighbors: records.AddRemove}))(t)
	stair := must.For(records.NewStaircase(must.For(r.Total())(t), eps, nil))(t)
	looks.Each(t, 2, func(ctx context.Context) error { // at the corners of the error itself, and up to the number
		n, err := records.DistortionFrom(ctx, stair, rat(500_000, 1))
		if (n == nil) != (err != nil) {
			t.Errorf("%v beside the error %v", n, err)
		}
		return err
	})
}

// Who looks for a quantile asks the law no more once its context has ended.
func TestQuantilesAskNothingLate(t *testing.T) {
	own := must.For(records.NewOwn(records.Own{Value: func(records.Dataset) (*big.Rat, error) { return rat(3, 2), nil },
		Up: func(records.Dataset, int) (*big.Rat, error) { return rat(1, 1), nil }, Down: func(records.Dataset, int) (*big.Rat, error) { return rat(1, 1), nil }}))(t)
	for name, g := range map[string]records.Range{"a line": {}, "an interval": {Lo: rat(-7, 1), Hi: rat(2, 1)}, "a lattice": {Step: rat(1, 4)}} {
		asked := 0
		m := open{q: must.For(own.OnRecords(small(records.Replace), g))(t), within: func(e *big.Rat) interval.Interval {
			asked++
			return interval.Rat(new(big.Rat).Quo(e, new(big.Rat).Add(e, rat(1, 1))))
		}}
		whole := looks.After(t.Context(), math.MaxInt)
		if v, err := records.ErrorQuantile(whole, m, rat(2, 3)); v == nil || err != nil || asked != whole.Looks() || asked < 5 {
			t.Errorf("%s: %v, error %v, asking %d times in %d looks", name, v, err, asked, whole.Looks())
		}
		for n := 0; n < whole.Looks(); n += 1 + n/4 {
			asked = 0
			if v, err := records.ErrorQuantile(looks.After(t.Context(), n), m, rat(2, 3)); v != nil || !errors.Is(err, context.Canceled) || asked != n {
				t.Errorf("%s: %v after %d looks, error %v, asking %d times", name, v, n, err, asked)
			}
		}
	}
}

// A verification asks one's own functions, and makes mechanisms, for at most 64 datasets more once its context has ended.
func TestVerificationsStopAtOnce(t *testing.T) {
	options := records.VerifyOptions{Records: 4, Values: []float64{0, 1, 2, 3, 4}} // 70 datasets
	c, end := context.WithCancel(t.Context())
	made := 0
	v, err := records.Verify(c, must.For(small(records.Replace).Median())(t), func(q *records.Query) (records.Law, error) {
		made++
		end()
		return purest(q)
	}, options)
	if v != nil || !errors.Is(err, context.Canceled) || made > 64 {
		t.Errorf("%v after %d mechanisms, error %v", v, made, err)
	}
	c, end = context.WithCancel(t.Context())
	asked := 0
	own := must.For(records.NewOwn(records.Own{
		Value: func(x records.Dataset) (*big.Rat, error) {
			asked++
			end()
			return new(big.Rat).SetFloat64(x.Records[0]), nil
		},
		Distance: func(records.Dataset, *big.Rat) (int, error) { return 1, nil },
	}))(t)
	if v, err := records.Verify(c, own.Bare(records.Replace), purest, options); v != nil || !errors.Is(err, context.Canceled) || asked > 64 {
		t.Errorf("%v after %d values, error %v", v, asked, err)
	}
}

// told is a law whose chances between two numbers are told by a function.
type told struct {
	records.Law
	between func(m records.Law, lo, hi *big.Rat) (interval.Interval, error)
}

func (m told) Between(_ context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	return m.between(m.Law, lo, hi)
}

// A verification of laws that one writes oneself cuts their cells as it does those of its own, on a lattice and between the values of a
// line; and returns their errors, and one where a chance is not told from 0.
func TestVerificationsOfToldLaws(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	gone := errors.New("gone")
	edges := must.For(triangle(records.Node).Edges())(t)
	extension := must.For(records.Extend(ctx, edges, 2, nil))(t)
	if extension.Range().Step != nil {
		t.Fatal("the extension has a lattice")
	}
	for _, q := range []*records.Query{edges, extension} {
		verify := func(between func(m records.Law, lo, hi *big.Rat) (interval.Interval, error)) (*records.Verification, error) {
			return records.Verify(ctx, q, func(q *records.Query) (records.Law, error) {
				m, err := records.NewLaplace(q, eps)
				if between == nil || err != nil {
					return m, err
				}
				return told{m, between}, nil
			}, records.VerifyOptions{Nodes: 3})
		}
		want := must.For(verify(nil))(t)
		have := must.For(verify(func(m records.Law, lo, hi *big.Rat) (interval.Interval, error) { return m.Between(ctx, lo, hi) }))(t)
		a, b := want.Smallest.Bounds()
		if lo, hi := have.Smallest.Bounds(); lo > b || hi < a || have.Keeps != evidence.Confirmed {
			t.Errorf("%s: %v, want %v", q.Name(), have.Smallest, want.Smallest)
		}
		v, err := verify(func(records.Law, *big.Rat, *big.Rat) (interval.Interval, error) { return interval.Int(1), gone })
		if v != nil || err != gone {
			t.Errorf("%s: %v, error %v", q.Name(), v, err)
		}
		v, err = verify(func(records.Law, *big.Rat, *big.Rat) (interval.Interval, error) {
			return interval.Hull(interval.Int(0), interval.Rat(rat(1, 2))), nil
		})
		if v != nil || !isParameter(err, "which contains 0") {
			t.Errorf("%s: %v, error %v", q.Name(), v, err)
		}
	}
	mode := modeOf(t, []int{1, 2}, records.Replace)
	m := must.For(purest(mode))(t)
	n, err := records.DistortionFrom(ctx, m, rat(0, 1))
	if refused(t, err, m.Name()+" does not know its error against another number than its query's value"); n != nil {
		t.Errorf("%v beside an error", n)
	}
}
