// Package golden has the golden-section search for the minimum of a unimodal function of one variable.
package golden

import "math"

// Minimize returns the argument that minimises f and the value there, after the given number of golden sections. f is
// unimodal between lo and hi. Each section costs one evaluation, and there are two more.
func Minimize(f func(float64) float64, lo, hi float64, sections int) (at, value float64) {
	phi := (math.Sqrt(5) - 1) / 2
	a, b := hi-phi*(hi-lo), lo+phi*(hi-lo)
	fa, fb := f(a), f(b)
	for range sections {
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - phi*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + phi*(hi-lo)
			fb = f(b)
		}
	}
	if fa <= fb {
		return a, fa
	}
	return b, fb
}
