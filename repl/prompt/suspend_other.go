//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package prompt

// stops does nothing here: no shell stops a program.
type stops struct{}

func watchStops(func()) *stops { return &stops{} }

func (*stops) close() {}

func (*editor) suspend() {}

// keysAlone is not available here.
func keysAlone() (restore func(), ok bool) { return nil, false }
