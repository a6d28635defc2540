package matrices

import (
	"errors"
	"math"
	"slices"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
)

// Numbers that leave the range of float64 on the way are refused wherever they do, with nothing beside the error.
func TestBeyondFloats(t *testing.T) {
	steep := must.For(NewLaplace(box(t, 1, 1e300), 1e-300))(t)
	d, err := steep.Privacy().Delta(t.Context(), epsilon(t, 1))
	if !errors.Is(err, parameter.Err) || d != nil {
		t.Errorf("δ of a steep law: %v, %v", d, err)
	}
	e, err := steep.Privacy().Epsilon(t.Context(), evidencetest.Delta(0.5))
	if !errors.Is(err, parameter.Err) || e != nil {
		t.Errorf("ε of a steep law: %v, %v", e, err)
	}
	wide := Bingham{values: append(slices.Repeat([]float64{100}, 4095), 0)} // the 300th coefficient is about 10³⁸⁸
	s, err := wide.LogConstant(t.Context())
	if want := "a is 4096×4096 with eigenvalues 100 apart: the constant's series leaves the range of float64"; err == nil || err.Error() != want || !errors.Is(err, parameter.Err) || s.Hi != 0 {
		t.Errorf("%v, %v, want %s", s, err, want)
	}
	few := Bingham{values: append(slices.Repeat([]float64{1}, 4095), 0)} // E e^{1 − v₁²} is near e^{1 − 1/4096}
	if s, err = few.LogConstant(t.Context()); err != nil || math.Abs(s.Lo-1+1./4096) > 1e-6 || s.Lo > s.Hi {
		t.Errorf("%v, %v", s, err)
	}
}
