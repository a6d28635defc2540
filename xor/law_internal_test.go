package xor

import (
	"math"
	"testing"
)

// Uniform integers are drawn without bias by rejection: words whose low half is below 2³² mod n are skipped.
func TestUniformIntegerRejection(t *testing.T) {
	const n, reject = 3, 1 // 2³² mod 3
	for _, c := range []struct {
		words []uint32
		want  uint32
	}{{[]uint32{0, 1 << 30}, 0}, {[]uint32{0x55555556, 0}, 1}, {[]uint32{math.MaxUint32, 0}, 2}, {[]uint32{0xaaaaaaab, 0}, 2}, {[]uint32{0x55555555, 0}, 0}} {
		b := below{src: pairSource(uint64(c.words[1])<<32 | uint64(c.words[0]))}
		if got := b.draw(n, reject); got != c.want {
			t.Errorf("%x draws %d, want %d", c.words, got, c.want)
		}
	}
	// The word is kept if the low half of word·n equals reject: 3·0xaaaaaaab = 2·2³² + 1.
	b := below{src: pairSource(uint64(7)<<32 | 0xaaaaaaab)}
	if got, next := b.draw(n, reject), b.word(); got != 2 || next != 7 {
		t.Errorf("the word at the boundary draws %d, and the next word is %d", got, next)
	}
}

// pairSource is a source that repeats one word.
type pairSource uint64

func (s pairSource) Uint64() uint64 { return uint64(s) }
