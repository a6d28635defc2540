package xor

import "dpworkbench/internal/sampling"

// CryptoSource draws from the operating system's cryptographic generator: the
// source for noise that is really released. Whoever can guess the noise undoes
// the mechanism, so that seeded sources are for research only. It is not safe
// for concurrent use.
type CryptoSource = sampling.System

// NewCryptoSource returns a source.
func NewCryptoSource() *CryptoSource { return new(CryptoSource) }
