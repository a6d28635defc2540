package parameter_test

import (
	"errors"
	"io"
	"math"
	"math/big"
	"testing"

	"dpworkbench/internal/parameter"
)

type word string

func TestBad(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{math.NaN(), "NaN"},
		{math.Inf(-1), "-Inf"},
		{1e300, "1e+300"},
		{3, "3"},
		{word("a\nb"), `"a\nb"`},
		{big.NewRat(1, 3), "1/3"},
		{big.NewInt(7), "7"},
	} {
		err := parameter.Bad("x", c.value, "from %d to %d", 1, 2)
		if got, want := err.Error(), "x = "+c.want+", want from 1 to 2"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		var parts *parameter.Error
		if !errors.As(err, &parts) || !errors.Is(err, parameter.Err) {
			t.Fatalf("%v does not wrap Err", err)
		}
		if parts.Name != "x" || parts.Value != c.want || parts.Want != "from 1 to 2" {
			t.Errorf("parts %q %q %q", parts.Name, parts.Value, parts.Want)
		}
	}
}

func TestErrorf(t *testing.T) {
	err := parameter.Errorf("row %d: %w", 3, io.ErrUnexpectedEOF)
	if !errors.Is(err, parameter.Err) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v loses an error that it wraps", err)
	}
	if err := parameter.Errorf("row %d is empty", 3); !errors.Is(err, parameter.Err) || errors.Is(err, io.EOF) || err.Error() != "row 3 is empty" {
		t.Errorf("got %v", err)
	}
}

// Each check accepts its range including both ends, and nothing else.
func TestChecks(t *testing.T) {
	tiny, huge := math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -huge, -1, -tiny, 0, tiny, 0.5, 1 - 0x1p-53, 1, 1 + 0x1p-52, huge} {
		for _, c := range []struct {
			name string
			err  error
			ok   bool
		}{
			{"OpenUnit", parameter.OpenUnit("v", v), 0 < v && v < 1},
			{"Unit", parameter.Unit("v", v), 0 <= v && v <= 1},
			{"Positive", parameter.Positive("v", v), v > 0 && !math.IsInf(v, 0)},
			{"NotNegative", parameter.NotNegative("v", v), v >= 0 && !math.IsInf(v, 0)},
		} {
			if (c.err == nil) != c.ok {
				t.Errorf("%s of %g: %v", c.name, v, c.err)
			}
		}
	}
	for n := -1; n < 4; n++ {
		if err := parameter.AtLeast("n", n, 2); (err == nil) != (n >= 2) {
			t.Errorf("AtLeast of %d: %v", n, err)
		}
	}
}
