package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newManCommand returns "man".
func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages for man(1)",
		Long: `Write manual pages: DIR/man1 has one for each command, from the text of its
--help. man finds them where DIR is on MANPATH.`,
		Example: `  workbench man ~/.local/share/man
  man workbench-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := writePages(args[0]+"/man1", func() map[string]string { return manPages(c.Root()) }); err != nil {
				return &failure{err}
			}
			return nil
		},
	}
}

// manPages returns the manual page of a command and of those below it, by the names of
// their files.
func manPages(c *cobra.Command) map[string]string {
	pages := map[string]string{manName(c) + ".1": manPage(c)}
	for _, below := range c.Commands() {
		if below.Hidden || below.Name() == "help" {
			continue
		}
		for name, page := range manPages(below) {
			pages[name] = page
		}
	}
	return pages
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage writes a command for man(1).
func manPage(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n", manText(strings.ToUpper(manName(c))), manText(manName(c)), manText(c.Short), manText(c.UseLine()))
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	b.WriteString(".SH DESCRIPTION\n" + manLines(long))
	flags := func(title string, set *pflag.FlagSet) {
		first := true
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			if first {
				b.WriteString(".SH " + title + "\n")
				first = false
			}
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			kind, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", manText(strings.TrimSpace(name+" "+kind)), manText(usage))
		})
	}
	flags("OPTIONS", c.NonInheritedFlags())
	flags("OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n" + manLines(c.Example) + ".fi\n")
	}
	var others []string
	also := func(c *cobra.Command) { others = append(others, ".BR "+manText(manName(c))+" (1)") }
	if c.HasParent() {
		also(c.Parent())
	}
	for _, below := range c.Commands() {
		if !below.Hidden && below.Name() != "help" {
			also(below)
		}
	}
	if !c.HasParent() {
		b.WriteString(".SH COMMANDS\n")
		for _, below := range c.Commands() {
			if !below.Hidden && below.Name() != "help" {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", manText(below.Name()), manText(below.Short))
			}
		}
	}
	b.WriteString(".SH SEE ALSO\n" + strings.Join(others, ",\n") + "\n")
	return b.String()
}

// manText keeps the characters that roff takes for marks.
func manText(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// manLines is manText of lines, a blank one being a new paragraph.
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
