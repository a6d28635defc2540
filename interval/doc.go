// Package interval does real arithmetic with outward rounding. An operation returns an enclosure of its results for all
// values of its arguments.
//
// # Carriers
//
// Three types represent an enclosure. Equal operations have equal names: Add, Sub, Mul, Quo, Exp, Sign.
//
//   - [Interval] has two bounds of [Prec] = 256 bits with a 32-bit exponent, rounded outward by big.Float. It is the
//     default: an operation takes about 100 ns, and cancellation rarely loses digits that a float64 can hold. [LogSum]
//     adds terms that are given by their logarithms.
//   - [Ball] has a midpoint of two float64s, a [DoubleDouble] of about 32 digits, and a radius. It costs a hundredth
//     of an Interval. An operation adds [DoubleError] times its result to the radius. Numbers must be far from the
//     smallest and the largest float64.
//   - [Ends] has two float64 bounds, rounded to nearest and then moved outward by one float64. Numbers must not be
//     negative.
//
// [Interval.Ball] and [Ball.Interval] convert. [Interval.Bounds] rounds the bounds outward to float64. [Up], [Down],
// [TwoSum] and [Unit] help to bound errors in float64.
//
// # Rounding contract
//
// The result of an operation contains f(x, y) for all x and y in its arguments. No operation panics. An undefined
// result, such as a quotient by 0 or NaN, is the whole line. A result too small for its type is enclosed between 0 and
// the least positive bound, and one too large between the largest bound and infinity. [Ball.Nearest] rejects such
// results. Enclosures are narrow relative to their size, near 0 too ([Interval.Expm1], [Interval.Log1p]).
//
// A [DoubleDouble] is no enclosure: its user must bound the error.
package interval
