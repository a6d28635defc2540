// Package evidence records how a number is known: claimed by a theorem, exact, certified between bounds, or estimated
// from samples. Evidence is never promoted: a sum rounded in floating point is at best Certified, however many cases it
// visited.
//
// A [Number] is one of [Claimed], [Exact], [ExactLog] (the logarithm of a rational), [LogMultiple] (a multiple of one),
// [InputEpsilon] (an ε given as an argument), [Certified] and [Estimated]. Each prints the digits that its evidence
// supports and says where it comes from ([Provenance]). [Relate] and [Decide] compare numbers as far as their evidence
// allows. [Enclosed] and [EnclosedLoss] make certified numbers from intervals, [Enclosure] converts back, and [Check]
// rejects invalid numbers. format.go and decimal.go hold the printing.
//
// An [Epsilon] is a privacy parameter that is never rounded: a rational, or a rational multiple of the logarithm of a
// rational. For such a multiple e^{−kε} can be rational, and answers exact. A [Delta] is a rational. A [Verdict] is the
// outcome of a check.
//
// [ErrParameter] is wrapped by every error that a caller's argument causes.
package evidence
