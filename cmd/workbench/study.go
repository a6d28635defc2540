package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"dpworkbench/display"
	"dpworkbench/repl"
	"dpworkbench/study"

	"github.com/spf13/cobra"
)

// newStudyCommand returns workbench study.
func newStudyCommand(o *options) *cobra.Command {
	root := &cobra.Command{
		Use:   "study",
		Short: "Run, show and export studies",
		Long: `Run, show and export studies: searches for parameters that a script
describes with study(...).optimize(...).

STORAGE is the path of a SQLite file, or postgres://user:password@host/database.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	run := &cobra.Command{
		Use:   "run FILE...",
		Short: "Run the studies of scripts; flags override the scripts' settings",
		Long: `Run scripts as "workbench run" does, with flags that override the settings of the
scripts' studies. The best trial of each study is printed at the end, also after
an interrupt.

A study continues from the trials in its --storage. Several runs, on one machine
or many, may share one --storage and --total. A trial whose worker was killed is
repeated.

Exit status: 0 done, also if --total was reached before; 1 a script failed, all
trials of a study in this run failed, a study has no complete trial or cannot be
read, or no script made a study; 2 wrong usage; 130 interrupted.`,
		Example: `  workbench study run radii.star --storage radii.db --total 500 --workers 2`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.study.Trials < 0 || o.study.Total < 0 || o.study.Workers < 0 {
				return fmt.Errorf("%w: --trials, --total and --workers need positive numbers", errUsage)
			}
			if o.study.Sampler != "" && !slices.Contains(study.Samplers, o.study.Sampler) {
				return fmt.Errorf("%w: --sampler %s, want one of %s", errUsage, o.study.Sampler, strings.Join(study.Samplers, ", "))
			}
			o.bests, o.study.Keep = true, true
			return runScripts(*o, args)
		},
	}
	addScriptFlags(run, o)
	run.Flags().StringVar(&o.study.Storage, "storage", "", "SQLite file or PostgreSQL address that holds the studies")
	run.Flags().StringVar(&o.study.Sampler, "sampler", "", strings.Join(study.Samplers, ", "))
	run.Flags().IntVar(&o.study.Trials, "trials", 0, "trials that each optimize(...) runs")
	run.Flags().IntVar(&o.study.Total, "total", 0, "stop when a study holds this many trials, from all runs together")
	run.Flags().IntVar(&o.study.Workers, "workers", 0, "trials that this process runs at once")

	show := &cobra.Command{
		Use:   "show STORAGE [NAME]",
		Short: "List the studies of a storage, or the best trial and all trials of one",
		Args:  cobra.RangeArgs(1, 2),
		RunE:  func(_ *cobra.Command, args []string) error { return showStudies(args) },
	}
	var format string
	export := &cobra.Command{
		Use:   "export STORAGE NAME",
		Short: "Write every trial of a study to standard output, as CSV or JSON",
		Args:  cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if format != "csv" && format != "json" {
				return fmt.Errorf("%w: --format %s, want csv or json", errUsage, format)
			}
			return withStudy(args[0], args[1], func(ctx context.Context, s *study.Study) error { return exportStudy(ctx, stdout, s, format) })
		},
	}
	export.Flags().StringVar(&format, "format", "csv", "csv or json")
	root.AddCommand(run, show, export)
	return root
}

// attention limits the time of a query to a storage.
const attention = 20 * time.Second

// withStorage opens a storage, which must already hold studies.
func withStorage(url string, f func(ctx context.Context, s *study.Storage) error) error {
	ctx, stop := interruptible()
	defer stop()
	s, err := study.Open(ctx, url, study.StorageOptions{MustExist: true})
	if err != nil {
		return cutShort(ctx, &failure{err})
	}
	defer s.Close()
	return cutShort(ctx, failureOf(f(ctx, s)))
}

func withStudy(url, name string, f func(ctx context.Context, s *study.Study) error) error {
	return withStorage(url, func(ctx context.Context, storage *study.Storage) error {
		s, err := study.Load(ctx, storage, name)
		if err != nil {
			return err
		}
		return f(ctx, s)
	})
}

// printBests prints the best trial of every study that the scripts made. It returns an error if they made none, or a
// study has no complete trial.
func printBests(studies []*study.Study, files []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), attention)
	defer cancel()
	if len(studies) == 0 {
		return &failure{fmt.Errorf("%s: no script made a study", strings.Join(files, ", "))}
	}
	var none error
	for _, s := range studies {
		fmt.Fprintf(stdout, "%s: %s\n", s.Name(), repl.Best(ctx, s))
		if _, err := s.Best(ctx); err != nil && none == nil {
			none = &failure{err}
		}
	}
	return none
}

// showStudies prints the studies of a storage, or only the named study.
func showStudies(args []string) error {
	if len(args) == 2 {
		return withStudy(args[0], args[1], showStudy)
	}
	return withStorage(args[0], listStudies)
}

func listStudies(ctx context.Context, storage *study.Storage) error {
	names, err := storage.Names(ctx)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, name := range names {
		s, err := study.Load(ctx, storage, name)
		if err != nil {
			return err
		}
		results, err := s.Results(ctx)
		if err != nil {
			return err
		}
		c := tally(results)
		best := ""
		if b, ok := study.BestOf(results, s.Maximizes()); ok {
			best = display.Number(b.Value, 6)
		}
		rows = append(rows, []string{name, direction(s), fmt.Sprint(c["complete"]), fmt.Sprint(c["failed"]), fmt.Sprint(c["lost"]), fmt.Sprint(c["running"] + c["waiting"]), best})
	}
	return printTable("Studies in "+storage.Name(), []string{"study", "direction", "complete", "failed", "lost", "unfinished", "best"}, rows)
}

func showStudy(ctx context.Context, s *study.Study) error {
	results, err := s.Results(ctx)
	if err != nil {
		return err
	}
	rows := make([][]string, len(results))
	for i, r := range results {
		value := ""
		if r.State == "complete" {
			value = display.Number(r.Value, 8)
		}
		rows[i] = []string{fmt.Sprint(r.Number), r.State, value, repl.Parameters(r.Params), r.Reason}
	}
	if err := printTable(fmt.Sprintf("Study %s (%s) in %s", s.Name(), direction(s), s.Storage().Name()), []string{"trial", "state", "value", "parameters", "reason"}, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, repl.Best(ctx, s))
	return err
}

func printTable(title string, header []string, rows [][]string) error {
	t, err := display.NewTable(display.TableSpec{Title: title, Header: header, Rows: rows})
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(stdout, t.Terminal(display.DetectCaps(os.LookupEnv, false)))
	return err
}

func direction(s *study.Study) string {
	if s.Maximizes() {
		return "maximize"
	}
	return "minimize"
}

// tally counts trials by state.
func tally(results []study.Result) map[string]int {
	counts := make(map[string]int)
	for _, r := range results {
		counts[r.State]++
	}
	return counts
}
