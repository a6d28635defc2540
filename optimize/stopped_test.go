package optimize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/optimize/lp"
)

// What an error of the solver is to whoever asked for a mechanism: a fault of the program is one of
// the parameters, and so is an ε that it cannot tell; what ends early says between which ends
// the optimum is, where there is a mechanism, and else why it ended.
func TestErrorsOfTheSolver(t *testing.T) {
	m := &Optimal{optimum: evidence.Certified{Lo: 1.5, Hi: 2.5}, steps: 7}
	program, precision := fmt.Errorf("%w: of no use", lp.ErrProgram), fmt.Errorf("%w: too coarse", lp.ErrPrecision)
	for _, c := range []struct {
		err  error
		m    *Optimal
		is   []error
		text []string
	}{
		{program, nil, []error{lp.ErrProgram, evidence.ErrParameter}, []string{"of no use"}},
		{precision, nil, []error{ErrPrecision, evidence.ErrParameter}, []string{"eps = 3", "too coarse"}},
		{precision, m, []error{ErrPrecision}, []string{"eps = 3", "[1.5, 2.5]"}},
		{context.Canceled, m, []error{context.Canceled}, []string{"[1.5, 2.5]", "7 steps"}},
		{context.Canceled, nil, []error{context.Canceled}, nil},
	} {
		err := explain(c.err, c.m, "eps = 3")
		for _, is := range c.is {
			if !errors.Is(err, is) {
				t.Errorf("%v, with a mechanism %t: %v is not %v", c.err, c.m != nil, err, is)
			}
		}
		for _, part := range c.text {
			if !strings.Contains(fmt.Sprint(err), part) {
				t.Errorf("%v, with a mechanism %t: %v does not say %s", c.err, c.m != nil, err, part)
			}
		}
		if stopped := new(Stopped); errors.As(err, &stopped) != (c.m != nil && slices.Contains(c.is, context.Canceled)) {
			t.Errorf("%v, with a mechanism %t: stopped %+v", c.err, c.m != nil, stopped)
		}
		if c.m != nil && errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v, with a mechanism: %v", c.err, err)
		}
	}
	if err := explain(nil, m, "eps = 3"); err != nil {
		t.Errorf("no error: %v", err)
	}
}

// A width is relative to the upper end: [1, 2] has one half.
func TestWidthOfTheUpperEnd(t *testing.T) {
	p := must.For(newProgram(t.Context(), path(t, 2), must.For(evidence.NewEpsilon("eps", 1))(t), Options{}))(t)
	m := &Optimal{optimum: evidence.Certified{Lo: 1, Hi: 2}}
	for width, want := range map[float64]bool{0: false, 0.49: false, 0.5: true, 0.75: true, 1: true} {
		if got := p.narrow(m, Options{Width: width}); got != want {
			t.Errorf("[1, 2] is as narrow as %v: %t", width, got)
		}
	}
}

// A pass of messages ends where it is told to, and asks no more.
func TestPassStops(t *testing.T) {
	q := onEdges(t, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}}, []float64{2, 0, 5, 3, 1})
	e := must.For(tablesOf(t, q, 1).relax(t.Context(), 2))(t)
	b := &box{gone: make([]rowset, q.Size())}
	for x := range b.gone {
		b.gone[x] = make(rowset, e.states/64+1)
	}
	for _, forward := range []bool{false, true} {
		whole := looks.After(t.Context(), 1<<30)
		if err := e.pass(whole, b, forward); err != nil || whole.Looks() < 9 {
			t.Fatalf("%d looks, %v", whole.Looks(), err)
		}
		for n := range whole.Looks() {
			ctx := looks.After(t.Context(), n)
			if err := e.pass(ctx, b, forward); !errors.Is(err, context.Canceled) || ctx.Late() > 2 {
				t.Errorf("over after %d looks of %d: %v, and %d looks more", n, whole.Looks(), err, ctx.Late())
			}
		}
	}
}
