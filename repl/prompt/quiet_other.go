//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package prompt

// quiet does nothing here: this terminal shows what is typed while a computation runs.
func quiet() (restore func()) { return func() {} }
