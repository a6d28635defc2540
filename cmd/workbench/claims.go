package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/internal/wholefile"

	"github.com/spf13/cobra"
)

// claimsFlags are the flags of workbench claims.
type claimsFlags struct {
	paper, budget, page               string
	certificates, latex, html, errata string // folders to which output is written
	ids                               []string
	json, csv, coverage               bool
}

// newClaimsCommand returns workbench claims.
func newClaimsCommand(o *options) *cobra.Command {
	var f claimsFlags
	c := &cobra.Command{
		Use:   "claims",
		Short: "Check the papers' statements and compare with the recorded verdicts",
		Long: `Check the papers' statements and compare with the recorded verdicts.

--budget is the number of random instances of a check, drawn from --seed. It may
also be a time such as 60s: the checks are then repeated, each time with twice as
many instances, as long as the next repetition is likely to end in time.

` + claimTerms + `
Exit status: 0 every verdict is the recorded one, 1 some verdict differs, 2 wrong
usage, 130 interrupted.`,
		Example: `  workbench claims
  workbench claims --paper xor --budget 60s
  workbench claims --id xor.theorem1,analytic.proposition3 --json
  workbench claims --paper mvg --latex report
  workbench claims --html ledger
  workbench claims --coverage`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runClaims(f, o.seed) },
	}
	c.Flags().StringVar(&f.paper, "paper", "", "check only the claims of this paper: analytic, mvg, r1smg, xor, signrp; field for statements outside the papers")
	c.Flags().StringSliceVar(&f.ids, "id", nil, "check only these claims, and report all that their checks found")
	c.Flags().StringVar(&f.budget, "budget", strconv.Itoa(check.DefaultBudget), "random instances of each check, or a time such as 60s for all")
	c.Flags().BoolVar(&f.json, "json", false, "write the results as a JSON array")
	c.Flags().BoolVar(&f.csv, "csv", false, "write a row for each claim as comma-separated values")
	c.Flags().StringVar(&f.latex, "latex", "", "folder for a referee's report on each paper, in LaTeX")
	c.Flags().StringVar(&f.html, "html", "", "folder for a page with a row for each claim that can be filtered, and for the certificates")
	c.Flags().StringVar(&f.errata, "errata", "", "folder for a page of errata for each paper, in Markdown")
	for _, file := range []string{"page", "latex", "html", "errata"} {
		defer c.MarkFlagsMutuallyExclusive("json", "csv", "coverage", file)
	}
	c.Flags().BoolVar(&f.coverage, "coverage", false,
		"check nothing: count the statements of each paper that claims judge, and those that none judges, by reason")
	c.Flags().StringVar(&f.certificates, "certificates", "", "folder for a certificate of each refutation that has one")
	c.Flags().StringVar(&f.page, "page", "", "write the results to this file, as Markdown")
	return c
}

func runClaims(f claimsFlags, seed uint64) error {
	if f.coverage {
		_, err := fmt.Fprint(stdout, coverageCounts(claims.Coverage()))
		return err
	}
	chosen, err := claims.Select(f.paper, f.ids)
	if err != nil {
		return err
	}
	budget, limit, err := parseBudget(f.budget)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	results, runErr := checkClaims(ctx, chosen, check.Run{Budget: budget, Seed: seed}, limit)
	switch {
	case f.page != "" || f.latex != "" || f.html != "" || f.errata != "":
		if runErr == nil { // do not write a partial page
			err = writeClaimFiles(ctx, results, f)
		}
	default:
		var text string
		switch {
		case f.csv:
			text, err = claimsCSV(results)
		case f.json:
			text, err = claimsJSON(results)
			text += "\n"
		default:
			text, err = claimsText(results, f.ids != nil)
		}
		if err == nil {
			_, err = fmt.Fprint(stdout, text)
		}
	}
	if err == nil {
		err = runErr
	}
	if err == nil && f.certificates != "" {
		err = certifyClaims(ctx, results, f.certificates)
	}
	if err != nil {
		return cutShort(ctx, &failure{err})
	}
	return disagreement(results)
}

