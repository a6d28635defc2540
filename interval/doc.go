// Package interval does real arithmetic with outward rounding: every operation
// returns an enclosure of all results its arguments could have, so that a bound
// read off the end is a bound.
//
// An [Interval] is made from what is known: [Int], [Float] (the float64 itself),
// [Rat], [Big], [Between] two ends, [Hull] of two intervals, [Whole] where nothing is.
// It has the four operations, powers, roots, exponentials and logarithms
// (elementary.go; Expm1 and Log1p keep the digits of small arguments), and answers
// with its ends ([Interval.Bounds]), its middle, and whether its sign is known.
// [LogSum] adds numbers that only their logarithms hold. near.go tells whole numbers.
//
// No operation panics: what has no value, such as a quotient by 0 or a number that
// is NaN, is enclosed by the whole line, of which nothing is known.
//
// Ends are binary floating-point numbers of Prec bits with a 32-bit exponent:
// wide enough that certified answers lose nothing to cancellation that a
// float64 can see, and cheap enough (about 100 ns an operation) for the few
// cases that a float64 filter leaves open. A number that leaves even that range
// is still enclosed: one too small lies between 0 and the least positive end,
// one too large between the largest end and infinity.
package interval
