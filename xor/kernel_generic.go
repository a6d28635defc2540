//go:build !amd64

package xor

func advance(dst, src, ratio []float64, c float64, ends []int, sums []float64) {
	advanceGo(dst, src, ratio, c, ends, sums)
}

func dot3(src, x, y, z []float64, ends []int, a, b, c []float64) {
	dot3Go(src, x, y, z, ends, a, b, c)
}
