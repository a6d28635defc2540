package xor

import "golang.org/x/sys/cpu"

// advance sets dst[i] = src[i]·(ratio[i]·c) and sums[k] to the sum of class k of dst.
// With dot3 it is nearly all of an enumeration's time.
func advance(dst, src, ratio []float64, c float64, ends []int, sums []float64) {
	if !cpu.X86.HasAVX2 {
		advanceGo(dst, src, ratio, c, ends, sums)
		return
	}
	n := ends[len(ends)-1]
	dst, src, ratio, sums = dst[:n], src[:n], ratio[:n], sums[:len(ends)]
	advanceAVX2(&dst[0], &src[0], &ratio[0], c, &ends[0], len(ends), &sums[0])
}

// dot3 sets a[k], b[k] and c[k] to the inner products of src with three vectors over class k.
func dot3(src, x, y, z []float64, ends []int, a, b, c []float64) {
	if !cpu.X86.HasAVX2 {
		dot3Go(src, x, y, z, ends, a, b, c)
		return
	}
	n := ends[len(ends)-1]
	src, x, y, z = src[:n], x[:n], y[:n], z[:n]
	a, b, c = a[:len(ends)], b[:len(ends)], c[:len(ends)]
	dot3AVX2(&src[0], &x[0], &y[0], &z[0], &ends[0], len(ends), &a[0], &b[0], &c[0])
}

// The routines go through class k and class classes−1−k side by side, which are as long as
// each other: two sums at a time hide how long one addition takes.

//go:noescape
func advanceAVX2(dst, src, ratio *float64, c float64, ends *int, classes int, sums *float64)

//go:noescape
func dot3AVX2(src, x, y, z *float64, ends *int, classes int, a, b, c *float64)
