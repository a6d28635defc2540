// Package certificate writes numbers as files that can be checked independently: the complete statement that a number
// answers, and its proof. The separate Python program check.py in this folder accepts or rejects them;
// docs/certificates.md defines the format.
//
// [Of] makes the certificate of a number from the statement that its evidence carries (evidence.Provenance);
// [File.Write] writes it. Each Go file holds one kind of statement, or a part that several kinds share: queries
// (query.go), laws (law.go), numbers (number.go).
package certificate
