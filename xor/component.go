package xor

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"
)

// component is a connected component of the couplings: bits of different components are independent. copies is the
// number of components with the same law. bits are the bits of the first copy; the method shift gives the offsets of
// the others.
type component struct {
	bits   []int
	copies int
}

// maxCoupled bounds the number of bits of associated objects, because each one is visited.
const maxCoupled = 1 << 28

// components decomposes the law into independent parts. Objects without associations are independent and follow the
// same law, so only the first is listed. It returns ctx's error, one wrapping evidence.ErrParameter if more than 2²⁸
// bits are associated, or memory.Err if they do not fit.
func (b *Bernoulli) components(ctx context.Context) ([]component, error) {
	if b.theta == nil {
		if b.cols.lambda == 0 {
			return []component{{[]int{0}, b.Dim()}}, nil
		}
		if err := memory.Need(fmt.Sprintf("a search over %d associated bits", b.n), 64*float64(b.n)); err != nil { // each with its couplings
			return nil, err
		}
		bits := lists.Of(b.n, func(i int) int { return i * b.p })
		return []component{{bits, b.p}}, nil
	}
	if len(b.coupled)*b.p > maxCoupled {
		return nil, parameter.Errorf("%d associated objects of %d bits, want at most %d bits", len(b.coupled), b.p, maxCoupled)
	}
	if err := memory.Need(fmt.Sprintf("a search over %d associated objects of %d bits", len(b.coupled), b.p), 128*float64(len(b.coupled))*float64(b.p)); err != nil {
		return nil, err
	}
	var out []component
	seen := make(map[int]bool)
	cut := func(object, copies int) error {
		for start := object * b.p; start < (object+1)*b.p; start++ {
			if seen[start] {
				continue
			}
			seen[start] = true
			bits := []int{start}
			for at := 0; at < len(bits); at++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				b.couplings(bits[at], func(k int, _ float64) {
					if !seen[k] {
						seen[k] = true
						bits = append(bits, k)
					}
				})
			}
			slices.Sort(bits)
			out = append(out, component{bits, copies})
		}
		return nil
	}
	if free := b.n - len(b.coupled); free > 0 {
		if err := cut(b.freeObject(0), free); err != nil {
			return nil, err
		}
	}
	for _, object := range b.coupled {
		if err := cut(object, 1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// couplings calls visit with every bit j ≠ k that bit k is coupled to, and Π_kj.
func (b *Bernoulli) couplings(k int, visit func(j int, v float64)) {
	object, feature := k/b.p, k%b.p
	if b.theta == nil {
		if b.cols.lambda != 0 {
			for j := feature; j < b.Dim(); j += b.p {
				if j != k {
					visit(j, b.cols.lambda)
				}
			}
		}
		return
	}
	block := func(object int, block []float64) {
		for i, v := range block[feature*b.p : (feature+1)*b.p] {
			if j := object*b.p + i; v != 0 && j != k {
				visit(j, v)
			}
		}
	}
	block(object, b.theta)
	for _, l := range b.linksOf(object) {
		block(l.object, l.block)
	}
}

// freeObject returns the k-th object without associations.
func (b *Bernoulli) freeObject(k int) int {
	// coupled[i] − i free objects precede coupled[i].
	return k + sort.Search(len(b.coupled), func(i int) bool { return b.coupled[i]-i > k })
}

// shift returns the offset from the bits of c's first copy to those of another copy.
func (b *Bernoulli) shift(c component, copy int) int {
	switch {
	case copy == 0:
		return 0
	case b.theta == nil:
		return copy // copies are columns or single bits
	}
	return (b.freeObject(copy) - b.freeObject(0)) * b.p
}

// copyOf returns the index of the component of bit k, and the number of its copy. part is the result of index.
func (b *Bernoulli) copyOf(k int, part map[int]int) (component, copy int) {
	if b.theta == nil {
		if b.cols.lambda == 0 {
			return 0, k
		}
		return 0, k % b.p
	}
	object := k / b.p
	if i, coupled := slices.BinarySearch(b.coupled, object); !coupled {
		return part[b.freeObject(0)*b.p+k%b.p], object - i
	}
	return part[k], 0
}

// index maps every bit of the first copies to its component.
func index(parts []component) map[int]int {
	part := make(map[int]int)
	for i, c := range parts {
		for _, k := range c.bits {
			part[k] = i
		}
	}
	return part
}
