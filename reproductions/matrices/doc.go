// Package matrices holds the competitors of the matrix-variate Gaussian mechanism: the mechanisms that Chanyaswad,
// Dytso, Poor and Mittal (2018, full version, Section 8.4) compare it with.
//
// Records are columns throughout, as in package mvg. Each mechanism can be calibrated in two ways: as published, from
// the claimed (ε, δ), or from the certified upper end of its actual privacy. So they can be compared at equal privacy.
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
// For the last four only the papers' abstracts and their description in the MVG paper were available. Each type says
// what it was built from.
//
// The actual privacy of the projections is in jlprivacy.go (records of any size, raised spectrum) and jlspectrum.go (a
// threshold on the spectrum), by χ² laws (chisquare.go, scales.go). The constant of the Bingham law is in
// binghamconstant.go.
//
// Simulate draws in float64, for research only: the low bits of such draws leak information on the data.
package matrices
