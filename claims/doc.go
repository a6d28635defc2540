// Package claims is the ledger: published statements about mechanisms as
// executable checks. A claim carries the paper's statement in our own words, its
// place and hypotheses, and a checker that visits instances and returns a
// verdict with its scope, evidence and, where the statement fails, the smallest
// counterexample found.
//
// A check is given no recorded witness: it enumerates a bounded family, from the
// smallest instance up, then draws random instances from a seed. Its budget
// counts instances, not time, so that a check replays.
//
// The engine is claims/check. The statements stand in one text file for each paper, such as
// claims/xor/xor.txt, with their places, hypotheses, recorded verdicts and errata; causes of
// refutations and statements that are not judged stand there too. The checks stand beside it,
// in a Go file for a statement or for a few that share their instances, by the claims' ids.
// Here they come together: [All], [Find], [Select], [CheckAll], [Papers].
package claims
