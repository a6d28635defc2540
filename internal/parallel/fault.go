package parallel

import (
	"fmt"
	"runtime/debug"
)

// Fault is a panic where nobody could have caught it: a fault of the program, not
// of what it was given.
type Fault struct {
	Value any    // what panic was called with
	Stack []byte // of the goroutine that did, for whoever looks for the fault
}

// Error names the panic. The stack is left out.
func (f *Fault) Error() string { return fmt.Sprintf("internal error: %v", f.Value) }

// Unwrap returns what panic was called with where that is an error, such as a
// [runtime.Error].
func (f *Fault) Unwrap() error {
	err, _ := f.Value.(error)
	return err
}

// Guard returns the error of f, which is a [*Fault] where f panics. A fault that f
// passes on by a panic of its own is returned as it is, with its first stack.
func Guard(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Fault:
			err = r
		default:
			err = &Fault{r, debug.Stack()}
		}
	}()
	return f()
}
