// Package xor holds the benchmark of enumeration beside NumPy; it has no code of
// its own.
package xor
