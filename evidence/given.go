package evidence

// InputEpsilon is an exact ε as a number: what a script writes as ln(3) or a mechanism
// has as its parameter.
type InputEpsilon struct {
	Epsilon

	Caveat, Call string    // see Citation
	Statement    Statement // see Citation
}

// Number returns ε as a number, exact.
func (e Epsilon) Number() InputEpsilon { return InputEpsilon{Epsilon: e} }

// Kind implements Number.
func (InputEpsilon) Kind() Kind { return KindExact }

// Float implements Number.
func (g InputEpsilon) Float() float64 { return g.Value() }

// Bounds implements Number.
func (g InputEpsilon) Bounds() (lo, hi float64) { return g.Enclosure().Bounds() }

// form is the way in which an ε is exact.
func (g InputEpsilon) form() string {
	if g.IsExact() {
		return "a logarithm"
	}
	return "a fraction"
}
