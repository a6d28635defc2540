package roots

// Quotient returns p/q where that is a polynomial with whole coefficients, q having no common divisor of its own.
func (p Polynomial) Quotient(q Polynomial) (Polynomial, bool) {
	if len(q) == 0 || len(p) < len(q) {
		return nil, false
	}
	if _, rest := p.divided(q); len(rest) > 0 {
		return nil, false
	}
	return exactly(p, q), true
}
