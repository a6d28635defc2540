package signrp

// fourthMoment returns E w⁴ of one entry; E w² = 1.
func (w *Projection) fourthMoment() float64 {
	switch w.kind {
	case Gaussian:
		return 3
	case Uniform:
		return 1.8 // 9/5
	case Sparse:
		return w.s
	}
	return 1
}
