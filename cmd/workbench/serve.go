package main

import (
	"fmt"
	"os"
	"os/signal"

	"dpworkbench/internal/version"
	"dpworkbench/repl/serve"

	"github.com/spf13/cobra"
)

// newServeCommand returns the command "serve".
func newServeCommand(o *options) *cobra.Command {
	var stdio, notebook bool
	c := &cobra.Command{
		Use:   "serve --stdio",
		Short: "Answer the requests of another program, such as the Python package",
		Long: `Answer the requests of another program over standard input and output until the
input ends; docs/protocol.md describes the messages. No port is opened. The Python
package dpworkbench starts this command, and its Jupyter kernel adds --notebook.
Interrupts (SIGINT) are ignored: the calling program handles them.`,
		Example: `  pip install ./python
  python3 -c 'import dpworkbench as wb; print(wb.ln(3))'`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !stdio {
				return fmt.Errorf("%w: serve --stdio", errUsage)
			}
			return serveStdio(*o, notebook)
		},
	}
	c.Flags().BoolVar(&stdio, "stdio", false, "read requests from standard input and answer on standard output")
	c.Flags().BoolVar(&notebook, "notebook", false, "run the cells of a notebook, for its kernel")
	c.Flags().StringArrayVar(&o.set, "set", nil, "NAME=VALUE: set args[NAME] to VALUE, read as a Starlark literal if it is one, else as a string")
	return c
}

func serveStdio(o options, notebook bool) error {
	signal.Ignore(os.Interrupt)
	s := newSession(o)
	defer s.Close()
	s.ManySweeps = !notebook // the cells of a notebook count as one script
	for _, assignment := range o.set {
		if err := setArg(s, assignment); err != nil {
			return err
		}
	}
	out := os.Stdout
	os.Stdout = os.Stderr // output of a library must not corrupt the frames
	s.ShowsLines = notebook
	return failureOf(serve.Serve(s.Session, os.Stdin, out, serve.Options{Version: version.Text(), Notebook: notebook}))
}
