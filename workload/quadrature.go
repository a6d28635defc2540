package workload

import "math"

// node is a point t and weight w of a quadrature for ∫_0^∞ h(t) dt.
type node struct{ t, w float64 }

// quadrature returns n nodes for functions such as 1/(s² + t²), whose poles are at ±is with least ≤ s ≤ most. It is the
// midpoint rule in u, where t = least·sc(u | 1 − k²) and k = least/most. Its relative error is about 4e^{−π²n/K'} with
// K' ≈ ln(4/k) (Hale, Higham and Trefethen, SIAM J. Numer. Anal. 46(5), 2008, method 3).
func quadrature(least, most float64, n int) []node {
	k := least / most
	// a becomes the arithmetic-geometric mean of 1 and k. ratios holds the ratios c/a of descending Landen steps (DLMF
	// 22.20).
	a, b := 1.0, k
	var ratios []float64
	for i := 0; i < 60 && a-b > 1e-16*a; i++ {
		ratios = append(ratios, (a-b)/(a+b))
		a, b = (a+b)/2, math.Sqrt(a*b)
	}
	period := math.Pi / (2 * a)
	nodes := make([]node, n)
	for i := range (n + 1) / 2 {
		u := (float64(i) + .5) * period / float64(n)
		phi := math.Ldexp(a*u, len(ratios))
		for j := len(ratios) - 1; j >= 0; j-- {
			phi = (phi + math.Asin(ratios[j]*math.Sin(phi))) / 2
		}
		sn, cn := math.Sincos(phi)
		dn := math.Sqrt(k*k + (1-k*k)*cn*cn)
		t := least * sn / cn
		w := period / float64(n) * least * dn / (cn * cn)
		nodes[i] = node{t, w}
		// sc(K' − u) = 1/(k sc(u)).
		nodes[n-1-i] = node{least * most / t, w * least * most / (t * t)}
	}
	return nodes
}

// nodesFor returns the number of nodes that gives a relative error of about e.
func nodesFor(least, most, e float64) int {
	return 2 + int(math.Log(4/e)*(math.Log(4)+math.Log(most/least))/(math.Pi*math.Pi))
}
