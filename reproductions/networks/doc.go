// Package networks holds the mechanisms with which "An XOR Mechanism" (Section 8) compares its own. They release a
// graph, or something learned from one.
//
//   - [Pygmalion]: noise on the dK-2 series, a graph made of it (Sala et al. 2011);
//   - [PBCN]: clusters of nodes, noise on degrees, a graph of these degrees (Huang et al.
//     2020);
//   - [LDPGen]: every node reports noisy counts of its neighbors in groups, in two rounds, and
//     a graph is drawn from them (Qin et al. 2017);
//   - [ApproxDeg]: a histogram of degrees (the comparison's footnote 8);
//   - [DPCD]: communities from a perturbed objective (the same footnote).
//
// PPLR, the competitor on tables, is learn.FitLogistic with a perturbed objective.
//
// Each states the [Guarantee] that its paper claims, with the neighbors. Choices that a paper leaves open, or whose
// text was not available, are options with a documented default. All noise is two-sided geometric and exact: integers
// drawn by internal/sampling. So the noisy measurements have the privacy that Measured computes, for all graphs of a
// size. Post-processing in float64 costs no privacy. Law enumerates the law of the released graph itself, for the
// smallest graphs.
//
// Graphs are symmetric bit matrices without loops, as made by xor.Adjacency.
package networks
