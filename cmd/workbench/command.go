package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dpworkbench/display"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/version"
	"dpworkbench/repl"
	"dpworkbench/repl/prompt"
	"dpworkbench/script"
	"dpworkbench/study"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// newCommand returns the command tree.
func newCommand() *cobra.Command {
	var o options
	root := &cobra.Command{
		Use:   "workbench",
		Short: "Build, optimise and exactly verify differential-privacy mechanisms",
		Long: `Build, optimise and exactly verify differential-privacy mechanisms.

Without a command, workbench opens the interactive prompt. If standard input is
not a terminal, it runs the script that it reads there.`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(*cobra.Command, []string) error {
			if !isTerminal(os.Stdin) {
				return runScripts(o, []string{"-"})
			}
			return openPrompt(o)
		},
	}
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		bytes, err := memory.Parse(o.memory)
		if err != nil {
			return fmt.Errorf("--memory = %w", err)
		}
		memory.SetLimit(bytes)
		return refuseUnused(c, args)
	}
	root.Version = version.Text()
	root.SetVersionTemplate("workbench {{.Version}}\n")
	root.SetOut(stdout)
	root.PersistentFlags().StringVar(&o.data, "data", "", "folder of data sets, searched before $WORKBENCH_DATA and the user's cache folder")
	root.PersistentFlags().Uint64Var(&o.seed, "seed", 0, "default value of every seed parameter")
	root.PersistentFlags().StringVar(&o.memory, "memory", memory.Text(memory.Default), "limit on the memory of the process; 0 is no limit")
	run := &cobra.Command{
		Use:   "run FILE...",
		Short: "Run scripts one after the other; - is standard input",
		Long: `Run scripts one after the other, in one session; - is standard input.

Exit status: 0 done, 1 a script failed (its back-trace is on standard error) or
its output could not be written, 2 wrong usage, 130 interrupted.`,
		Example: `  workbench run notebooks/ladder.star --set quick=1
  workbench run study.star --set eps=0.5 --json > result.json
  workbench run sweep.star --shard 3/10 --out parts`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.watch {
				return watchScripts(o, args)
			}
			return runScripts(o, args)
		},
	}
	run.Flags().BoolVar(&o.untrusted, "untrusted", false, "open only files in the scripts' folders and --data, use no network, and stop after one minute or --time")
	run.Flags().DurationVar(&o.time, "time", 0, "time limit of the run, such as 10s or 5m; 0 is no limit")
	run.Flags().BoolVar(&o.watch, "watch", false, "run again whenever a script or a library that it loads changes")
	addScriptFlags(run, &o)
	run.Flags().StringVar(&o.shard, "shard", "", "i/n: compute only part i of the n parts of the script's sweep, i from 0 to n-1")
	run.Flags().StringVar(&o.out, "out", "", "folder for the part of the sweep that --shard computes")
	run.Flags().StringVar(&o.certificates, "certificates", "", "folder for the certificates of the numbers that the scripts print")
	root.AddCommand(run, newCertifyCommand(&o), newStudyCommand(&o), newMergeCommand(), newClaimsCommand(&o), newKernelCommand(&o), newServeCommand(&o), newDataCommand(&o), newReferenceCommand(), newFormatCommand(), newNotebookCommand(), newManCommand(), newSiteCommand(), &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run:   func(*cobra.Command, []string) { fmt.Fprintln(stdout, "workbench", version.Text()) },
	})
	root.InitDefaultCompletionCmd()
	addCompletions(root)
	return root
}

// addCompletions defines shell completions: script files after commands, and words after flags.
func addCompletions(c *cobra.Command) {
	ending := func(endings ...string) cobra.CompletionFunc {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return endings, cobra.ShellCompDirectiveFilterFileExt
		}
	}
	switch c.CommandPath() {
	case "workbench run", "workbench study run", "workbench certify", "workbench fmt", "workbench notebook":
		c.ValidArgsFunction = ending("star")
	case "workbench study show", "workbench study export":
		c.ValidArgsFunction = ending("db")
	}
	for name, known := range map[string][]string{"sampler": study.Samplers, "format": {"csv", "json"}} {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)) // fails only if a function is already registered
		}
	}
	for _, below := range c.Commands() {
		addCompletions(below)
	}
}

