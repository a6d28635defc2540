package draw

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Source returns stream number n of a seed: the same numbers for the same seed and number, on every machine and in
// every version of this program. All seeded draws start here. The generator is the PCG of math/rand/v2: fast, and
// not cryptographic.
func Source(seed, n uint64) *rand.PCG { return rand.NewPCG(seed, n) }

// Key is the seed of a generator whose output is computationally indistinguishable from random.
type Key [32]byte

// NewKey takes four words from src. It seeds an independent generator for a part of the work, whose draws do not
// advance src. Output for the key of a cryptographic source is as hard to predict as the source.
func NewKey(src rand.Source) (k Key) {
	for i := 0; i < len(k); i += 8 {
		binary.LittleEndian.PutUint64(k[i:], src.Uint64())
	}
	return k
}

// Part returns the key of a part of a key's work, named by two numbers. Its output is computationally independent
// of the key's own and of all other parts'. It is SHA-256 of a domain tag, the key and the numbers.
func (k Key) Part(i, j uint64) Key {
	text := append([]byte("part of a key\x00\x00\x00"), k[:]...)
	text = binary.BigEndian.AppendUint64(text, i)
	return sha256.Sum256(binary.BigEndian.AppendUint64(text, j))
}

// Source returns the numbers of a key, by ChaCha8, from the first on.
func (k Key) Source() *rand.ChaCha8 { return rand.NewChaCha8(k) }
