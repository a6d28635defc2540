package main

import (
	"fmt"

	"dpworkbench/internal/wholefile"
	"dpworkbench/repl"

	"github.com/spf13/cobra"
)

// newReferenceCommand returns "reference".
func newReferenceCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "reference",
		Short: "Print the manual of the script language as Markdown",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			page := repl.NewSession().Reference()
			if out != "" {
				if err := wholefile.Write(out, []byte(page), 0o644); err != nil {
					return &failure{err}
				}
				return nil
			}
			if _, err := fmt.Fprint(stdout, page); err != nil {
				return &failure{err}
			}
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "", "write to this file")
	return c
}
