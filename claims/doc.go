// Package claims is the ledger: published statements about mechanisms as executable checks. A claim has the paper's
// statement in our own words, its place and hypotheses. Its checker visits instances and returns a verdict with its
// scope and evidence and, if the statement fails, the smallest counterexample found.
//
// A check is not given a recorded witness. It enumerates a bounded family, from the smallest instance up, then
// draws random instances from a seed. Its budget counts instances, not time, so a check is reproducible.
//
// The engine is claims/check. Each paper has one text file, such as claims/xor/xor.txt, with its statements, their
// places, hypotheses, recorded verdicts and errata, and the causes of refutations. Beside it are the checks, in a Go file
// for each statement or for a few that share their instances, by the claims' ids. This package combines them: [All],
// [Find], [Select], [CheckAll], [Papers]. [Coverage] lists every statement of the papers' texts, with its claims or the
// reason why it has none.
package claims