// coverageCounts returns a text that counts, for each source, the statements that have claims, and those left out for
// each reason.
func coverageCounts(texts []claims.Text) string {
	var b strings.Builder
	all, inAll := 0, 0
	for _, t := range texts {
		judged, leftOut := t.Counts()
		all, inAll = all+len(t.Places), inAll+judged
		fmt.Fprintf(&b, "%s: %d statements, %d judged by rows, %d left out\n", t.Name, len(t.Places), judged,
			len(t.Places)-judged)
		for _, reason := range t.LeftOut() {
			fmt.Fprintf(&b, "  %3d  %s\n", leftOut[reason], reason)
		}
	}
	fmt.Fprintf(&b, "all texts: %d statements, %d judged by rows, %d left out (claims/coverage.txt has each)\n", all,
		inAll, all-inAll)
	return b.String()
}

// writeClaimFiles writes the files that the flags name.
func writeClaimFiles(ctx context.Context, results []claims.Result, f claimsFlags) error {
	if f.page != "" {
		text, err := claimsPage(ctx, results, pageAt(f.page, f.ids != nil || f.paper != ""))
		if err == nil {
			err = wholefile.Write(f.page, []byte(text), 0o644)
		}
		if err != nil {
			return err
		}
	}
	if f.latex != "" {
		if err := writeReports(results, f.latex); err != nil {
			return err
		}
	}
	if f.errata != "" {
		if err := writeErrata(results, f.errata); err != nil {
			return err
		}
	}
	if f.html != "" {
		return writeClaimsTable(ctx, results, f.html)
	}
	return nil
}

// disagreement returns an error that lists the verdicts that differ from the recorded verdicts, or nil.
func disagreement(results []claims.Result) error {
	var differ []string
	for _, r := range results {
		if !r.AsRecorded() {
			differ = append(differ, r.Claim.ID)
		}
	}
	if differ != nil {
		return &failure{fmt.Errorf("these verdicts differ from the recorded ones: %s", strings.Join(differ, ", "))}
	}
	return nil
}

// firstRound is the number of instances in the first round of a run with a time limit.
const firstRound = 25

// parseBudget reads a number of instances or a time.
func parseBudget(text string) (instances int, limit time.Duration, err error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n <= 1e9 {
		return n, 0, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return firstRound, d, nil
	}
	return 0, 0, fmt.Errorf("--budget = %q, want a number of instances from 0 to 1e9, or a time above 0 such as 60s", text)
}

// checkClaims checks the chosen claims with a number of instances. If limit is positive, it checks in rounds of 25, 50,
// 100, … instances until another round would not fit, and returns the results of the last complete round.
func checkClaims(ctx context.Context, chosen []check.Claim, run check.Run, limit time.Duration) ([]claims.Result, error) {
	begin := time.Now()
	var last []claims.Result
	for {
		start := time.Now()
		var round []claims.Result
		show, clear := claimsProgress(len(chosen), run.Budget)
		inRound := ctx
		if limit > 0 && last != nil {
			timed, cancel := context.WithDeadline(ctx, begin.Add(limit))
			defer cancel()
			inRound = timed
		}
		err := claims.CheckAll(inRound, chosen, run, func(r claims.Result) {
			round = append(round, r)
			show(len(round), r.Claim.ID)
		})
		clear()
		switch {
		case err != nil && ctx.Err() != nil:
			if len(round) < len(last) {
				round = append(round, last[len(round):]...)
			}
			return round, fmt.Errorf("interrupted after %d of %d claims", len(round), len(chosen))
		case errors.Is(err, context.DeadlineExceeded):
			return last, nil
		case err != nil:
			return round, err
		}
		last = round
		took := time.Since(start)
		if limit == 0 || time.Since(begin)+2*took > limit || run.Budget > 1e8 {
			return last, nil
		}
		run.Budget *= 2
	}
}

// claimsProgress returns two functions: one shows progress on standard error if that is a terminal, and the other
// clears it.
func claimsProgress(total, budget int) (show func(done int, id string), clear func()) {
	if !isTerminal(os.Stderr) {
		return func(int, string) {}, func() {}
	}
	return func(done int, id string) {
		fmt.Fprintf(os.Stderr, "\r\x1b[K%d of %d claims, %d random instances each: %s", done, total, budget, id)
	}, func() { fmt.Fprint(os.Stderr, "\r\x1b[K") }
}
