package evidence

// InputEpsilon is an exact ε as a number, such as ln(3) in a script or the parameter of a mechanism.
type InputEpsilon struct {
	Epsilon
	Provenance
}

// Number returns ε as an exact number.
func (e Epsilon) Number() InputEpsilon {
	if e.IsExact() {
		return InputEpsilon{e, From("written as a logarithm")}
	}
	return InputEpsilon{e, From("written as a fraction")}
}

// Kind implements Number.
func (InputEpsilon) Kind() Kind { return KindExact }

// Float implements Number.
func (g InputEpsilon) Float() float64 { return g.Value() }

// Bounds implements Number.
func (g InputEpsilon) Bounds() (lo, hi float64) { return g.Enclosure().Bounds() }
