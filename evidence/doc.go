// Package evidence says how a number is known: claimed by a theorem, exact,
// certified between bounds, or estimated from draws. Evidence is never
// promoted: a sum rounded in floating point is Certified at best, however many
// cases it visited.
//
// A [Number] is one of [Claimed], [Exact], [ExactLog] (the logarithm of a rational),
// [InputEpsilon] (an ε that was handed over), [Certified] and [Estimated]. Each prints itself
// to the digits that it supports, says where it comes from ([Provenance]), and orders
// against the others by [Relate] and [Decide] as far as it is known. [Enclosed] and
// [EnclosedLoss] make certified numbers from intervals, [Enclosure] goes back, and
// [Check] refuses what is no evidence. format.go and decimal.go hold the printing.
//
// An [Epsilon] is a privacy parameter, never rounded: a rational, or a rational
// multiple of the logarithm of one, for which e^{−kε} is rational and answers can
// be exact. A [Verdict] is what a check comes to.
//
// [ErrParameter] is wrapped by every error that a caller's argument causes.
package evidence
