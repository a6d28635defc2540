// Package parameter makes the error of all packages for an invalid argument: it names the parameter, its value and
// the allowed range.
package parameter

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
)

// Err is wrapped by every error of this package. Packages outside internal/ know it
// as evidence.ErrParameter.
var Err = errors.New("bad parameter")

// Error is an argument that cannot be taken.
type Error struct {
	// Name, Value and Want are the parameter, its printed value, and the allowed range; "" if the argument as a
	// whole is wrong, which Text describes.
	Name, Value, Want string
	// Text is the whole message.
	Text string

	cause error // a further wrapped error, usually nil
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns Err and the errors in the message's arguments.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{Err}
	}
	return []error{Err, e.cause}
}

// Bad returns the error "name = value, want …" of a value out of its range. Text is
// quoted, a rational written as a fraction; want is a format for args.
func Bad(name string, value any, want string, args ...any) error {
	e := &Error{Name: name, Value: spell(value), Want: fmt.Sprintf(want, args...)}
	e.Text = e.Name + " = " + e.Value + ", want " + e.Want
	return e
}

// Errorf returns the error of an argument that is wrong as a whole, such as a table with too few rows. The format
// may wrap errors as in fmt.Errorf.
func Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	e := &Error{Text: err.Error()}
	switch err.(type) {
	case interface{ Unwrap() error }, interface{ Unwrap() []error }:
		e.cause = err
	}
	return e
}

// spell writes a value as messages have it.
func spell(value any) string {
	switch v := value.(type) {
	case *big.Rat:
		return v.RatString()
	case fmt.Stringer:
		return v.String()
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.String {
		return fmt.Sprintf("%q", v.String())
	}
	return fmt.Sprint(value)
}

// OpenUnit returns an error unless 0 < v < 1, as a δ, a confidence or a power is.
func OpenUnit(name string, v float64) error {
	if v > 0 && v < 1 {
		return nil
	}
	return Bad(name, v, "0 < %s < 1", name)
}

// Unit returns an error unless 0 ≤ v ≤ 1, as a probability is.
func Unit(name string, v float64) error {
	if v >= 0 && v <= 1 {
		return nil
	}
	return Bad(name, v, "0 <= %s <= 1", name)
}

// Positive returns an error unless v is a positive finite number.
func Positive(name string, v float64) error {
	if v > 0 && v <= math.MaxFloat64 {
		return nil
	}
	return Bad(name, v, "a positive finite number")
}

// NotNegative returns an error unless v is a finite number of at least 0.
func NotNegative(name string, v float64) error {
	if v >= 0 && v <= math.MaxFloat64 {
		return nil
	}
	return Bad(name, v, "a finite number, at least 0")
}

// AtLeast returns an error unless n ≥ least.
func AtLeast(name string, n, least int) error {
	if n >= least {
		return nil
	}
	return Bad(name, n, "at least %d", least)
}
