// Package privacy has the one notion that every mechanism, design, law and
// release answers in: a [Curve], the least δ at an ε and the least ε at a δ.
//
// A room that knows one of the two directions gets the other from [EpsilonAt],
// and what is known of a mechanism that is ε-private alone from [PureDelta]. A
// [Profile] is a curve made of both: a smallest ε and, where there is one, a δ(ε).
package privacy
