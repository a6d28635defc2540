// Package interval does real arithmetic with outward rounding. An operation returns an enclosure of all results that its
// arguments could have, so that an end is a bound.
//
// # Carriers
//
// An enclosure has one of three carriers, with methods of one name for what is the same: Add, Sub, Mul, Quo, Exp, Sign.
//
//   - [Interval] has two ends of [Prec] = 256 bits with a 32-bit exponent, rounded outward by big.Float. It is the one to
//     take where speed does not matter: an operation takes about 100 ns. Nothing is lost to cancellation that a float64
//     can see. Sums over many terms whose logarithms alone are known are [LogSum].
//   - [Ball] has a middle of two float64s, a [DoubleDouble] of about 32 digits, and a radius. It costs a hundredth of an
//     Interval. Rounding errors are bounded, not avoided: an operation adds [DoubleError] of its result to the radius. A
//     ball serves numbers far from the ends of float64.
//   - [Ends] has two float64s, rounded to nearest and moved outward by one. It serves numbers that are not negative.
//
// [Interval.Ball] and [Ball.Interval] convert, and [Interval.Bounds] gives the ends in float64, rounded outward. [Up],
// [Down], [TwoSum] and [Unit] are what bounds in plain float64 are made of.
//
// # Rounding contract
//
// The result of an operation holds f(x, y) for all x and y of its arguments. No operation panics. What has no value, such
// as a quotient by 0 or a number that is NaN, is enclosed by the whole line. A number too small for a carrier lies between
// 0 and its least positive end, one too large between its largest end and infinity; of balls, [Ball.Nearest] refuses both.
// An enclosure is as narrow as its carrier allows, relative to its size, also near 0 ([Interval.Expm1], [Interval.Log1p]).
//
// A [DoubleDouble] alone is no enclosure: whoever computes with it bounds its errors.
package interval
