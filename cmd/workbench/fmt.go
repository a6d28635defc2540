package main

import (
	"errors"
	"fmt"

	"dpworkbench/internal/wholefile"
	"dpworkbench/repl/scriptfmt"

	"github.com/spf13/cobra"
)

// newFormatCommand returns the command "fmt".
func newFormatCommand() *cobra.Command {
	var check bool
	c := &cobra.Command{
		Use:   "fmt FILE...",
		Short: "Format scripts; - is standard input",
		Long: `Format scripts in the style of Starlark files, and name those that changed. A
script is rewritten only if its syntax tree stays the same. - formats standard
input to standard output.

Exit status: 0 done, 1 a script has a syntax error, or with --check would change.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error { return formatScripts(files, check) },
	}
	c.Flags().BoolVar(&check, "check", false, "write nothing; exit with status 1 if a script would change")
	return c
}

func formatScripts(files []string, check bool) error {
	changed := 0
	for _, file := range files {
		source, err := readScript(file)
		if err != nil {
			return err
		}
		out, err := scriptfmt.Source(file, source)
		if err != nil {
			return &failure{err}
		}
		switch {
		case file == "-" && !check:
			fmt.Fprint(stdout, out)
			continue
		case out == source:
			continue
		}
		changed++
		if !check {
			if err := wholefile.Write(file, []byte(out), 0o644); err != nil {
				return &failure{err}
			}
		}
		fmt.Fprintln(stdout, file)
	}
	if check && changed > 0 {
		return &failure{errors.New("workbench fmt would change these scripts")}
	}
	return nil
}
