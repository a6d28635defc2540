//go:build js

// Command wasm is the workbench that a browser runs in a worker: a notebook session over standard input and output,
// in the frames of docs/protocol.md.
package main

import (
	"fmt"
	"os"

	"dpworkbench/internal/memory"
	"dpworkbench/internal/version"
	"dpworkbench/repl"
	"dpworkbench/repl/serve"
)

// mostMemory bounds a session. A page may have up to 4 GiB, the garbage included, and a phone less.
const mostMemory = 2 << 30

func main() {
	memory.SetLimit(mostMemory)
	s := repl.NewSession()
	s.ShowsLines = true
	o := serve.Options{Version: version.Text(), Notebook: true}
	if err := serve.Serve(s.Session, os.Stdin, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
