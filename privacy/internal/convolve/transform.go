package convolve

import (
	"math/big"
	"math/bits"
	"sync"
)

// Number-theoretic transforms (Pollard 1971) convolve sequences modulo primes. A sequence modulo a prime is a
// polynomial, and a convolution multiplies the values of two polynomials at the roots of x^N − 1. The residues by
// several primes determine a number below the product of the primes.

const (
	// Every prime has roots of unity of order mostPoints = 2^logPoints, which is the length of the longest sequence.
	logPoints  = 22
	mostPoints = 1 << logPoints
	// primeBits is the length of the primes in bits: four times a residue still fits 64 bits.
	primeBits = 62
)

// field is the field of the integers modulo a prime p.
type field struct {
	p    uint64
	root uint64 // a root of unity of order 2^logPoints

	guard              sync.Mutex
	twiddles, inverses []factor // twiddle factors of the blocks and their inverses; see forward
}

// factor is a multiplier n together with ⌊2⁶⁴ n/p⌋, which Shoup's modular multiplication needs.
type factor struct{ n, share uint64 }

func (f *field) factor(n uint64) factor {
	q, _ := bits.Div64(n, 0, f.p)
	return factor{n, q}
}

// times returns a·c mod p for a < 2⁶⁴.
func (f *field) times(a uint64, c factor) uint64 {
	q, _ := bits.Mul64(a, c.share)
	return f.plus(a*c.n-q*f.p, 0)
}

// plus returns a + b mod p for a + b < 2p.
func (f *field) plus(a, b uint64) uint64 {
	if a += b; a >= f.p {
		a -= f.p
	}
	return a
}

// minus returns a − b mod p for residues.
func (f *field) minus(a, b uint64) uint64 {
	if a < b {
		a += f.p
	}
	return a - b
}

// mul returns a·b mod p for residues.
func (f *field) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, f.p)
}

func (f *field) power(a uint64, n uint64) uint64 {
	out := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = f.mul(out, a)
		}
		a = f.mul(a, a)
	}
	return out
}

func (f *field) inverse(a uint64) uint64 { return f.power(a, f.p-2) }

// fields caches the fields found so far, whose primes c·2^logPoints + 1 decrease.
var fields struct {
	sync.Mutex
	all  []*field
	next uint64
}

// firstFields returns the first n fields.
func firstFields(n int) []*field {
	fields.Lock()
	defer fields.Unlock()
	if fields.next == 0 {
		fields.next = 1<<(primeBits-logPoints) - 1
	}
	for ; len(fields.all) < n; fields.next-- {
		p := fields.next<<logPoints + 1
		if !new(big.Int).SetUint64(p).ProbablyPrime(0) { // this test is certain below 2⁶⁴
			continue
		}
		f := &field{p: p}
		for g := uint64(2); ; g++ { // a power of a non-residue has the full order
			if f.power(g, (p-1)/2) == p-1 {
				f.root = f.power(g, (p-1)>>logPoints)
				break
			}
		}
		fields.all = append(fields.all, f)
	}
	return fields.all[:n:n]
}

// tables returns the twiddle factors of the blocks of n points and their inverses, at least n/2 of each. The factor of
// block 2^k + j is the factor of block j times a root of order 2^{k+2}.
func (f *field) tables(n int) (twiddles, inverses []factor) {
	f.guard.Lock()
	defer f.guard.Unlock()
	if len(f.twiddles) == 0 {
		f.twiddles, f.inverses = []factor{f.factor(1)}, []factor{f.factor(1)}
	}
	for k := bits.Len(uint(len(f.twiddles))) - 1; 2*len(f.twiddles) < n; k++ {
		root := f.power(f.root, 1<<(logPoints-2-k))
		forth, back := f.factor(root), f.factor(f.inverse(root))
		for j := range 1 << k {
			f.twiddles = append(f.twiddles, f.factor(f.times(f.twiddles[j].n, forth)))
			f.inverses = append(f.inverses, f.factor(f.times(f.inverses[j].n, back)))
		}
	}
	return f.twiddles, f.inverses
}

