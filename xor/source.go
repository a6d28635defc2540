package xor

import "dpworkbench/internal/sampling"

// CryptoSource draws from the operating system's cryptographic generator, as noise of real releases must be.
// Whoever can guess the noise can remove it, so seeded sources are for research only. It is not safe for concurrent
// use.
type CryptoSource = sampling.System

// NewCryptoSource returns a source of the operating system's random bits.
func NewCryptoSource() *CryptoSource { return new(CryptoSource) }
