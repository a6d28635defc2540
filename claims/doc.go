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
// The engine is claims/check; the statements stand in claims/analytic, claims/mvg,
// claims/xor and claims/signrp, a file a statement or a few that share their instances.
// Here they come together: [All], [Find], [Select], [CheckAll], [Papers].
package claims
