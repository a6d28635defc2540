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

// NewKey returns a key of four words from src. The key seeds an independent generator for a part of the work, whose
// draws do not advance src. Output for a key from a cryptographic source is as hard to predict as the source.
func NewKey(src rand.Source) (k Key) {
	for i := 0; i < len(k); i += 8 {
		binary.LittleEndian.PutUint64(k[i:], src.Uint64())
	}
	return k
}

// Part returns the key of a part of the work of key k; two numbers name the part. The part's output is computationally
// independent of the output of k and of all other parts. The new key is SHA-256 of a domain tag, k and the numbers.
func (k Key) Part(i, j uint64) Key {
	text := append([]byte("part of a key\x00\x00\x00"), k[:]...)
	text = binary.BigEndian.AppendUint64(text, i)
	return sha256.Sum256(binary.BigEndian.AppendUint64(text, j))
}

// Source returns the ChaCha8 generator whose seed is the key.
func (k Key) Source() *rand.ChaCha8 { return rand.NewChaCha8(k) }
