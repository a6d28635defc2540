package main

import (
	"fmt"
	"os"

	"dpworkbench/repl"
	"dpworkbench/site"

	"github.com/spf13/cobra"
)

// newSiteCommand returns the command "site".
func newSiteCommand() *cobra.Command {
	var root, port string
	var serve, fast, only bool
	c := &cobra.Command{
		Use:   "site DIR",
		Short: "Write a web site on which the workbench runs in the browser",
		Long: `Write a static web site into DIR: a playground, the reference, guides and claims
with examples that run, and the notebooks. The program is compiled to WebAssembly,
so any server of static files serves the pages, and they load nothing from other
sites. The command needs a checkout, Go and npm, and takes some minutes.`,
		Example: `  workbench site public
  workbench site public --fast --serve`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			ctx, stop := interruptible()
			defer stop()
			if !only {
				o := site.Options{Root: root, Dir: args[0], Reference: repl.NewSession().ReferenceSite(), Fast: fast, Progress: os.Stderr}
				if err := site.Build(ctx, o); err != nil {
					return failureOf(cutShort(ctx, err))
				}
			}
			if !serve && !only {
				return nil
			}
			l, err := site.Listen(port)
			if err != nil {
				return failureOf(err)
			}
			fmt.Fprintf(stdout, "http://%s/ shows the site; Ctrl-C ends it\n", l.Addr())
			return failureOf(site.Serve(ctx, l, args[0]))
		},
	}
	c.Flags().StringVar(&root, "root", ".", "folder of the checkout")
	c.Flags().BoolVar(&serve, "serve", false, "serve the site on 127.0.0.1 after writing it")
	c.Flags().BoolVar(&only, "serve-only", false, "serve a site that was written before, without writing it")
	c.Flags().StringVar(&port, "port", "0", "port of --serve; 0 is any free port")
	c.Flags().BoolVar(&fast, "fast", false, "compress the files less, which takes seconds instead of minutes")
	return c
}
