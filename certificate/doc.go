// Package certificate writes numbers down as files that prove themselves: the statement that a number answers,
// in full, and what proves it. check.py beside it, a program of its own in Python, accepts or rejects them;
// docs/certificates.md says what a file means.
//
// [Of] makes the certificate of a number, by the statement that its evidence carries (evidence.Provenance); [File.Write]
// writes it. A file here holds one sort of statements, or a part that several have: queries
// (query.go), laws (law.go), numbers (number.go).
package certificate
