package evidence

// InputEpsilon is an exact ε as a number: what a script writes as ln(3) or a mechanism
// has as its parameter.
type InputEpsilon struct {
	Epsilon
	Provenance
}

// Number returns ε as a number, exact.
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
