// Package parameter holds the error that every room wraps where a caller's
// argument is to blame.
package parameter

import "errors"

// Err is wrapped by errors that name a parameter, its value and its range.
var Err = errors.New("bad parameter")
