// Package parameter makes the errors of all packages for invalid arguments. They name the parameter, its value and the
// allowed range.
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

// Error describes an invalid argument.
type Error struct {
	// Name, Value and Want are the parameter, its printed value, and the allowed range. They are "" if the argument is
	// wrong as a whole and only Text describes it.
	Name, Value, Want string
	// Text is the whole message.
	Text string

	cause error // the error made by fmt.Errorf if it wraps others, otherwise nil
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns Err and the errors in the message's arguments.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{Err}
	}
	return []error{Err, e.cause}
}

// Bad returns the error "name = value, want …" for a value out of its range. A string value is quoted, and a rational
// is written as a fraction; want is a format for args.
func Bad(name string, value any, want string, args ...any) error {
	e := &Error{Name: name, Value: spell(value), Want: fmt.Sprintf(want, args...)}
	e.Text = e.Name + " = " + e.Value + ", want " + e.Want
	return e
}

// Errorf returns the error for an argument that is wrong as a whole, such as a table with too few rows. The format may
// wrap errors as in fmt.Errorf.
func Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	e := &Error{Text: err.Error()}
	switch err.(type) {
	case interface{ Unwrap() error }, interface{ Unwrap() []error }:
		e.cause = err
	}
	return e
}

// spell formats a value for Bad.
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

// OpenUnit returns an error unless 0 < v < 1, as for a δ, a confidence or a power.
func OpenUnit(name string, v float64) error {
	if v > 0 && v < 1 {
		return nil
	}
	return Bad(name, v, "0 < %s < 1", name)
}

// Unit returns an error unless 0 ≤ v ≤ 1, as for a probability.
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
