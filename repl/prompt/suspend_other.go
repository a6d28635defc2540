//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package prompt

// stops is nothing here: no shell stops a program.
type stops struct{}

func watchStops(func()) *stops { return &stops{} }

func (*stops) close() {}

func (*editor) suspend() {}

// keysAlone is for terminals whose keys are read one by one.
func keysAlone() (restore func(), ok bool) { return nil, false }
