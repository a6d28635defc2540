package products

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"dpworkbench/internal/parallel"

	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// The kernel keeps a tile of 4 rows by 8 columns of c in registers. b is copied once, row by row, into panels of eight
// columns; the last panel is padded with zeros. Blocks are sized for the caches. A piece of 256 rows of a panel (16
// KiB) fits the first level. Up to 96 rows of 256 entries of a (192 KiB) fit the second level. They are copied too, and
// their number is padded to a multiple of four.
const (
	tileRows, tileColumns = 4, 8
	mostDepth             = 256
	mostRows              = 96
	leastWork             = 1 << 14 // the number of products below which copies do not pay
)

func add(c blas64.General, alpha float64, ta blas.Transpose, a, b blas64.General, s shape) {
	if !cpu.X86.HasAVX2 || c.Rows*c.Cols*b.Rows < leastWork {
		plain(c, alpha, ta, a, b, s)
		return
	}
	rows, depth := a.Rows, a.Cols
	if ta != blas.NoTrans {
		rows, depth = depth, rows
	}
	if c.Rows != rows || b.Rows != depth || c.Cols != b.Cols {
		panic("products: shapes do not match")
	}
	t := &tiles{c: c, a: a, alpha: alpha, turned: ta != blas.NoTrans, shape: s, depth: depth}
	kept := copies.Get().(*[]float64)
	defer copies.Put(kept)
	size := up(c.Cols, tileColumns) * depth
	*kept = slices.Grow((*kept)[:0], size)
	t.panels = (*kept)[:size]
	err := t.pack(b)
	if err == nil {
		share := (rows + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
		err = parallel.Workers(context.Background(), rows, min(mostRows, up(share, tileRows)), t.worker)
	}
	if err != nil {
		panic(err) // raised in the caller's goroutine, which can recover
	}
}

// Memory for the copies of b and of pieces of a.
var (
	copies = sync.Pool{New: func() any { return new([]float64) }}
	pieces = sync.Pool{New: func() any { return new([mostRows * mostDepth]float64) }}
)

func up(n, unit int) int { return (n + unit - 1) / unit * unit }

// tiles is one product in progress.
type tiles struct {
	c, a   blas64.General
	alpha  float64
	turned bool // a
	shape
	panels []float64 // the panels of b; panel p begins at p·8·depth
	depth  int
}

func (t *tiles) pack(b blas64.General) error {
	count := up(b.Cols, tileColumns) / tileColumns
	return parallel.Chunks(context.Background(), t.depth, 64, func(first, last int) error {
		for l := first; l < last; l++ {
			row := b.Data[l*b.Stride : l*b.Stride+b.Cols]
			for p := range count {
				eight := t.panels[(p*t.depth+l)*tileColumns:][:tileColumns]
				if copy(eight, row[p*tileColumns:]) < tileColumns {
					clear(eight[t.c.Cols%tileColumns:])
				}
			}
		}
		return nil
	})
}

// worker returns a function that computes up to 96 rows of c.
func (t *tiles) worker() func(first, last int) error {
	return func(first, last int) error {
		kept := pieces.Get().(*[mostRows * mostDepth]float64)
		defer pieces.Put(kept)
		rows := kept[:]
		for at := 0; at < t.depth; at += mostDepth {
			depth := min(mostDepth, t.depth-at)
			t.copyRows(rows, first, last, at, depth)
			for j := 0; j < t.c.Cols; j += tileColumns {
				panel := t.panels[j*t.depth+at*tileColumns:]
				for i := first; i < last; i += tileRows {
					n := depth
					if t.shape == lower {
						n = min(depth, i+tileRows-at)
					}
					if n > 0 {
						t.tile(i, j, last, rows[(i-first)*mostDepth:], panel, n)
					}
				}
			}
		}
		return nil
	}
}

// copyRows writes α times a's entries to rows, whose stride is mostDepth.
func (t *tiles) copyRows(rows []float64, first, last, at, depth int) {
	for i := first; i < last; i++ {
		row := rows[(i-first)*mostDepth:][:depth]
		if t.turned {
			for l := range row {
				row[l] = t.alpha * t.a.Data[(at+l)*t.a.Stride+i]
			}
			continue
		}
		for l, v := range t.a.Data[i*t.a.Stride+at:][:depth] {
			row[l] = t.alpha * v
		}
	}
	clear(rows[(last-first)*mostDepth : up(last-first, tileRows)*mostDepth])
}

// tile adds a product to the tile of c at (i, j), as far as it lies in c and before row last.
func (t *tiles) tile(i, j, last int, rows, panel []float64, depth int) {
	c := t.c.Data[i*t.c.Stride+j:]
	if i+tileRows <= last && j+tileColumns <= t.c.Cols {
		addTile(&c[0], t.c.Stride, &rows[0], &panel[0], depth)
		return
	}
	var edge [tileRows * tileColumns]float64
	wide := min(tileColumns, t.c.Cols-j)
	for r := range min(tileRows, last-i) {
		copy(edge[r*tileColumns:], c[r*t.c.Stride:][:wide])
	}
	addTile(&edge[0], tileColumns, &rows[0], &panel[0], depth)
	for r := range min(tileRows, last-i) {
		copy(c[r*t.c.Stride:][:wide], edge[r*tileColumns:])
	}
}

// addTile adds to the 4×8 numbers at c the products of 4 rows of mostDepth numbers, of which it
// takes depth, with as many rows of a panel.
//
//go:noescape
func addTile(c *float64, stride int, rows, panel *float64, depth int)
