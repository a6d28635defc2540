package evidence

// Given is an exact ε as a number: what a script writes as ln(3) or a mechanism
// has as its parameter.
type Given struct {
	Epsilon

	Caveat, Call string    // see Citation
	Statement    Statement // see Citation
}

// Number returns ε as a number, exact.
func (e Epsilon) Number() Given { return Given{Epsilon: e} }

// Kind implements Number.
func (Given) Kind() Kind { return KindExact }

// Float implements Number.
func (g Given) Float() float64 { return g.Value() }

// Bounds implements Number.
func (g Given) Bounds() (lo, hi float64) { return g.Enclosure().Bounds() }

// form is the way in which an ε is exact.
func (g Given) form() string {
	if g.IsExact() {
		return "a logarithm"
	}
	return "a fraction"
}
