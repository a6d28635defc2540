package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"dpworkbench/internal/parallel"
	"dpworkbench/mvg"
)

// limits holds the speeds of this machine per second, on all processors.
type limits struct {
	bytes, normals, products float64
	productsBy               string
}

// measureLimits measures copies of memory larger than the caches, normal numbers within the caches, and multiply-adds
// of a BLAS, or of compiled Go if there is no BLAS.
func measureLimits(ctx context.Context, e *environment, quick bool) (limits, error) {
	size := 32 << 20
	if quick {
		size = 1 << 20
	}
	l := limits{productsBy: "compiled Go, no vectors"}
	from, to := make([]float64, size), make([]float64, size)
	l.bytes = rate(16*float64(size), func() {
		check(parallel.Chunks(context.Background(), size, 1<<16, func(first, last int) error {
			copy(to[first:last], from[first:last])
			return nil
		}))
	})
	const width, times = 128, 200
	each := make([]task, runtime.GOMAXPROCS(0))
	for i := range each {
		each[i] = noise(ctx, width, must(mvg.NewDirectional(ramp(width), nil)), must(mvg.NewIsotropic(width, 1)))
	}
	all := func(n int, f func(i int)) func() {
		return func() {
			check(parallel.AtOnce(context.Background(), len(each), func(i int) error {
				for range n {
					f(i)
				}
				return nil
			}))
		}
	}
	l.normals = rate(float64(len(each))*width*width*times, all(times, func(i int) { each[i]() }))
	sums := make([][8]float64, len(each))
	l.products = rate(float64(len(each))*8*1e7, all(1, func(i int) { sums[i] = multiplyAdds(1e7) }))
	if e.python != "" {
		s := start(ctx, "NumPy", []string{e.python, "bench/peers/worker.py", "with_numpy", "product", "1024"}, nil, time.Minute)
		defer s.close()
		if err := alternate(ctx, []*side{s}, options{rounds: 7}); err != nil {
			return l, err
		}
		if best := 1024 * 1024 * 1024 / s.times.median(); best > l.products {
			l.products, l.productsBy = best, s.times.label+"'s product"
		}
	}
	return l, ctx.Err()
}

// rate returns the median over seven rounds of the amount done per second.
func rate(amount float64, f func()) float64 {
	var seconds []float64
	for i := range 8 {
		begun := time.Now()
		f()
		if i > 0 {
			seconds = append(seconds, time.Since(begun).Seconds())
		}
	}
	return amount / quantile(seconds, .5)
}

// multiplyAdds executes n rounds of eight independent multiply-adds.
func multiplyAdds(n int) (sums [8]float64) {
	var a, b, c, d, e, f, g, h float64
	x, y := 1.0, float64(n)*1e-300
	for range n {
		a, b, c, d = a*x+y, b*x+y, c*x+y, d*x+y
		e, f, g, h = e*x+y, f*x+y, g*x+y, h*x+y
	}
	return [8]float64{a, b, c, d, e, f, g, h}
}

// reached names the limit that a load comes closest to when it takes the given seconds, and the share reached.
func (l limits) reached(need load, seconds float64) string {
	best, said := 0.0, ""
	for _, k := range []struct {
		amount, rate float64
		what         string
	}{{need.bytes, l.bytes, "of copying"}, {need.normals, l.normals, "of drawing normals"}, {need.products, l.products, "of multiply-adds"}} {
		if fraction := k.amount / k.rate / seconds; fraction > best {
			best, said = fraction, fmt.Sprintf("%.2g %s", fraction, k.what)
		}
	}
	return said
}
