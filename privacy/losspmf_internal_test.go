package privacy

// sumOver calls with every sum of k of the losses, and its chance.
func sumOver(p, losses []float64, k int, at, chance float64, with func(at, chance float64)) {
	if k == 0 {
		with(at, chance)
		return
	}
	for i := range p {
		sumOver(p, losses, k-1, at+losses[i], chance*p[i], with)
	}
}
