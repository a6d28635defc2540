// Package matrices has the rivals of the matrix-variate Gaussian mechanism: what
// Chanyaswad, Dytso, Poor and Mittal (2018, full version, Section 8.4) compare it with, on
// matrices of the reader's own.
//
// Records are columns throughout, as in package mvg. Each rival is made in two ways: as
// published, from the (ε, δ) that its paper promises, and by the exact (ε, δ), from the
// certified upper end of what it really gives, so that rivals are compared at equal privacy.
//
//   - [Laplace] and [Gaussian]: independent noise, by the classic scales or the tight ones.
//   - [SymmetricGauss]: Gaussian noise on the upper triangle of XXᵀ (Dwork, Talwar, Thakurta
//     and Zhang 2014, "Analyze Gauss").
//   - [JL]: a Gaussian projection of the records, made private by the least singular value
//     (Blocki, Blum, Datta and Sheffet 2012; Upadhyay 2014).
//   - [Net]: the exponential mechanism on a finite net of matrices (Blum, Ligett and Roth 2013).
//   - [PPCA]: the first principal component by the exponential mechanism, drawn from a
//     [Bingham] law (Chaudhuri, Sarwate and Sinha 2013).
//
// The papers of the last four were not at hand in full when this was written, only their
// abstracts and what 004 says of them; each type says what it was built from.
//
// What the projections really give is in jlprivacy.go (records of any size, spectrum
// raised) and jlspectrum.go (a threshold on the spectrum), by laws of χ² numbers
// (chisquare.go, scales.go); the Bingham law's constant in binghamconstant.go.
//
// Simulate draws in float64, for research: the low bits of such draws tell of the data.
package matrices
