package mvg

// RandomBasis is for the tests from outside.
var RandomBasis = randomBasis
