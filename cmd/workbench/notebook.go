package main

import (
	"strings"

	"dpworkbench/internal/wholefile"
	"dpworkbench/repl/notebook"

	"github.com/spf13/cobra"
)

// newNotebookCommand returns "notebook".
func newNotebookCommand() *cobra.Command {
	var out, date string
	c := &cobra.Command{
		Use:   "notebook FILE.star",
		Short: "Write a script as a Jupyter notebook without outputs",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			source, err := readScript(args[0])
			if err != nil {
				return err
			}
			cells, err := notebook.Cells(args[0], source)
			if err != nil {
				return &failure{err}
			}
			data := notebook.Encode(cells, notebook.Info{Script: args[0], Date: date})
			if out == "" {
				out = strings.TrimSuffix(args[0], ".star") + ".ipynb"
			}
			return failureOf(wholefile.Write(out, data, 0o644))
		},
	}
	c.Flags().StringVar(&out, "out", "", "file to write (FILE.ipynb)")
	c.Flags().StringVar(&date, "date", "", "date to note in the notebook")
	return c
}
