package sampling

import (
	"errors"
	"math/big"
	"strings"
	"testing"
)

// digits is a source of the binary digits of a number below 1, and of zeros after them.
type digits []uint64

func digitsOf(x Number, bits int) *digits {
	v, _ := x(bits)
	out := make(digits, bits/64)
	for i := range out {
		out[i] = new(big.Int).Rsh(v, uint(bits-64*(i+1))).Uint64()
	}
	return &out
}

func (d *digits) Uint64() (word uint64) {
	if len(*d) > 0 {
		word, *d = (*d)[0], (*d)[1:]
	}
	return word
}

// A uniform number that agrees with a threshold as far as it is followed decides nothing, and neither does one that agrees further than the weights are known:
// that is an error, and no outcome.
func TestDigitsThatAgreeWithAThreshold(t *testing.T) {
	e := Exp(Int(-1)).Known()
	law, err := NewLaw(Int(1), e)
	if err != nil {
		t.Fatal(err)
	}
	share := Sum(Int(1), e).Inverse() // of the first
	if i, err := law.Draw(digitsOf(share, mostBits+256)); i != 0 || !errors.Is(err, ErrUndecided) || !strings.Contains(err.Error(), "2^−65536") {
		t.Errorf("all digits agree: outcome %d, %v", i, err)
	}
	// One that agrees for 1000 bits alone is decided by the next: below the share, and above.
	for want, more := range []uint64{0, ^uint64(0)} {
		src := digitsOf(share, 1024)
		*src = append(*src, more, more, more, more, more, more, more, more)
		if i, err := law.Draw(src); i != want || err != nil {
			t.Errorf("the digits behind the 1024th decide: outcome %d, %v, want %d", i, err, want)
		}
	}
	// A weight that is known to 400 bits is enough for 64 digits, and not for more.
	vague := func(bits int) (lo, hi *big.Int) {
		if lo, hi = e(bits); bits > 400 {
			hi = new(big.Int).Add(hi, new(big.Int).Lsh(one, uint(bits-400)))
		}
		return lo, hi
	}
	if law, err = NewLaw(Int(1), vague); err != nil {
		t.Fatal(err)
	}
	if i, err := law.Draw(digitsOf(share, 1024)); i != 0 || !errors.Is(err, ErrUndecided) || !strings.Contains(err.Error(), "weight 1") {
		t.Errorf("a weight that is not known further: outcome %d, %v", i, err)
	}
}
