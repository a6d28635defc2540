package evidence

// Side is the direction in which an error is harmless. Up is the safe side of a privacy loss: a value that is too large
// overstates the loss, and one that is too small hides part of it.
type Side int8

const (
	Neither Side = 0  // distortions, probabilities, optimum values
	Up      Side = 1  // upper bounds: privacy losses, δ, sensitivities
	Down    Side = -1 // lower bounds
)

// String returns "up", "down" or "neither".
func (s Side) String() string {
	switch s {
	case Up:
		return "up"
	case Down:
		return "down"
	}
	return "neither"
}

// SideOf returns the safe side of n. It is up for a claimed ε and for an InputEpsilon. Another claim has a safe side
// only if it is a result of arithmetic.
func SideOf(n Number) Side {
	switch n := n.(type) {
	case Claimed:
		if n.Epsilon.IsZero() {
			return n.Side
		}
		return Up
	case Exact:
		return n.Side
	case ExactLog:
		return n.Side
	case LogMultiple:
		return n.Side
	case Certified:
		return n.Side
	case Estimated:
		return n.Side
	case InputEpsilon:
		return Up
	}
	return Neither
}

// WithSide returns an exact, certified or estimated number with the given safe side, and other kinds unchanged.
func WithSide[N Number](number N, side Side) N {
	var out Number // assigned after n.Side, because n.Side, out = side, n would copy n before the change
	switch n := any(number).(type) {
	case Exact:
		n.Side = side
		out = n
	case ExactLog:
		n.Side = side
		out = n
	case LogMultiple:
		n.Side = side
		out = n
	case Certified:
		n.Side = side
		out = n
	case Estimated:
		n.Side = side
		out = n
	default:
		return number
	}
	return out.(N)
}
