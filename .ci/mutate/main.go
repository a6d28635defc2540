// Command mutate asks whether the tests bite. It changes the program in one small
// place, a mutant, runs the tests that reach the place, and lists the mutants that
// no test noticed.
//
//	go run ./.ci/mutate [-rooms PATTERN] [-n MUTANTS] [-seed N] [-kinds LIST] [-near] [-minutes M]
//
// All mutants of a run are compiled into one copy of the tree, each behind a
// switch that an environment variable sets, so that nothing is compiled again for
// a mutant. Which tests reach which place is found by running each test once.
//
// A mutant that no test can notice is equivalent. Those stand in equivalents/
// with a proof each, and are left out of the percentages.
//
// Nothing is written into the repository. The exit status is 1 where fewer than 95
// of a hundred mutants were killed in the rooms that certify numbers, or 85 in the
// others, or where more than a tenth are said to be equivalent.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"time"
)

//go:embed equivalents
var equivalents embed.FS

// options are the command's flags.
type options struct {
	rooms   *regexp.Regexp
	perRoom int
	seed    uint64
	kinds   []string
	jobs    int
	list    bool
	keep    string
	only    string
	near    bool
}

func main() {
	var (
		o       options
		rooms   = flag.String("rooms", ".", "rooms, a regular `expression` of package paths below the module")
		kinds   = flag.String("kinds", strings.Join(kindNames(), ","), "the kinds of mutants, a `list` with commas; a kind named twice weighs twice")
		minutes = flag.Float64("minutes", 60, "stop after so many `minutes` and report what was tried")
	)
	flag.IntVar(&o.perRoom, "n", 12, "`mutants` of each room")
	flag.Uint64Var(&o.seed, "seed", 1, "which mutants are drawn")
	flag.IntVar(&o.jobs, "jobs", 2, "tests at a time")
	flag.BoolVar(&o.list, "list", false, "list the mutants drawn, run nothing")
	flag.StringVar(&o.keep, "keep", "", "make the copy of the tree in this `folder` and leave it there")
	flag.StringVar(&o.only, "only", "", "only mutants whose key contains this `text`, all of them")
	flag.BoolVar(&o.near, "near", false, "run the tests of the mutant's own room alone")
	flag.Parse()
	o.kinds = strings.Split(*kinds, ",")
	var err error
	if o.rooms, err = regexp.Compile(*rooms); err == nil && flag.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(*minutes*float64(time.Minute)))
	defer cancel()
	ok, err := mutate(ctx, o)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// mutate draws, weaves, runs and reports; ok says that enough were killed.
func mutate(ctx context.Context, o options) (ok bool, err error) {
	packages, err := load(o.rooms)
	if err != nil {
		return false, err
	}
	proofs, err := readProofs(equivalents)
	if err != nil {
		return false, err
	}
	mutants := draw(packages, o)
	if o.list {
		for _, m := range mutants {
			fmt.Println(m.key)
		}
		return true, nil
	}
	fmt.Fprintf(os.Stderr, "%d mutants in %d rooms\n", len(mutants), len(packages))
	tree, err := weave(ctx, mutants, o.keep)
	if err != nil {
		return false, err
	}
	if o.keep == "" {
		defer os.RemoveAll(tree.dir)
	}
	if err := tree.build(ctx, mutants, o.near); err != nil {
		return false, err
	}
	tree.reach(ctx, mutants, o.jobs)
	tree.run(ctx, mutants, proofs, o.jobs)
	return report(os.Stdout, mutants), nil
}
