package query

// graphCounts returns the number of unlabeled graphs on n ≤ 10 nodes with 0, 1, …, C(n,2) edges.
//
// By Pólya's theorem it is the average over all permutations of the nodes of ∏ (1 + x^k), where k runs over the
// cycle lengths of the permutation on pairs. A node cycle of length a gives ⌊(a−1)/2⌋ cycles of length a and, if a
// is even, one of length a/2. Two node cycles of lengths a and b give gcd(a, b) cycles of length lcm(a, b).
// Source: Harary and Palmer, Graphical Enumeration (1973), (4.1.9).
func graphCounts(n int) []int {
	total := make([]int, n*(n-1)/2+1)
	permutations := int(factorial(n))
	var cycles []int
	var visit func(rest, largest, weight int)
	visit = func(rest, largest, weight int) {
		if rest == 0 {
			for k, x := range pairCycleProduct(cycles, len(total)) {
				total[k] += permutations / weight * x
			}
			return
		}
		for a := min(rest, largest); a >= 1; a-- {
			repeat := 1 // the multiplicity of a so far
			for _, b := range cycles {
				if a == b {
					repeat++
				}
			}
			cycles = append(cycles, a)
			visit(rest-a, a, weight*a*repeat)
			cycles = cycles[:len(cycles)-1]
		}
	}
	visit(n, n, 1)
	for k := range total {
		total[k] /= permutations
	}
	return total
}

// pairCycleProduct returns the coefficients of ∏ (1 + x^k) over the cycles on pairs of a permutation with the
// given cycles on nodes.
func pairCycleProduct(cycles []int, size int) []int {
	product := make([]int, size)
	product[0] = 1
	times := func(k, repeat int) {
		for range repeat {
			for i := size - 1; i >= k; i-- {
				product[i] += product[i-k]
			}
		}
	}
	for i, a := range cycles {
		times(a, (a-1)/2)
		if a%2 == 0 {
			times(a/2, 1)
		}
		for _, b := range cycles[:i] {
			g := gcd(a, b)
			times(a/g*b, g)
		}
	}
	return product
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
