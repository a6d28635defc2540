// Package certificate writes numbers as files that can be checked independently: the complete statement that a
// number answers, and its proof. check.py beside it, a separate program in Python, accepts or rejects them;
// docs/certificates.md defines the format.
//
// [Of] makes the certificate of a number from the statement that its evidence carries (evidence.Provenance);
// [File.Write] writes it. Each Go file holds one sort of statements, or a part that several have: queries
// (query.go), laws (law.go), numbers (number.go).
package certificate
