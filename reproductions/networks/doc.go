// Package networks holds the mechanisms that release a graph, or what is learned from
// one, which "An XOR Mechanism" (Section 8) compares its own with: rivals.
//
//   - [Pygmalion]: noise on the dK-2 series, a graph made of it (Sala et al. 2011);
//   - [PBCN]: clusters of nodes, noise on degrees, a graph of these degrees (Huang et al.
//     2020);
//   - [LDPGen]: every node reports noisy counts of its neighbors in groups, in two
//     rounds, and a graph is drawn from them (Qin et al. 2017);
//   - [ApproxDeg]: a histogram of degrees (the comparison's footnote 8);
//   - [DPCD]: communities from a perturbed objective (the same footnote).
//
// PPLR, the rival on tables, is learn.FitLogistic with a perturbed objective.
//
// Each states the [Guarantee] that its paper claims and for which neighbors. What a paper
// leaves open, or was not at hand, is an option with a stated default. All noise is
// two-sided geometric and exact: whole numbers, drawn by internal/sampling, so that what
// is measured has the privacy that Measured computes, for all graphs of a size; what is
// made of it afterwards, in float64, costs nothing. Law is the law of the released graph
// itself, by enumeration, on the smallest graphs.
//
// Graphs are symmetric matrices of bits without loops, as xor.Adjacency makes them.
package networks