// forward is the forward transform: it replaces a polynomial by its values at the roots, in bit-reversed order. It
// splits a polynomial modulo x^{2h} − w² into one modulo x^h − w and one modulo x^h + w, where w is the twiddle factor
// of the block.
func (f *field) forward(a []uint64) {
	twiddles, _ := f.tables(len(a))
	for h := len(a) / 2; h > 0; h /= 2 {
		for s := range len(a) / (2 * h) {
			w := twiddles[s]
			low, high := a[2*s*h:(2*s+1)*h], a[(2*s+1)*h:(2*s+2)*h]
			for i, u := range low {
				v := f.times(high[i], w)
				low[i], high[i] = f.plus(u, v), f.minus(u, v)
			}
		}
	}
}

// backward is the inverse transform, multiplied by len(a).
func (f *field) backward(a []uint64) {
	_, inverses := f.tables(len(a))
	for h := 1; 2*h <= len(a); h *= 2 {
		for s := range len(a) / (2 * h) {
			w := inverses[s]
			low, high := a[2*s*h:(2*s+1)*h], a[(2*s+1)*h:(2*s+2)*h]
			for i, u := range low {
				v := high[i]
				low[i], high[i] = f.plus(u, v), f.times(f.minus(u, v), w)
			}
		}
	}
}

// residues returns row modulo p, padded with zeros to length n.
func (f *field) residues(row []*big.Int, n int) []uint64 {
	out := make([]uint64, n)
	for i, m := range row {
		r := uint64(0)
		words := m.Bits()
		for k := len(words) - 1; k >= 0; k-- {
			r = bits.Rem64(r>>(64-bits.UintSize), r<<(bits.UintSize/2)<<(bits.UintSize/2)|uint64(words[k]), f.p)
		}
		out[i] = r
	}
	return out
}

// points returns the least power of two that is at least length.
func points(length int) int { return 1 << bits.Len(uint(length-1)) }

// transformed computes Rows by transforms, for sums of at most size bits.
func transformed(a, b []*big.Int, size int) []*big.Int {
	length := len(a) + len(b) - 1
	n := points(length)
	over := firstFields(size/(primeBits-1) + 1)
	rows := make([][]uint64, len(over))
	for k, f := range over {
		x := f.residues(a, n)
		f.forward(x)
		y := x
		if len(a) != len(b) || &a[0] != &b[0] {
			y = f.residues(b, n)
			f.forward(y)
		}
		for i := range x {
			x[i] = f.mul(x[i], y[i])
		}
		f.backward(x)
		shrink := f.factor(f.inverse(uint64(n) % f.p))
		for i := range x[:length] {
			x[i] = f.times(x[i], shrink)
		}
		rows[k] = x[:length]
	}
	return combine(over, rows)
}

// combine returns the numbers below the product of the primes with the given residues, from their mixed-radix digits
// d₀ + d₁p₀ + d₂p₀p₁ + … (Garner 1959).
func combine(over []*field, rows [][]uint64) []*big.Int {
	n := len(over)
	base, inverse := make([][]factor, n), make([]factor, n) // base[k][j] = p_j mod p_k, inverse[k] = 1/(p₀⋯p_{k−1}) mod p_k
	for k, f := range over {
		product := uint64(1)
		for _, g := range over[:k] {
			base[k] = append(base[k], f.factor(g.p%f.p))
			product = f.mul(product, g.p%f.p)
		}
		inverse[k] = f.factor(f.inverse(product))
	}
	const perDigit = 64 / bits.UintSize
	size := n * perDigit
	out := make([]*big.Int, len(rows[0]))
	slab := make([]big.Word, len(out)*size)
	digits, words := make([]uint64, n), make([]uint64, n)
	for i := range out {
		for k, f := range over {
			value := uint64(0) // value of the digits so far, modulo p_k
			for j := k - 1; j >= 0; j-- {
				value = f.plus(f.times(value, base[k][j]), f.plus(digits[j], 0)) // a digit is less than 2p
			}
			digits[k] = f.times(f.minus(rows[k][i], value), inverse[k])
		}
		used := 0
		for k := n - 1; k >= 0; k-- {
			carry := digits[k]
			for j := range words[:used] {
				hi, lo := bits.Mul64(words[j], over[k].p)
				var c uint64
				words[j], c = bits.Add64(lo, carry, 0)
				carry = hi + c
			}
			if carry > 0 {
				words[used] = carry
				used++
			}
		}
		at := slab[i*size : i*size : (i+1)*size]
		for _, w := range words[:used] {
			for range perDigit {
				at = append(at, big.Word(w))
				w >>= bits.UintSize % 64
			}
		}
		out[i] = new(big.Int).SetBits(at)
	}
	return out
}
