package main

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newManCommand returns the command "man".
func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages for man(1)",
		Long: `Write a manual page for each command into DIR/man1, with the text of its --help.
man finds the pages if DIR is on MANPATH.`,
		Example: `  workbench man ~/.local/share/man
  man workbench-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return failureOf(writeAll(args[0]+"/man1", manPages(c.Root())))
		},
	}
}

// manPages returns the manual pages of a command and its subcommands, by file name.
func manPages(c *cobra.Command) map[string]string {
	var page strings.Builder
	if err := manTemplate.Execute(&page, c); err != nil {
		panic(err) // writing to a strings.Builder cannot fail
	}
	pages := map[string]string{manName(c) + ".1": page.String()}
	for _, below := range manBelow(c) {
		maps.Copy(pages, manPages(below))
	}
	return pages
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manBelow returns the subcommands that have a page.
func manBelow(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(below *cobra.Command) bool { return below.Hidden || below.Name() == "help" })
}

//go:embed man.tmpl
var manFile string

// manTemplate is the manual page of a command for man(1).
var manTemplate = template.Must(template.New("man").Funcs(template.FuncMap{
	"name": manName, "below": manBelow, "flags": manFlags, "text": manText, "lines": manLines, "upper": strings.ToUpper,
	"also": func(c *cobra.Command) []*cobra.Command {
		if c.HasParent() {
			return append([]*cobra.Command{c.Parent()}, manBelow(c)...)
		}
		return manBelow(c)
	},
}).Parse(manFile))

// manFlags returns the flags that a page shows.
func manFlags(set *pflag.FlagSet) (out []pflag.Flag) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, usage := pflag.UnquoteUsage(f)
		out = append(out, pflag.Flag{Name: strings.TrimSpace(name + " " + kind), Usage: usage})
	})
	return out
}

// manText escapes the characters with a meaning in roff.
func manText(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// manLines escapes every line of a text as manText does. A blank line begins a paragraph.
func manLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSuffix(text, "\n")) {
		if line = strings.TrimSuffix(line, "\n"); strings.TrimSpace(line) == "" {
			b.WriteString(".PP\n")
		} else {
			b.WriteString(manText(line) + "\n")
		}
	}
	return b.String()
}
