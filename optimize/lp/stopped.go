package lp

import (
	"errors"
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// Stopped is the error of a solve that its context ended: the optimum is known
// to lie between Lo and Hi.
type Stopped struct {
	Lo, Hi float64
	Steps  int
	Cause  error
}

// Error implements error.
func (s *Stopped) Error() string {
	return fmt.Sprintf("stopped %s: %v", s.Partial(), s.Cause)
}

// Partial says what is known, without the cause.
func (s *Stopped) Partial() string {
	return fmt.Sprintf("after %s: the optimum lies in %s", s.steps(), evidence.FormatBounds(s.Lo, s.Hi, 10))
}

func (s *Stopped) steps() string {
	if s.Steps == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", s.Steps)
}

// Unwrap returns the context's error.
func (s *Stopped) Unwrap() error { return s.Cause }

// Explain says for whom Solve failed: spent is the privacy that was asked for, optimum, nil where there is none, what
// is known of the value after so many steps.
func Explain(err error, optimum evidence.Number, steps int, spent string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrProgram):
		return parameter.Errorf("%w", err)
	case errors.Is(err, ErrPrecision) && optimum == nil:
		return parameter.Errorf("%s: %w", spent, err)
	case errors.Is(err, ErrPrecision):
		lo, hi := optimum.Bounds()
		return fmt.Errorf("%w: %s: the optimum lies in %s", ErrPrecision, spent, evidence.FormatBounds(lo, hi, 10))
	case optimum != nil:
		lo, hi := optimum.Bounds()
		return &Stopped{Lo: lo, Hi: hi, Steps: steps, Cause: err}
	}
	return err
}
