package interval

import "math"

// Unit is the rounding unit u of float64: a normal result is the exact one times 1 + t with |t| ≤ u.
const Unit = 0x1p-53

// Up returns the least float64 above v.
func Up(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }

// Down returns the largest float64 below v.
func Down(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }

// Ends is the set of numbers from Lo to Hi, none of them negative. An operation rounds its bounds to nearest and
// moves each outward by one float64.
type Ends struct{ Lo, Hi float64 }

// EndsOf returns the numbers from lo to hi.
func EndsOf(lo, hi float64) Ends { return Ends{lo, hi} }

// outward moves both bounds outward, the lower one not below 0.
func (a Ends) outward() Ends { return Ends{math.Max(0, Down(a.Lo)), Up(a.Hi)} }

// Add returns a + b.
func (a Ends) Add(b Ends) Ends { return Ends{a.Lo + b.Lo, a.Hi + b.Hi}.outward() }

// Mul returns a·b.
func (a Ends) Mul(b Ends) Ends { return Ends{a.Lo * b.Lo, a.Hi * b.Hi}.outward() }

// Quo returns a/b for the numbers of b above 0.
func (a Ends) Quo(b Ends) Ends { return Ends{a.Lo / b.Hi, a.Hi / b.Lo}.outward() }
