package main

import (
	"fmt"

	"dpworkbench/internal/wholefile"
	"dpworkbench/repl"

	"github.com/spf13/cobra"
)

// newReferenceCommand returns the command "reference".
func newReferenceCommand() *cobra.Command {
	var out, pages, site, python string
	c := &cobra.Command{
		Use:   "reference",
		Short: "Write the manual of the script language, as Markdown or as HTML that can be searched",
		Long: `Print the manual of the script language as Markdown, one topic after the other.

--pages and --html instead write a page for each topic and an index into a folder.
The HTML pages need no server and no network; DIR/index.html has a search.`,
		Example: `  workbench reference --out reference.md
  workbench reference --html manual`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s := repl.NewSession()
			err := writePages(pages, s.ReferencePages)
			if err == nil {
				err = writePages(site, s.ReferenceSite)
			}
			if err == nil && python != "" {
				err = writePython(s, python)
			}
			switch {
			case err != nil:
			case out != "":
				err = wholefile.Write(out, []byte(s.Reference()), 0o644)
			case pages+site+python == "":
				_, err = fmt.Fprint(stdout, s.Reference())
			}
			return failureOf(err)
		},
	}
	c.Flags().StringVar(&out, "out", "", "write the manual to this file")
	c.Flags().StringVar(&pages, "pages", "", "write Markdown pages by topic into this folder")
	c.Flags().StringVar(&site, "html", "", "write HTML pages by topic, with a search, into this folder")
	c.Flags().StringVar(&python, "python", "", "write the vocabulary as a module of the Python package into this folder")
	return c
}

// writePython writes the Python module and its type stubs.
func writePython(s *repl.Session, dir string) error {
	source, stubs, err := s.Python()
	if err != nil {
		return err
	}
	return writeAll(dir, map[string]string{"_words.py": source, "_words.pyi": stubs})
}

// writePages writes files into a folder. It does nothing if dir is "".
func writePages(dir string, pages func() map[string]string) error {
	if dir == "" {
		return nil
	}
	return writeAll(dir, pages())
}