// usedBy lists, for a global flag, the commands that use it.
var usedBy = map[string][]string{
	"data":   {"workbench", "workbench run", "workbench certify", "workbench study run", "workbench serve", "workbench kernel install", "workbench data"},
	"memory": {"workbench", "workbench run", "workbench certify", "workbench study run", "workbench serve", "workbench claims", "workbench reference"},
	"seed":   {"workbench", "workbench run", "workbench certify", "workbench study run", "workbench serve", "workbench kernel install", "workbench claims"},
}

// refuseUnused returns an error if a flag was given that the command does not use, since ignoring it would mislead the
// user.
func refuseUnused(c *cobra.Command, _ []string) error {
	for _, name := range slices.Sorted(maps.Keys(usedBy)) {
		if f := c.Flags().Lookup(name); f != nil && f.Changed && !slices.Contains(usedBy[name], c.CommandPath()) {
			return fmt.Errorf("%w: --%s has no effect on %s", errUsage, name, c.CommandPath())
		}
	}
	return nil
}

// options holds the values of the flags.
type options struct {
	data   string
	seed   uint64
	memory string
	set    []string
	json   bool
	watch  bool

	untrusted bool          // for run
	time      time.Duration // for run; 0 means no limit

	shard, out   string          // for run
	certificates string          // an output folder
	silent       bool            // for certify: discard what scripts print
	study        repl.StudyFlags // for study run
	bests        bool            // print the best trial of every study at the end
}

// addScriptFlags adds the flags of commands that run scripts.
func addScriptFlags(c *cobra.Command, o *options) {
	c.Flags().StringArrayVar(&o.set, "set", nil, "NAME=VALUE: set args[NAME] to VALUE, read as a Starlark literal if it is one, else as a string")
	c.Flags().BoolVar(&o.json, "json", false, "write only the global variable result to standard output, as JSON; print writes to standard error")
}

// newSession returns a session on the process's standard streams.
func newSession(o options) *repl.Session {
	s := repl.NewSession()
	s.Stdout = stdout
	s.Seed = o.seed
	s.DataDirs = dataDirs(o.data)
	s.Study = o.study
	s.Terminal = display.DetectCaps(os.LookupEnv, isTerminal(os.Stdout))
	if isTerminal(os.Stdout) {
		s.Terminal.Width, s.Terminal.Height = terminalSize()
		s.Terminal.Height = min(max(s.Terminal.Height-4, 10), 30)
		s.Terminal.CellWidth, s.Terminal.CellHeight = cellSize(os.Stdout)
	}
	if isTerminal(os.Stderr) && os.Getenv("TERM") != "dumb" {
		s.OnProgress, s.ShowsLines = script.ProgressLine(os.Stderr), true
	}
	return s
}

// dataDirs returns the folders where data sets are searched, in order.
func dataDirs(flag string) []string {
	var dirs []string
	for _, dir := range []string{flag, os.Getenv("WORKBENCH_DATA")} {
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	if cache, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(cache, "dpworkbench"))
	}
	return dirs
}

// tellWrites makes a session report each file that it writes on standard error.
func tellWrites(s *repl.Session) {
	s.OnWrite = func(path string) {
		s.ClearProgress()
		fmt.Fprintf(os.Stderr, "wrote %s\n", path)
	}
}

func openPrompt(o options) error {
	s := newSession(o)
	defer s.Close()
	tellWrites(s)
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" || !isTerminal(os.Stdout)
	status, err := prompt.Run(s.Session, prompt.Options{
		Banner:  "dpworkbench " + version.Text() + "\nhelp() lists the vocabulary, name? explains, Tab completes, Ctrl-D leaves.",
		History: prompt.HistoryFile(),
		Plain:   dumb,
		Size:    terminalSize,
	})
	if err != nil {
		return &failure{err}
	}
	if status != 0 {
		return &script.Exit{Status: status}
	}
	return nil
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func terminalSize() (width, height int) {
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 80, 24
	}
	return width, height
}
