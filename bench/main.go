// Command bench compares the workbench with other packages. It runs all sides alternately in one run, and writes
// docs/performance.md and bench/series.csv. The command "bash bench/run" builds and starts it.
//
// A row is a comparison (comparison.go): a piece of work of a given size. A Go function does the work, and for some
// rows also a script. The peers are functions of the Python files in bench/peers, or Go functions. The files rows_….go
// contain the rows. Every side runs in a separate process (side.go, worker.go), and only one side works at a time. The
// Go benchmarks of this folder measure the same rows.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"dpworkbench/internal/wholefile"
)

// options holds the command line's options.
type options struct {
	rounds   int
	spend    time.Duration // no new round of a row starts after this time; 0 means no limit
	patience time.Duration // the time limit for one run of a peer
	quick    bool
	cache    string
	names    []string
	without  []string // rows to leave out; the page lists them
}

const usage = `usage: bash bench/run [options] [NAME…]

Without names and --quick it measures every row and the series, and writes docs/performance.md
and bench/series.csv; else what it measured goes to standard output.

  --rounds N      rounds of a row, at least three (7)
  --spend TIME    end a row, after a round or more, once it took so long, as 90s (never)
  --patience TIME what one run of a peer may take (2m)
  --without A,B   leave these rows out; the page says so
  --quick         small sizes and three rounds
  --list          name the rows
  --cache DIR     where peers are installed and programs built
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == workerWord {
		if err := work(ctx, os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Println("failed", oneLine(err.Error()))
			os.Exit(1)
		}
		return
	}
	o, list, err := parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(usage)
		return
	case err != nil:
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(2)
	case list:
		for _, name := range names() {
			fmt.Println(name)
		}
		return
	}
	if err := measure(ctx, o, os.Stdout); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted; nothing was written")
		}
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// parse parses the command line. list reports that only the names of the rows are requested.
func parse(args []string) (o options, list bool, err error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.IntVar(&o.rounds, "rounds", 7, "")
	f.DurationVar(&o.spend, "spend", 0, "")
	f.DurationVar(&o.patience, "patience", 2*time.Minute, "")
	without := f.String("without", "", "")
	f.BoolVar(&o.quick, "quick", false, "")
	f.StringVar(&o.cache, "cache", filepath.Join(os.TempDir(), "dpworkbench-bench"), "")
	f.BoolVar(&list, "list", false, "")
	if err := f.Parse(args); err != nil {
		return o, false, err
	}
	if o.quick {
		o.rounds = 3
	}
	o.names = f.Args()
	if *without != "" {
		o.without = strings.Split(*without, ",")
	}
	switch {
	case o.rounds < 3 || o.rounds > 1000:
		return o, false, fmt.Errorf("rounds = %d, want 3 to 1000", o.rounds)
	case o.spend < 0:
		return o, false, fmt.Errorf("spend = %v, want a time that is not negative", o.spend)
	case o.patience <= 0:
		return o, false, fmt.Errorf("patience = %v, want a positive time", o.patience)
	}
	for _, name := range append(slices.Clone(o.names), o.without...) {
		if !slices.Contains(names(), name) {
			return o, false, fmt.Errorf("no row is called %q; there are %s", name, strings.Join(names(), ", "))
		}
	}
	return o, list, nil
}

// names returns the names of the rows that the command line accepts.
func names() []string {
	var all []string
	for _, c := range comparisons {
		all = append(all, c.name)
	}
	return all
}

// measure runs the chosen rows and writes the results.
func measure(ctx context.Context, o options, stdout io.Writer) error {
	whole := len(o.names) == 0 && !o.quick
	chosen := func(name string) bool { return len(o.names) == 0 || slices.Contains(o.names, name) }
	files, err := os.MkdirTemp("", "bench") // for the files of workers
	if err != nil {
		return err
	}
	defer os.RemoveAll(files)
	os.Setenv("TMPDIR", files)
	e, err := prepare(ctx, o)
	if err != nil {
		return err
	}
	p := page{options: o, missing: e.missing}
	tell("limits of this machine")
	if p.limits, err = measureLimits(ctx, e, o.quick); err != nil {
		return err
	}
	failed := false
	for i := range comparisons {
		c := &comparisons[i]
		if !chosen(c.name) {
			continue
		}
		if slices.Contains(o.without, c.name) {
			p.results = append(p.results, c.leftOut())
			continue
		}
		tell("%s", c.name)
		r, err := c.measure(ctx, e, o)
		if err != nil {
			return err
		}
		failed = failed || r.fails()
		p.results = append(p.results, r)
		if c.series != nil && (whole || len(o.names) > 0) {
			tell("%s over sizes", c.name)
			points, err := c.measureSeries(ctx, e, o)
			if err != nil {
				return err
			}
			p.points = append(p.points, points...)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	text := p.markdown(machine(), time.Now())
	if !whole {
		_, err = io.WriteString(stdout, text+string(writeSeries(p.points)))
	} else if err = wholefile.Write("docs/performance.md", []byte(text), 0o644); err == nil {
		err = wholefile.Write("bench/series.csv", writeSeries(p.points), 0o644)
	}
	if err == nil && failed {
		err = errors.New("a row failed for the workbench, or a peer's number differs: see the table")
	}
	return err
}

func tell(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s  "+format+"\n", append([]any{time.Now().Format("15:04:05")}, args...)...)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
