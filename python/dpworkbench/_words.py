"""The vocabulary. Written by go generate ./repl from what help() knows."""

# flake8: noqa
from ._face import attribute, method, word
from ._values import AlgebraBase, EvidenceBase, FigureBase, MatrixBase, Object, SequenceBase, TableBase, register

__all__ = [
    "AlphaSolution",
    "Bernoulli",
    "Bigclam",
    "Bingham",
    "Claim",
    "CommunityRival",
    "Comparison",
    "Conjecture",
    "Decision",
    "DegreeRival",
    "Draw",
    "Evidence",
    "Finding",
    "GraphRival",
    "Graphs",
    "Heatmap",
    "Histograms",
    "InitialValues",
    "JlRival",
    "Knorm",
    "KroneckerWaterfilling",
    "LaplaceRival",
    "Ledger",
    "LineMechanism",
    "LinePlot",
    "LinearQuery",
    "Logistic",
    "Matrix",
    "Mechanism",
    "MvgDesign",
    "MvgOptimum",
    "NetRival",
    "Network",
    "NetworkRecords",
    "NodeGraphs",
    "NoiseLaw",
    "NoiseMechanism",
    "NoiseSource",
    "Power",
    "PowerLaw",
    "Ppca",
    "Privacy",
    "Program",
    "Projection",
    "Query",
    "R1smg",
    "Radii",
    "RecordMechanism",
    "RecordQuery",
    "Records",
    "Release",
    "Released",
    "Report",
    "Search",
    "Sensitivity",
    "Study",
    "Svm",
    "Symbol",
    "SymmetricGauss",
    "Table",
    "Theorem1",
    "Trial",
    "Verdict",
    "Verification",
    "Waterfilling",
    "Worst",
    "XorBlocks",
    "angle_estimate",
    "angle_variance",
    "approx_deg",
    "apropos",
    "atomic",
    "audit",
    "audit_draws",
    "average_f1",
    "basic",
    "bernoulli",
    "bernoulli_uniform",
    "best_initial",
    "best_radii",
    "bigclam",
    "binary_theta",
    "bingham",
    "box_sensitivity",
    "calibrate",
    "certify",
    "claim",
    "claims",
    "classic_gaussian_sigma",
    "compare",
    "components",
    "compose",
    "conjecture",
    "cosine_formula",
    "cosine_moments",
    "dataset",
    "datasets",
    "degree_divergence",
    "delta_neighborhood",
    "difference_sensitivity",
    "discrete_gaussian",
    "discrete_laplace",
    "discretize",
    "dp_oporp",
    "dp_rp",
    "dp_signrp",
    "dpcd",
    "edge_leakage",
    "equal_privacy",
    "exceeds",
    "exp",
    "exponential",
    "finite_mechanism",
    "finite_query",
    "fmt",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_rival",
    "gaussian_sigma",
    "general",
    "geometric",
    "gram",
    "gram_sensitivity",
    "graphs",
    "heatmap",
    "heatmaps",
    "histograms",
    "identity",
    "idp_signrp",
    "image_labels",
    "images",
    "inner_variance",
    "inverse_sensitivity",
    "jl_rival",
    "jl_rows",
    "knorm",
    "known",
    "kronecker_waterfill",
    "l2_sensitivity",
    "ladder",
    "laplace",
    "laplace_noise",
    "laplace_release",
    "laplace_rival",
    "ldpgen",
    "line_plot",
    "linear_query",
    "linear_svm",
    "lipschitz_extension",
    "ln",
    "logistic",
    "lost_variance",
    "matrix",
    "mean_interval",
    "mvg",
    "mvg_noise",
    "mvg_optimal",
    "n_plus",
    "nearest_kronecker",
    "net_rival",
    "network",
    "network_records",
    "node_groups",
    "noisy_max",
    "oporp",
    "optimal",
    "optimal_xor",
    "optimize_alpha",
    "p_plus",
    "p_plus_printed",
    "pbcn",
    "permutation",
    "permute_and_flip",
    "power_law",
    "ppca",
    "privacy",
    "product",
    "program",
    "projection",
    "purest",
    "pygmalion",
    "r1smg",
    "random_network",
    "random_w_delta",
    "raw_gaussian",
    "read_csv",
    "read_edges",
    "read_json",
    "read_query",
    "read_svmlight",
    "record_query",
    "records",
    "residual_sum",
    "retrieval",
    "ridge_rmse",
    "sampler_delta",
    "show",
    "smooth_sensitivity",
    "staircase",
    "study",
    "subsample",
    "sweep",
    "symbol",
    "symmetric_gauss",
    "table",
    "tight",
    "tight_constants",
    "uniform",
    "variance_ratio",
    "verify",
    "waterfill",
    "write",
    "xor_allocation",
    "xor_blocks",
    "xor_graph",
    "xor_release",
    "xor_simulate",
    "xor_simulate_graph",
]


@register("alpha_solution")
class AlphaSolution(Object):
    """The best share α of Algorithm 1's form, with what it is compared to.

    Example::

        s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
        print(s)
    """
    __slots__ = ()

    @attribute
    def alpha(self):
        """The best share, in [0, 1].

        Example::

            s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
            print(s.alpha)
        """

    @attribute
    def law(self):
        """The law, for b.sample and xor_release.

        Example::

            s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
            print(s.law)
        """

    @attribute
    def error_rate(self):
        """The chance that a bit is flipped, with the complement where that was asked for. Certified.

        Example::

            s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
            print(s.error_rate)
        """

    @attribute
    def claimed_epsilon(self):
        """What Theorem 1 promises of the law.

        Example::

            s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
            print(s.claimed_epsilon)
        """

    @attribute
    def smallest_epsilon(self):
        """What the law spends for at most sensitivity bits anywhere. Certified. epsilon_at(delta) is the ε at a δ. An attribute, without parentheses; of XOR laws and sign projections it is a method.

        Example::

            s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
            print(s.smallest_epsilon)
        """

    @method
    def delta_at(self, eps):
        """The least δ at which it is (eps, δ)-differentially private: the largest hockey-stick divergence of neighbors, both ways; eps ≥ 0 in nats, 0 for the total variation distance, and at inf the chance of an infinite loss. Exact where the laws and e^eps are rational, as with eps = ln(3). epsilon_at asks the other way round. For at most sensitivity bits anywhere, as they were given to optimize_alpha.

        Example::

            s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
            print(s.delta_at(0.5))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which it is (ε, delta)-differentially private, 0 ≤ delta < 1. smallest_epsilon is that at delta 0, and delta_at asks the other way round. For at most sensitivity bits anywhere.

        Example::

            s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
            print(s.epsilon_at(0.1))
        """

    @attribute
    def response_rate(self):
        """The flip rate of randomised response, 1/(1 + e^(ε/s)), at the law's smallest ε.

        Example::

            s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
            print(s.response_rate)
        """

    @attribute
    def optimum(self):
        """The least flip rate of any noise law with the same smallest ε, certified by linear programming; None above 10 bits.

        Example::

            s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
            print(s.optimum)
        """

    @method
    def table(self):
        """The law beside randomised response at the same smallest ε and, for at most 10 bits, the certified optimum over all noise laws.

        Example::

            s = optimize_alpha(4, 2, 1, 1, privacy="exact", complement=True)
            print(s.table())
        """


@register("bernoulli")
class Bernoulli(Object):
    """Matrix-valued Bernoulli noise on N × P bits.

    Example::

        b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
        print(b)
    """
    __slots__ = ()

    @attribute
    def n(self):
        """Number of objects N.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.n)
        """

    @attribute
    def p(self):
        """Number of features P.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.p)
        """

    @attribute
    def size(self):
        """Number of bits NP.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.size)
        """

    @attribute
    def theta(self):
        """Θ, a P × P matrix, for at most 8192 features.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.theta)
        """

    @attribute
    def pi(self):
        """Π, the NP × NP matrix of equation (3): the exponent is bᵀΠb. Refused above 8192 bits, where it would not fit; nothing else needs it.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.pi)
        """

    @method
    def claimed_epsilon(self, sensitivity=1):
        """What Theorem 1 promises for sensitivity s in bits: s(‖λ(Θ)‖₂ + Σ‖λ(Λ_ij)‖₂), nats. Claimed, and refuted in general.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.claimed_epsilon(2))
        """

    @method
    def smallest_epsilon(self, sensitivity=1, neighbors="bits", work=4e9):
        """The smallest ε at which f(D) ⊕ B is ε-differentially private, nats, without visiting states. neighbors="bits": at most sensitivity bits anywhere differ; "row": any bits of one row; "edge": two mirrored bits (n = p), before symmetrising, so an upper bound after it; or a list of N × P matrices of 0 and 1, the difference patterns. The default is sensitivity 1 whatever the law was allocated for, and the printed number says so. Certified; a wide interval where the search stops after about work multiplications. epsilon_at(delta) is the ε at a δ. A method; of mechanisms and designs it is an attribute, without parentheses.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.smallest_epsilon(2), b.smallest_epsilon(neighbors="row"))
        """

    @method
    def delta_at(self, eps, sensitivity=1, neighbors="bits"):
        """The least δ at which it is (eps, δ)-differentially private: the largest hockey-stick divergence of neighbors, both ways; eps ≥ 0 in nats, 0 for the total variation distance, and at inf the chance of an infinite loss. Exact where the laws and e^eps are rational, as with eps = ln(3). epsilon_at asks the other way round. sensitivity and neighbors as in smallest_epsilon of a bernoulli law: by default one bit anywhere.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.delta_at(0.5, sensitivity=2))
        """

    @method
    def epsilon_at(self, delta, sensitivity=1, neighbors="bits"):
        """The least ε ≥ 0, in nats, at which it is (ε, delta)-differentially private, 0 ≤ delta < 1. smallest_epsilon is that at delta 0, and delta_at asks the other way round. sensitivity and neighbors as in smallest_epsilon of a bernoulli law: by default one bit anywhere.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.epsilon_at(0.1, sensitivity=2))
        """

    @method
    def worst_flip(self, sensitivity=1, neighbors="bits", work=4e9):
        """A state of the noise and the bits whose complement changes its probability most, as a dict: "on" (bits that are 1), "bits" (bits that differ), "loss" (the log ratio, nats). Parameters as in smallest_epsilon.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.worst_flip(2))
        """

    @method
    def error_rate(self, ones=None, complement=False):
        """E‖f(D) ⊕ B − f(D)‖²/ones = E‖B‖²/ones (Theorem 2), ones = ‖f(D)‖²; where ones is None the chance that a bit is flipped, the mean over all bits. complement=True: of the noise 1 − B. Certified: closed form or enumeration of each independent part, at most 36 bits.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.error_rate(), b.error_rate(ones=2))
        """

    @method
    def log_normalizer(self):
        """ln Σ exp(bᵀΠb) = −ln C(Π) of equation (3). Certified: closed form or enumeration, at most 36 bits in an independent part.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.log_normalizer())
        """

    @method
    def bound(self):
        """U(Π)/L(Π) of Proposition 1, the bound on E‖B‖² that the paper minimises instead. Claimed, for Θ and Λ_ij positive semidefinite without negative entries. It grows like 2^NP and may be inf.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.bound())
        """

    @method
    def marginals(self):
        """Pr[bit k = 1] for k = 0 … NP − 1, a list of floats with relative errors below 1e-12. Enumeration, at most 36 bits in an independent part.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.marginals())
        """

    @method
    def pair_moments(self):
        """E[b_i b_j], an NP × NP matrix with the marginals on its diagonal; at most 2048 bits. Enumeration as for marginals.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.pair_moments())
        """

    @method
    def ones_law(self):
        """Pr[‖B‖² = t] for t = 0 … NP, a list of floats. Enumeration, at most 36 bits.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.ones_law())
        """

    @method
    def exponent(self, matrix):
        """bᵀΠb for an N × P matrix of 0 and 1, nats: its log probability is exponent(m) − log_normalizer(). A float.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.exponent([[1, 1], [0, 0]]))
        """

    @method
    def sample(self, k=1, seed=0, method="auto", source="seed"):
        """A list of k noise matrices. method: "closed" (exchangeable columns), "enumerate" (at most 20 bits in an independent part) and "perfect" (coupling from the past, couplings without frustration) are exact in law; "ehmc" (Pakman and Paninski 2013) and "gibbs" are Markov chains, near the law; "printed" is the paper's Algorithm 2, refuted, fair coins. "auto" takes the first exact one that applies, else "ehmc"; draw says which. For a real release give source="crypto".

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.sample(2, seed=1))
        """

    @method
    def simulate(self, k=1, seed=0, method="auto"):
        """The same as sample, from a seed.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.simulate(2, seed=1))
        """

    @method
    def release(self, matrix, complement=False, method="auto", sensitivity=1, seed=None):
        """The XOR mechanism: releases an N × P matrix of 0 and 1 xor noise, drawn from the operating system's generator with exactly this law; with complement xor 1 − B. A law without an exact sampler is refused. sensitivity is how many bits neighbors differ in, for the record. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.release([[1, 0], [0, 0]]))
        """

    @method
    def draw(self, k=1, seed=0, method="auto", source="seed"):
        """As sample, with how it was done: a dict with "samples", "method" (the one taken), "exact" (in law), "note", and for Markov chains "rhat", "tau" (integrated autocorrelation time, steps), "effective" (of the pilot run) and "thin".

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            d = b.draw(2)
            print(d["method"], d["exact"])
        """

    @method
    def distance(self, samples, alpha=1e-6):
        """The total variation distance between independent samples and the law, at most 16 bits. Estimated: an enclosure of the sampler's own distance with confidence 1 − alpha at every number of samples; the value is the observed distance less what a right sampler shows on average.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.distance(b.sample(2000)))
        """

    @method
    def scaled(self, factor):
        """The law with Θ and every Λ_ij multiplied by factor; its smallest ε is multiplied by |factor|, so that b.scaled(eps / b.smallest_epsilon(s)) spends eps exactly.

        Example::

            b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)
            print(b.scaled(1 / b.smallest_epsilon(2)).smallest_epsilon(2))
        """


@register("bigclam")
class Bigclam(Object):
    """Overlapping communities of a network, fitted by BIGCLAM.

    Example::

        clique = lambda nodes: [(u, v) for u in nodes for v in nodes if u < v]
        b = bigclam(network(clique(range(6)) + clique(range(6, 12))), 2)
        print(b)
    """
    __slots__ = ()

    @method
    def communities(self, threshold=None):
        """The nodes of each community whose affiliation exceeds the threshold, communities without any left out: a list of lists. The threshold is that of the attribute threshold where left out.

        Example::

            clique = lambda nodes: [(u, v) for u in nodes for v in nodes if u < v]
            b = bigclam(network(clique(range(6)) + clique(range(6, 12))), 2)
            print(b.communities())
        """

    @attribute
    def threshold(self):
        """√(-ln(1 - density)): two nodes with this affiliation with one community and none other in common are joined as likely as a random pair.

        Example::

            clique = lambda nodes: [(u, v) for u in nodes for v in nodes if u < v]
            b = bigclam(network(clique(range(6)) + clique(range(6, 12))), 2)
            print(b.threshold)
        """

    @attribute
    def affiliations(self):
        """F, a row for each node and a column for each community.

        Example::

            clique = lambda nodes: [(u, v) for u in nodes for v in nodes if u < v]
            b = bigclam(network(clique(range(6)) + clique(range(6, 12))), 2)
            print(b.affiliations)
        """

    @attribute
    def log_likelihood(self):
        """The log-likelihood of the network, background included.

        Example::

            clique = lambda nodes: [(u, v) for u in nodes for v in nodes if u < v]
            b = bigclam(network(clique(range(6)) + clique(range(6, 12))), 2)
            print(b.log_likelihood)
        """

    @attribute
    def sweeps(self):
        """Sweeps over all nodes.

        Example::

            clique = lambda nodes: [(u, v) for u in nodes for v in nodes if u < v]
            b = bigclam(network(clique(range(6)) + clique(range(6, 12))), 2)
            print(b.sweeps)
        """

    @attribute
    def converged(self):
        """Whether the last sweep gained less than the tolerance.

        Example::

            clique = lambda nodes: [(u, v) for u in nodes for v in nodes if u < v]
            b = bigclam(network(clique(range(6)) + clique(range(6, 12))), 2)
            print(b.converged)
        """


@register("bingham")
class Bingham(Object):
    """A law of unit vectors, of density proportional to exp(vᵀAv).

    Example::

        b = bingham([[2, 0.5], [0.5, 0]])
        print(b)
    """
    __slots__ = ()

    @attribute
    def values(self):
        """The eigenvalues of A, falling.

        Example::

            b = bingham([[2, 0.5], [0.5, 0]])
            print(b.values)
        """

    @attribute
    def log_constant(self):
        """ln E exp(vᵀAv) for a uniform unit vector v. Certified, for the eigenvalues as computed.

        Example::

            b = bingham([[2, 0.5], [0.5, 0]])
            print(b.log_constant)
        """

    @attribute
    def moment(self):
        """E vᵀAv of the law. Certified, for the eigenvalues as computed.

        Example::

            b = bingham([[2, 0.5], [0.5, 0]])
            print(b.moment)
        """

    @attribute
    def acceptance(self):
        """The chance with which a proposal is kept. Certified, for the eigenvalues as computed.

        Example::

            b = bingham([[2, 0.5], [0.5, 0]])
            print(b.acceptance)
        """

    @method
    def simulate(self, count=1, seed=0):
        """Draws in floating point, the columns of a matrix: for research.

        Example::

            b = bingham([[2, 0.5], [0.5, 0]])
            print(b.simulate(2, seed=1))
        """


@register("claim")
class Claim(Object):
    """A published statement as a runnable check.

    Example::

        c = claim("analytic.lemma1")
        print(c)
    """
    __slots__ = ()

    @attribute
    def id(self):
        """The name it goes by.

        Example::

            c = claim("analytic.lemma1")
            print(c.id)
        """

    @attribute
    def paper(self):
        """The paper it stands in.

        Example::

            c = claim("analytic.lemma1")
            print(c.paper)
        """

    @attribute
    def place(self):
        """Its number there.

        Example::

            c = claim("analytic.lemma1")
            print(c.place)
        """

    @attribute
    def statement(self):
        """What it says, in our words.

        Example::

            c = claim("analytic.lemma1")
            print(c.statement)
        """

    @attribute
    def hypotheses(self):
        """What it assumes.

        Example::

            c = claim("analytic.lemma1")
            print(c.hypotheses)
        """

    @attribute
    def corrected(self):
        """The statement that holds instead, or "".

        Example::

            c = claim("analytic.lemma1")
            print(c.corrected)
        """

    @attribute
    def recorded(self):
        """The verdict that checks have had so far.

        Example::

            c = claim("analytic.lemma1")
            print(c.recorded)
        """

    @attribute
    def beyond(self):
        """Whether the paper does not make the statement: an open question of its own, what follows for its object outside its hypotheses, or what a work says that is not at hand.

        Example::

            c = claim("analytic.lemma1")
            print(c.beyond)
        """

    @method
    def check(self, budget=10, seed=0):
        """Runs the check: an enumerated family first, then random instances from the seed, 20 for each unit of budget, so that a check replays. It is given no recorded witness.

        Example::

            c = claim("analytic.lemma1")
            print(c.check())
        """


@register("community_rival")
class CommunityRival(Object):
    """A mechanism that releases communities of a graph.

    Example::

        g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
        r = dpcd(2, 2)
        print(r)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """Which rival it is, with its options.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = dpcd(2, 2)
            print(r.name)
        """

    @attribute
    def claimed_epsilon(self):
        """What its paper claims, in nats, for its own neighbors.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = dpcd(2, 2)
            print(r.claimed_epsilon)
        """

    @attribute
    def neighbors(self):
        """The neighbors that the claim is for: "edge", graphs that differ in one edge, or "edge local", lists of neighbors of one node that differ in one bit.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = dpcd(2, 2)
            print(r.neighbors)
        """

    @method
    def simulate(self, graph, seed=0):
        """The communities it would release, lists of nodes; simulated from a seed: for research.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = dpcd(2, 2)
            print(r.simulate(g, seed=1))
        """


@register("comparison")
class Comparison(Object):
    """The distortions of one mechanism against another's.

    Example::

        q = graphs(4).count("triangle")
        c = compare(purest(q, 1), ladder(q, 2))
        print(c)
    """
    __slots__ = ()

    @attribute
    def ratios(self):
        """P_a/P_b for every dataset: below 1 where a is better; 1 where both are 0, inf where just P_b is.

        Example::

            q = graphs(4).count("triangle")
            c = compare(purest(q, 1), ladder(q, 2))
            print(c.ratios)
        """

    @attribute
    def better(self):
        """The fraction of datasets whose ratio is below 1 by more than 1e-9.

        Example::

            q = graphs(4).count("triangle")
            c = compare(purest(q, 1), ladder(q, 2))
            print(c.better)
        """

    @attribute
    def mean(self):
        """The mean ratio over all datasets.

        Example::

            q = graphs(4).count("triangle")
            c = compare(purest(q, 1), ladder(q, 2))
            print(c.mean)
        """

    @attribute
    def min(self):
        """The least ratio.

        Example::

            q = graphs(4).count("triangle")
            c = compare(purest(q, 1), ladder(q, 2))
            print(c.min)
        """

    @attribute
    def max(self):
        """The largest ratio.

        Example::

            q = graphs(4).count("triangle")
            c = compare(purest(q, 1), ladder(q, 2))
            print(c.max)
        """

    @attribute
    def ratio_to_optimum(self):
        """The expected distortion of a under a uniform prior, over that of the optimal mechanism at a's own smallest ε: 1 where a cannot be improved. Certified; inf where a is not private.

        Example::

            q = graphs(4).count("triangle")
            c = compare(purest(q, 1), ladder(q, 2))
            print(c.ratio_to_optimum)
        """


@register("conjecture")
class Conjecture(Object):
    """A statement that a script makes, as a runnable check.

    Example::

        c = conjecture("squares are small", lambda n: n * n < 50, instances=range(20))
        print(c)
    """
    __slots__ = ()

    @attribute
    def statement(self):
        """What it says.

        Example::

            c = conjecture("squares are small", lambda n: n * n < 50, instances=range(20))
            print(c.statement)
        """

    @method
    def check(self, budget=10, seed=0):
        """Visits the instances, then 20 random ones for each unit of budget where there is a way to draw them, and stops at the first counterexample. The random instances follow from the seed.

        Example::

            c = conjecture("squares are small", lambda n: n * n < 50, instances=range(20))
            v = c.check()
            print(v.verdict, v.witness)
        """


@register("decision")
class Decision(Object):
    """Whether a program is private for every value of its symbol: confirmed with a proof for all ε > 0, or refuted with the ε for which it fails and a witness.

    Example::

        eps = symbol("eps")
        m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
        d = m.private(eps/2)
        print(d)
    """
    __slots__ = ()

    @attribute
    def verdict(self):
        """"confirmed" or "refuted".

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            d = m.private(eps/2)
            print(d.verdict)
        """

    @attribute
    def scope(self):
        """"proved": for every ε > 0 and the universe that the program was given.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            d = m.private(eps/2)
            print(d.scope)
        """

    @attribute
    def times(self):
        """The multiple of the symbol that was asked about.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            d = m.private(eps/2)
            print(d.times)
        """

    @attribute
    def fails(self):
        """The open ranges of ε in which it fails, as pairs of evidence, None for no end; empty where it is confirmed.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            d = m.private(eps/2)
            print(d.fails)
        """

    @attribute
    def witness(self):
        """A value of ε at which an output breaks the promise: x and y, neighbors; the output; z, a rational value of e^{−eps/denominator}; p and q, its probabilities at x and y, exactly; eps, and loss = ln(p/q), which is more than times·eps. None where it is confirmed.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            d = m.private(eps/2)
            print(d.witness)
        """

    @attribute
    def polynomials(self):
        """How many different inequalities were decided, beside those that are plain.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            d = m.private(eps/2)
            print(d.polynomials)
        """

    @attribute
    def degree(self):
        """The largest degree of their polynomials.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            d = m.private(eps/2)
            print(d.degree)
        """


@register("degree_rival")
class DegreeRival(Object):
    """A mechanism that releases degrees.

    Example::

        g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
        r = approx_deg(2)
        print(r)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """Which rival it is, with its options.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = approx_deg(2)
            print(r.name)
        """

    @attribute
    def claimed_epsilon(self):
        """What its paper claims, in nats, for its own neighbors.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = approx_deg(2)
            print(r.claimed_epsilon)
        """

    @attribute
    def neighbors(self):
        """The neighbors that the claim is for: "edge", graphs that differ in one edge, or "edge local", lists of neighbors of one node that differ in one bit.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = approx_deg(2)
            print(r.neighbors)
        """

    @method
    def truncated(self, graph):
        """How many nodes have a degree above the bound, and count as having that.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = approx_deg(2)
            print(r.truncated(g))
        """

    @method
    def simulate(self, graph, seed=0):
        """The degrees it would release, ascending, one for each node; simulated from a seed: for research.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = approx_deg(2)
            print(r.simulate(g, seed=1))
        """

    @method
    def measured(self, nodes, neighbors="edge"):
        """The privacy of what is measured of all graphs with so many nodes, for neighbors that differ in one edge: by visiting all with up to 6 nodes, from the sensitivity beyond.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = approx_deg(2)
            print(r.measured(4).smallest_epsilon)
        """

    @method
    def released_epsilon(self, nodes):
        """The smallest ε of the released degrees themselves, of a histogram, for all graphs on so many nodes that differ in one edge: from the chances of all lists of degrees that can come out.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = approx_deg(2)
            print(r.released_epsilon(3))
        """


@register("draw")
class Draw(AlgebraBase):
    """A draw of geometric noise inside of a program, or a sum or difference of such and of numbers, whose value is not known yet: a comparison divides the run into the ways that it may come out. Whole multiples are allowed, products of two draws are not. It has no truth of its own and is no key of a dict.

    Example::

        def run(x, noise):
            v = x + noise.geometric(ln(2))
            return "low" if v < 1 else "high"
        print(program([0, 1], run).law(0))
    """
    __slots__ = ()


@register("evidence")
class Evidence(EvidenceBase):
    """A number that knows how it is known. float, math.*, min, max, sum, round, fmt, tables and plots accept it; + - * / with it give floats (sums and whole multiples of ln(…) stay exact). It compares with numbers and evidence (< <= > >= == !=, in, sorted, min, max) as far as lo and hi decide, exact evidence without rounding and a claim by its value; what they leave open is an error, and so is an estimate: write e.value < 2 where the number is meant.

    Example::

        ln(3)
    """
    __slots__ = ()

    @attribute
    def call(self):
        """The expression that made the number, with what made its arguments in place of their names; long lists are cut. None where it was written as it stands.

        Example::

            gaussian_delta(1, 2).call
        """

    @attribute
    def confidence(self):
        """Probability that lo and hi enclose the true number: 1 for exact and certified evidence, the level reached for an estimate, None for a claim.

        Example::

            ln(3).confidence
        """

    @attribute
    def draws(self):
        """Number of draws behind an estimate; None for any other kind.

        Example::

            ln(3).draws
        """

    @attribute
    def cases(self):
        """Number of cases visited for an exact number; None where none were counted.

        Example::

            ln(3).cases
        """

    @method
    def cite(self, form="text"):
        """The line with which a paper cites the number: its value, how it is known and between which ends, source and method, the expression that made it, the script and the line of the statement outside functions that did (or where that is not known, that calls cite), and the version of the program. form "latex" writes the same line for LaTeX.

        Example::

            ln(3).cite()
        """


@register("finding")
class Finding(Object):
    """What an audit found.

    Example::

        r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
        print(r)
    """
    __slots__ = ()

    @attribute
    def verdict(self):
        """"refuted" where the claim is exceeded, for samples up to a probability of 1 - confidence; "confirmed" where a table keeps it for the pairs given; "undecided" otherwise, as for all samples that do not refute.

        Example::

            r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
            print(r.verdict)
        """

    @attribute
    def scope(self):
        """How far the verdict goes: the pairs and events.

        Example::

            r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
            print(r.scope)
        """

    @attribute
    def remark(self):
        """What the reader should know, such as that probabilities were taken as rounded; or "".

        Example::

            r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
            print(r.remark)
        """

    @attribute
    def claimed_epsilon(self):
        """The ε that was claimed, in nats.

        Example::

            r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
            print(r.claimed_epsilon)
        """

    @attribute
    def claimed_delta(self):
        """The δ that was claimed, a float.

        Example::

            r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
            print(r.claimed_delta)
        """

    @attribute
    def epsilon(self):
        """The smallest ε at the claimed δ over the pairs given: exact or certified for a table; for samples an estimate whose value and lower end are the lower bound, without an upper end.

        Example::

            r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
            print(r.epsilon)
        """

    @attribute
    def delta(self):
        """The smallest δ at the claimed ε over the pairs given, known as epsilon is.

        Example::

            r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
            print(r.delta)
        """

    @attribute
    def evidence(self):
        """The numbers behind the verdict, as for a claim: a dict from label to evidence.

        Example::

            r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
            print(r.evidence)
        """

    @attribute
    def witness(self):
        """Where epsilon comes from: a dict of "first" and "second", the datasets, "event", the list of outputs or one side of a number, "p" and "q", its probabilities at the first and at the second, and "script", a line that audits the event alone and shows the same epsilon. ε is at least ln((p - delta)/q). None where epsilon may be 0.

        Example::

            r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
            print(r.witness)
        """


@register("graph_rival")
class GraphRival(Object):
    """A mechanism that releases a graph, one of those that the XOR paper compares its own with.

    Example::

        g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
        r = ldpgen(1, groups=2)
        print(r)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """Which rival it is, with its options.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = ldpgen(1, groups=2)
            print(r.name)
        """

    @attribute
    def claimed_epsilon(self):
        """What its paper claims, in nats, for its own neighbors.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = ldpgen(1, groups=2)
            print(r.claimed_epsilon)
        """

    @attribute
    def neighbors(self):
        """The neighbors that the claim is for: "edge", graphs that differ in one edge, or "edge local", lists of neighbors of one node that differ in one bit.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = ldpgen(1, groups=2)
            print(r.neighbors)
        """

    @method
    def truncated(self, graph):
        """How many nodes have a degree above the rival's bound, and lose what is beyond; 0 where there is none.

        Example::

            print(pygmalion(1, degree_bound=2).truncated(network([(0, 1), (0, 2), (0, 3)])))
        """

    @method
    def simulate(self, graph, seed=0):
        """What it would release, simulated from a seed: for research.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = ldpgen(1, groups=2)
            print(r.simulate(g, seed=1))
        """

    @method
    def release(self, graph, seed=None):
        """Draws a graph from the operating system's generator with exactly the noise of the rival. The record says what really holds, for graphs that differ in one edge: the smallest ε of what is measured, inf where there is none, and not what is claimed. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = ldpgen(1, groups=2)
            print(r.release(g).record["epsilon"])
        """

    @method
    def measured(self, nodes, neighbors="edge"):
        """The privacy of what is measured of all graphs with so many nodes, of which whatever is released is made: noisy counts, each moved to its range. True for neighbors that differ in one edge, by visiting all graphs with up to 6 nodes where the number of nodes matters; an upper bound for what is released.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = ldpgen(1, groups=2)
            print(r.measured(4).smallest_epsilon, r.claimed_epsilon)
        """

    @method
    def law(self, nodes):
        """The law of the released graph at every graph on so many numbered nodes, a finite mechanism: dataset k joins the i-th pair of nodes, in the order (0, 1), (0, 2), …, where bit i of k is 1. Its smallest ε is what a release really costs, for neighbors that differ in one edge. Of pbcn without decoys, and of ldpgen with at most two groups in each round.

        Example::

            g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
            r = ldpgen(1, groups=2)
            print(r.law(2))
        """

    @method
    def released_epsilon(self, nodes):
        """The smallest ε of the released graph itself, for all graphs on so many numbered nodes that differ in one edge, from the chances of every graph that can come out: of pbcn without decoys on up to 6 nodes, of ldpgen with at most two groups in each round on up to 5, nodes dealt to the initial groups by number, of pygmalion with all_tuples=True on up to 4. With noise on the tuples that occur alone it is inf on any number.

        Example::

            print(pbcn(ln(4), noisy_clusters=True).released_epsilon(2))
        """


@register("graphs")
class Graphs(Object):
    """A universe of unlabeled simple graphs under the edge-edit metric.

    Example::

        u = graphs(4)
    """
    __slots__ = ()

    @attribute
    def size(self):
        """Number of datasets.

        Example::

            u = graphs(4)
            print(u.size)
        """

    @attribute
    def diameter(self):
        """The largest distance between two datasets; inf where no path joins some.

        Example::

            u = graphs(4)
            print(u.diameter)
        """

    @attribute
    def edge_pairs(self):
        """Number of unordered neighboring pairs, 0 < distance ≤ 1.

        Example::

            u = graphs(4)
            print(u.edge_pairs)
        """

    @method
    def distance(self, i, j):
        """The distance between datasets i and j, by their numbers or names; inf where no path joins them.

        Example::

            u = graphs(4)
            print(u.distance(0, 1))
        """

    @method
    def neighbors(self, i):
        """The datasets at a distance of at most 1 from dataset i, ascending, without i: their numbers, or the names that finite_query or read_query gave them.

        Example::

            u = graphs(4)
            print(u.neighbors(0))
        """

    @method
    def graph6(self, i):
        """The lexicographically least graph6 string of dataset i over all labellings.

        Example::

            graphs(4).graph6(5)
        """

    @method
    def index(self, graph6):
        """The dataset that a graph6 string belongs to, in any labelling.

        Example::

            graphs(4).index("C~")
        """

    @method
    def dataset(self, i):
        """The edges of dataset i in the labelling of its least graph6 string: a list of pairs of nodes.

        Example::

            graphs(4).dataset(5)
        """

    @method
    def automorphisms(self, i):
        """The number of automorphisms of dataset i: n!/this labelled graphs belong to it.

        Example::

            graphs(4).automorphisms(0)
        """

    @method
    def count(self, pattern):
        """The query that counts copies of a pattern, not necessarily induced: "edge", "triangle", "2-star", "3-star", "4-clique" or "4-cycle". Its range is the set of attained counts.

        Example::

            print(graphs(4).count("triangle").values)
        """


@register("heatmap")
class Heatmap(FigureBase):
    """A matrix in colours. print draws it with characters; the prompt in colour, where the terminal has it.

    Example::

        heatmap([[1, 2], [3, 4]])
    """
    __slots__ = ()

    @method
    def save(self, path):
        """Write the figure to a file, whole or not at all, in the format that the end of the path names: .svg, .png or .pdf. A notebook shows it, too.

        Example::

            heatmap([[1, 2], [3, 4]]).save("figure.svg")
        """


@register("histograms")
class Histograms(Object):
    """A universe of histograms.

    Example::

        u = histograms(types=2, records=3)
    """
    __slots__ = ()

    @attribute
    def size(self):
        """Number of datasets.

        Example::

            u = histograms(types=2, records=3)
            print(u.size)
        """

    @attribute
    def diameter(self):
        """The largest distance between two datasets; inf where no path joins some.

        Example::

            u = histograms(types=2, records=3)
            print(u.diameter)
        """

    @attribute
    def edge_pairs(self):
        """Number of unordered neighboring pairs, 0 < distance ≤ 1.

        Example::

            u = histograms(types=2, records=3)
            print(u.edge_pairs)
        """

    @method
    def distance(self, i, j):
        """The distance between datasets i and j, by their numbers or names; inf where no path joins them.

        Example::

            u = histograms(types=2, records=3)
            print(u.distance(0, 1))
        """

    @method
    def neighbors(self, i):
        """The datasets at a distance of at most 1 from dataset i, ascending, without i: their numbers, or the names that finite_query or read_query gave them.

        Example::

            u = histograms(types=2, records=3)
            print(u.neighbors(0))
        """

    @method
    def dataset(self, i):
        """The counts of dataset i, one per type.

        Example::

            histograms(types=2, records=3).dataset(4)
        """

    @method
    def index(self, counts):
        """The dataset with the given counts.

        Example::

            histograms(types=2, records=3).index([1, 2])
        """

    @method
    def counting(self, types):
        """The query that counts the records of the given types, 0-based.

        Example::

            print(histograms(types=3, records=2).counting([0, 2]).values)
        """

    @method
    def linear(self, weights):
        """The query Σ weights[i]·counts[i], computed without rounding: a float means its shortest decimal, "1/3" is accepted.

        Example::

            print(histograms(types=2, records=2).linear([1, 0.1]).range)
        """

    @method
    def median(self, values):
        """The lower median of the records, a record of type i having value values[i]; of no records, the first value.

        Example::

            print(histograms(types=3, records=2).median([0, 1, 2]).values)
        """

    @method
    def cumulative(self, norm="max"):
        """The empirical distribution function on the grid of types, a tuple of shares (Wu et al., Example 6): i ↦ the share of records of type at most i, 0 for no records. Functions are compared by the norm of their difference; "max" is the sup distance, "l2" is rounded up to a millionth of its unit.

        Example::

            q = histograms(types=3, records=2).cumulative()
            print(q.range[:4], q.sensitivity)
        """

    @method
    def classifier(self, labels, classifiers, weights=None):
        """The classifier with the fewest errors on the records, the first among several (Wu et al., Example 5): a record's type has the label labels[type], and each of the finite class, a list of answers by type, is a tuple of values. Two are as far apart as the share of types on which they disagree, weighted by weights.

        Example::

            h = histograms(types=4, records=3)
            q = h.classifier([0, 1, 0, 1], [[0, 0, 0, 0], [0, 1, 0, 1], [1, 1, 1, 1]])
            print(q.range, q.sensitivity)
        """

    @method
    def principal_component(self, vectors, k=1):
        """The first k principal components of the records, a record of type i being vectors[i], whole numbers (Wu et al., Example 4): orthonormal eigenvectors of Σ counts[i]·v·vᵀ, row after row in one tuple, made unique by the coordinate axes, entries rounded to multiples of 2^-20. Two are as far apart as the Frobenius norm of the difference, rounded up; with k = 1 that is the spectral norm.

        Example::

            h = histograms(types=4, records=3, neighbors="bounded")
            q = h.principal_component([[1, 1], [1, -1], [-1, 1], [-1, -1]])
            print(len(q.range), q.sensitivity)
        """

    @method
    def identity(self):
        """The query that returns the histogram itself; values are tuples of counts, and the value metric is the distance of the datasets.

        Example::

            print(histograms(types=2, records=1).identity().range)
        """


@register("initial_values")
class InitialValues(Object):
    """Initial values of a layered mechanism that a search found.

    Example::

        q = graphs(3).count("edge")
        b = best_initial(q, 1, deepest=3)
        print(b)
    """
    __slots__ = ()

    @attribute
    def mechanism(self):
        """The layered mechanism.

        Example::

            q = graphs(3).count("edge")
            b = best_initial(q, 1, deepest=3)
            print(b.mechanism.layers(0))
        """

    @attribute
    def value(self):
        """Its expected distortion. Exact or certified.

        Example::

            q = graphs(3).count("edge")
            b = best_initial(q, 1, deepest=3)
            print(b.value)
        """

    @attribute
    def found_from(self):
        """What the search started from where it found it.

        Example::

            q = graphs(3).count("edge")
            b = best_initial(q, 1, deepest=3)
            print(b.found_from)
        """

    @attribute
    def exhaustive(self):
        """Whether all were visited in which no dataset has a value more than the asked layers below its first: none of them is better by more than a billionth.

        Example::

            q = graphs(3).count("edge")
            b = best_initial(q, 1, deepest=3)
            print(b.exhaustive)
        """

    @attribute
    def visited(self):
        """How many rows of layers the exhaustive search looked at.

        Example::

            q = graphs(3).count("edge")
            b = best_initial(q, 1, deepest=3)
            print(b.visited)
        """

    @attribute
    def least(self):
        """The least expected distortion of any initial values, however deep: between what the branch and bound, or the certified optimum, proves and what was found. Certified; None where layers = 0.

        Example::

            q = graphs(3).count("edge")
            b = best_initial(q, 1, deepest=3)
            print(best_initial(q, 1, layers=8).least)
        """

    @attribute
    def boxes(self):
        """How many boxes the branch and bound looked at.

        Example::

            q = graphs(3).count("edge")
            b = best_initial(q, 1, deepest=3)
            print(b.boxes)
        """

    @attribute
    def ratio_to_optimum(self):
        """The expected distortion over the least of any mechanism that claims as much, optimal(q, 2*decay) under the same prior: no initial values reach below 1. Certified.

        Example::

            q = graphs(3).count("edge")
            b = best_initial(q, 1, deepest=3)
            print(b.ratio_to_optimum)
        """


@register("jl rival")
class JlRival(Object):
    """A Gaussian projection of records as a mechanism.

    Example::

        r = jl_rival(3, width=10)
        print(r)
    """
    __slots__ = ()

    @attribute
    def rows(self):
        """How many mixed records are released.

        Example::

            r = jl_rival(3, width=10)
            print(r.rows)
        """

    @attribute
    def width(self):
        """What the singular values are raised by, or must reach.

        Example::

            r = jl_rival(3, width=10)
            print(r.width)
        """

    @attribute
    def move(self):
        """How far a record moves between neighbors, in Euclidean norm.

        Example::

            r = jl_rival(3, width=10)
            print(r.move)
        """

    @attribute
    def claimed_epsilon(self):
        """The ε, in nats, that the paper promises. Claimed.

        Example::

            r = jl_rival(3, 1, 1e-3, form="published")
            print(r.claimed_epsilon)
        """

    @attribute
    def claimed_delta(self):
        """The δ that the paper promises. Claimed.

        Example::

            r = jl_rival(3, 1, 1e-3, form="published")
            print(r.claimed_delta)
        """

    @method
    def simulate(self, x, seed=0):
        """The mixed records of x, an m×rows matrix Y, drawn by their law in floating point: YYᵀ is XXᵀ on average, plus width²·I where the spectrum is raised. For research.

        Example::

            r = jl_rival(3, width=10)
            print(r.simulate([[1, 0, 2], [0, 1, 1]], seed=1))
        """

    @method
    def simulate_gram(self, x, seed=0):
        """The estimate YYᵀ of XXᵀ from a draw of the mixed records, less width²·I where the spectrum is raised. For research.

        Example::

            r = jl_rival(3, width=10)
            print(r.simulate_gram([[1, 0, 2], [0, 1, 1]], seed=1))
        """

    @method
    def delta_at(self, eps):
        """The least δ at which the mechanism is (eps, δ)-private, eps in nats, at least 0. Certified: its upper end is safe; where it is a bound alone, the lower end says so. epsilon_at asks the other way round.

        Example::

            r = jl_rival(3, width=10)
            print(r.delta_at(1))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which the mechanism is (ε, delta)-private, 0 ≤ delta < 1: inf where no ε will do. Certified, or exact. delta_at asks the other way round.

        Example::

            r = jl_rival(3, width=10)
            print(r.epsilon_at(0.01))
        """


@register("knorm")
class Knorm(Object):
    """A K-norm mechanism in the plane or on the line.

    Example::

        k = knorm([(1, 0), (0, 1)], 1)
        print(k)
    """
    __slots__ = ()

    @attribute
    def corners(self):
        """The corners of K, counterclockwise; on the line its ends, with 0 as second coordinate.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.corners)
        """

    @method
    def distortion(self):
        """E‖noise‖₂. Certified.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.distortion())
        """

    @method
    def density(self, r):
        """The density of the noise at r, a pair, or a number on the line. Certified.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.density((0, "1/2")))
        """

    @method
    def layer(self, r):
        """The layer of the noise r, ⌊‖r‖_K⌋ (Wu et al., (52)), decided in rationals.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.layer((0.9, 0.9)))
        """

    @method
    def sample(self, n=1, seed=0):
        """A list of n independent values of the noise, as pairs, simulated in floating point: for research. release draws what may be published.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.sample(2, seed=1))
        """

    @method
    def simulate(self, n=1, seed=0):
        """The same as sample.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.simulate(2, seed=1))
        """

    @method
    def release(self, answer, n=1, grid=None, seed=None):
        """Releases answer + noise n times, as pairs: noise drawn from the operating system's generator with exactly its law, and both coordinates rounded to the nearest multiple of grid, decided exactly. answer is a pair, or a number on the line. grid None is a power of two about 2^-32 of the noise. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.release((3, "1/2")))
        """

    @attribute
    def smallest_epsilon(self):
        """The smallest ε at which it is ε-differentially private, in nats. epsilon_at(delta) is the ε at a δ. An attribute, without parentheses; of XOR laws and sign projections it is a method.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.smallest_epsilon)
        """

    @method
    def is_basic(self, up_to=5):
        """Whether layers 1 … up_to are those of a basic mechanism where D = ℝⁿ (Wu et al., Proposition 6), by exact Minkowski sums: iK + K = (i+1)K.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.is_basic())
        """

    @method
    def lattice_gap(self, layer=1, finest=10):
        """Where Proposition 6 fails when D = ℤⁿ: a point r, with coordinates of multiples of 1/m, m ≤ finest, that lies in a layer up to the given one but in no R_0^y with ‖y‖₁ ≤ that layer. A pair (r, layer), or None where there is none.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.lattice_gap(finest=2))
        """

    @method
    def delta_at(self, eps):
        """The least δ at which it is (eps, δ)-differentially private: the largest hockey-stick divergence of neighbors, both ways; eps ≥ 0 in nats, 0 for the total variation distance, and at inf the chance of an infinite loss. Exact where the laws and e^eps are rational, as with eps = ln(3). epsilon_at asks the other way round.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.delta_at(ln(2)))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which it is (ε, delta)-differentially private, 0 ≤ delta < 1. smallest_epsilon is that at delta 0, and delta_at asks the other way round.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.epsilon_at(1e-6))
        """

    @method
    def renyi(self, alpha):
        """The largest Rényi divergence of order alpha > 1 of neighbors, in nats (Mironov 2017). Uses add up. Exact at 2 where the laws are rational.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.renyi(2))
        """

    @attribute
    def zcdp(self):
        """The least ρ with renyi(α) ≤ ρα for all α > 1: zero-concentrated differential privacy (Bun and Steinke 2016). Certified.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.zcdp)
        """

    @attribute
    def gdp(self):
        """The least μ for which two normal laws μ standard deviations apart are easier to tell from each other than any two neighbors: Gaussian differential privacy (Dong, Roth and Su 2022). Certified.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.gdp)
        """

    @method
    def tradeoff(self):
        """The largest convex function below the trade-off functions of all neighbors (Dong, Roth and Su 2022), by its corners: a list of pairs (α, β) from α = 0 to β = 0; who tells x from its neighbor and errs at x with chance α errs at the neighbor with chance β at least. Exact where the laws are rational. Elsewhere the polygon lies below the function, and β's upper end above it.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.tradeoff())
        """

    @method
    def plot(self):
        """The trade-off function with the profile: β over α, and δ over ε, where ε is counted in units of the ε at δ = 10^-6.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.plot())
        """

    @method
    def report(self, path=None, format=None, optimum=None):
        """One page on it: what it promises and what is true, δ(ε) as numbers and a picture, where most is revealed, by name, and of a mechanism on a finite query its distortion and how far that is from the optimum. Each number stands with how it is known, its source, and the line of script that gives it again. path writes the page to a file, whole or not at all, in the format that its end names (.html, .tex for pdflatex, .txt) or format does, returns None, and a notebook shows the page; format without path returns the text. optimum is whether the linear program of the optimum is solved: True, False, or None, which is up to 3,000 variables (datasets times values); the page says so where it is not.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.report())
        """

    @method
    def worst(self, eps=None):
        """Where most is revealed: the datasets x (the true one) and y, the outputs of the largest loss, and that loss. With eps the pair with the largest P(E) − e^eps Q(E), the event's outputs, and δ.

        Example::

            k = knorm([(1, 0), (0, 1)], 1)
            print(k.worst())
        """


@register("kronecker waterfilling")
class KroneckerWaterfilling(Object):
    """A locally optimal allocation of row and column precisions, with a bound on the global optimum.

    Example::

        w = kronecker_waterfill([1, 3], [1, 2], 2)
        print(w)
    """
    __slots__ = ()

    @attribute
    def rows(self):
        """The row precisions p_a, of norm 1.

        Example::

            w = kronecker_waterfill([1, 3], [1, 2], 2)
            print(w.rows)
        """

    @attribute
    def columns(self):
        """The column precisions q_b; with the rows' they spend the budget.

        Example::

            w = kronecker_waterfill([1, 3], [1, 2], 2)
            print(w.columns)
        """

    @attribute
    def local(self):
        """The value Σ ln(1 + λ_a κ_b p_a q_b) of the allocation.

        Example::

            w = kronecker_waterfill([1, 3], [1, 2], 2)
            print(w.local)
        """

    @attribute
    def log_pnr(self):
        """The global optimum, enclosed between this allocation and the optimum without the Kronecker structure. Certified.

        Example::

            w = kronecker_waterfill([1, 3], [1, 2], 2)
            print(w.log_pnr)
        """

    @attribute
    def residual(self):
        """The largest relative violation of the KKT conditions of either half.

        Example::

            w = kronecker_waterfill([1, 3], [1, 2], 2)
            print(w.residual)
        """


@register("laplace rival")
class LaplaceRival(Object):
    """Laplace noise on every element of a query, judged by a sensitivity set.

    Example::

        s = box_sensitivity(2, 3, [1, 10])
        r = laplace_rival(s, 1)
        print(r)
    """
    __slots__ = ()

    @attribute
    def scale(self):
        """The scale of the noise, in the unit of the query.

        Example::

            s = box_sensitivity(2, 3, [1, 10])
            r = laplace_rival(s, 1)
            print(r.scale)
        """

    @attribute
    def l1(self):
        """Δ₁, the largest sum of absolute values in the sensitivity set. Certified.

        Example::

            s = box_sensitivity(2, 3, [1, 10])
            r = laplace_rival(s, 1)
            print(r.l1)
        """

    @attribute
    def claimed_epsilon(self):
        """The ε, in nats, that the paper promises. Claimed.

        Example::

            s = box_sensitivity(2, 3, [1, 10])
            r = laplace_rival(s, 1)
            print(r.claimed_epsilon)
        """

    @method
    def simulate(self, x, seed=0):
        """The query's answer x plus a draw of the noise, in floating point: for research. laplace_release draws what may be published.

        Example::

            s = box_sensitivity(2, 3, [1, 10])
            r = laplace_rival(s, 1)
            print(r.simulate([[0, 0, 0], [0, 0, 0]], seed=1))
        """

    @method
    def delta_at(self, eps):
        """The least δ at which the mechanism is (eps, δ)-private, eps in nats, at least 0. Certified: its upper end is safe; where it is a bound alone, the lower end says so. epsilon_at asks the other way round.

        Example::

            s = box_sensitivity(2, 3, [1, 10])
            r = laplace_rival(s, 1)
            print(r.delta_at(1))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which the mechanism is (ε, delta)-private, 0 ≤ delta < 1: inf where no ε will do. Certified, or exact. delta_at asks the other way round.

        Example::

            s = box_sensitivity(2, 3, [1, 10])
            r = laplace_rival(s, 1)
            print(r.epsilon_at(0.01))
        """


@register("ledger")
class Ledger(SequenceBase):
    """The published statements that can be checked; it indexes like a list of claims.

    Example::

        print([c.id for c in claims() if c.recorded == "refuted"])
    """
    __slots__ = ()

    @attribute
    def ids(self):
        """The ids, by paper and place.

        Example::

            claims().ids
        """

    @attribute
    def size(self):
        """How many there are.

        Example::

            claims().size
        """


@register("line_mechanism")
class LineMechanism(Object):
    """A mechanism of a linear query on the real line. Its law is the same for every dataset up to a shift, so everything is said of the noise, the output minus f(x).

    Example::

        m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
        print(m)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """Which mechanism it is, with its parameters.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.name)
        """

    @attribute
    def query(self):
        """The linear query it answers.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.query.sensitivity)
        """

    @method
    def distortion(self):
        """E|noise|, in units of f: the layers to infinity summed in closed form, exact where e^{−decay} is rational and certified elsewhere. Layers weigh by length if any of them has some, and by counting points otherwise (radius 0 and V all points): the purest mechanism is the limit of radius → 0.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.distortion())
        """

    @method
    def layers(self, up_to=5):
        """The layers R_0 … R_up_to of the noise (Wu et al., Definition 13), the most probable first: a list of lists of intervals (lo, hi), a point having lo = hi. Whether an end belongs to its interval is not shown.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            for layer in m.layers(up_to=2):
                print(layer)
        """

    @method
    def density(self, r):
        """The density of the noise at r, or the probability of the point r where the law is discrete. r is a number or a fraction like "7/2".

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.density(0), m.density("25/2"))
        """

    @method
    def sample(self, n=1, seed=0):
        """A list of n independent values of the noise, simulated in floating point: for research. release draws what may be published.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.sample(3, seed=1))
        """

    @method
    def simulate(self, n=1, seed=0):
        """The same as sample.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.simulate(3, seed=1))
        """

    @method
    def release(self, answer, n=1, grid=None, seed=None):
        """Releases answer + noise n times: noise drawn from the operating system's generator with exactly its law, and the sum rounded to the nearest multiple of grid, decided exactly. grid None is a power of two about 2^-32 of the noise, or no rounding where the noise is discrete. Layers that were not followed until they repeat are refused. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.release("7/2"))
        """

    @attribute
    def smallest_epsilon(self):
        """The smallest ε at which it is ε-differentially private, in nats. For a layered mechanism it is the decay (Wu et al., Corollary 5), certified from the layers: moved by any number of V_f, none changes its layer by more than 1. epsilon_at(delta) is the ε at a δ. An attribute, without parentheses; of XOR laws and sign projections it is a method.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.smallest_epsilon)
        """

    @attribute
    def claimed_epsilon(self):
        """The ε that theory promises, in nats: the decay for a layered mechanism (Wu et al., Corollary 5), 2ε for a discretized one (Theorem 1), inf for a discrete Gaussian, the given eps for the others. Claimed.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.claimed_epsilon)
        """

    @method
    def second_moment(self):
        """E noise², in squared units of f, in closed form.

        Example::

            m = laplace(linear_query([1]), 1)
            print(m.second_moment())
        """

    @attribute
    def gamma(self):
        """γ of a Staircase: its first step ends at γΔ.

        Example::

            print(staircase(linear_query([1]), ln(9)).gamma)
        """

    @method
    def curve(self, decays):
        """The distortion of the same layers at each of a list of decays, as floats: a microsecond each once the layers are known.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.curve([0.5, 1, 2]))
        """

    @attribute
    def periodicity(self):
        """From where on the layers repeat, as a dict: from "inherits" on A_{n+1} = A_n ∪ (A_n + Δ) ∪ (A_n − Δ), which every later layer inherits; each layer after "from" is the one before, moved outward by "shift", with weight "mass". None where the layers were not followed that far.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.periodicity)
        """

    @attribute
    def is_basic(self):
        """Whether the discretized mechanism is basic: every layer follows from R_0 and V_f (Wu et al., Definition 15 and Corollary 1).

        Example::

            lq = linear_query([(0, 1), (10, 11)])
            print(discretize(laplace(lq, 1)).is_basic, discretize(staircase(lq, 1)).is_basic)
        """

    @method
    def theorem1(self):
        """The evidence on this mechanism of what Theorem 1 states (Wu et al.).

        Example::

            print(discretize(laplace(linear_query([1]), 1)).theorem1())
        """

    @method
    def delta_at(self, eps):
        """The least δ at which it is (eps, δ)-differentially private: the largest hockey-stick divergence of neighbors, both ways; eps ≥ 0 in nats, 0 for the total variation distance, and at inf the chance of an infinite loss. Exact where the laws and e^eps are rational, as with eps = ln(3). epsilon_at asks the other way round.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.delta_at(ln(2)))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which it is (ε, delta)-differentially private, 0 ≤ delta < 1. smallest_epsilon is that at delta 0, and delta_at asks the other way round.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.epsilon_at(1e-6))
        """

    @method
    def renyi(self, alpha):
        """The largest Rényi divergence of order alpha > 1 of neighbors, in nats (Mironov 2017). Uses add up. Exact at 2 where the laws are rational.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.renyi(2))
        """

    @attribute
    def zcdp(self):
        """The least ρ with renyi(α) ≤ ρα for all α > 1: zero-concentrated differential privacy (Bun and Steinke 2016). Certified.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.zcdp)
        """

    @attribute
    def gdp(self):
        """The least μ for which two normal laws μ standard deviations apart are easier to tell from each other than any two neighbors: Gaussian differential privacy (Dong, Roth and Su 2022). Certified.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.gdp)
        """

    @method
    def tradeoff(self):
        """The largest convex function below the trade-off functions of all neighbors (Dong, Roth and Su 2022), by its corners: a list of pairs (α, β) from α = 0 to β = 0; who tells x from its neighbor and errs at x with chance α errs at the neighbor with chance β at least. Exact where the laws are rational. Elsewhere the polygon lies below the function, and β's upper end above it.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.tradeoff())
        """

    @method
    def plot(self):
        """The trade-off function with the profile: β over α, and δ over ε, where ε is counted in units of the ε at δ = 10^-6.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.plot())
        """

    @method
    def report(self, path=None, format=None, optimum=None):
        """One page on it: what it promises and what is true, δ(ε) as numbers and a picture, where most is revealed, by name, and of a mechanism on a finite query its distortion and how far that is from the optimum. Each number stands with how it is known, its source, and the line of script that gives it again. path writes the page to a file, whole or not at all, in the format that its end names (.html, .tex for pdflatex, .txt) or format does, returns None, and a notebook shows the page; format without path returns the text. optimum is whether the linear program of the optimum is solved: True, False, or None, which is up to 3,000 variables (datasets times values); the page says so where it is not.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.report())
        """

    @method
    def worst(self, eps=None):
        """Where most is revealed: the datasets x (the true one) and y, the outputs of the largest loss, and that loss. With eps the pair with the largest P(E) − e^eps Q(E), the event's outputs, and δ.

        Example::

            m = delta_neighborhood(linear_query([(0, 1), (10, 11)]), 1, 2)
            print(m.worst())
        """


@register("line_plot")
class LinePlot(FigureBase):
    """Curves in one frame. print draws it with characters; the prompt in colour, where the terminal has it.

    Example::

        line_plot([[1, 4, 9, 16]])
    """
    __slots__ = ()

    @method
    def save(self, path):
        """Write the figure to a file, whole or not at all, in the format that the end of the path names: .svg, .png or .pdf. A notebook shows it, too.

        Example::

            line_plot([[1, 4, 9, 16]]).save("figure.svg")
        """


@register("linear_query")
class LinearQuery(Object):
    """A linear query on the reals, by its neighboring set.

    Example::

        lq = linear_query([(0, 1), (1000, 1001)])
        print(lq)
    """
    __slots__ = ()

    @attribute
    def sensitivity(self):
        """Δf, the largest number in V_f (Wu et al., Definition 12). Exact.

        Example::

            lq = linear_query([(0, 1), (1000, 1001)])
            print(lq.sensitivity)
        """

    @attribute
    def volume(self):
        """The Lebesgue measure of V_f ∩ [0, ∞), which is how the paper counts Vol(V_f). Exact.

        Example::

            lq = linear_query([(0, 1), (1000, 1001)])
            print(lq.volume)
        """

    @attribute
    def neighboring_set(self):
        """V_f, symmetric and with 0: a list of closed intervals (lo, hi), a point having lo = hi.

        Example::

            lq = linear_query([(0, 1), (1000, 1001)])
            print(lq.neighboring_set)
        """

    @method
    def distortions(self, radii, decays):
        """The distortion of delta_neighborhood at every radius and decay: a list of rows of floats, one row per decay. Layers are built once a radius, on all cores.

        Example::

            lq = linear_query([(0, 1), (1000, 1001)])
            print(lq.distortions([0, 10, 20], [3, 4]))
        """

    @method
    def best_radius(self, decays, largest, steps=100):
        """The radius from 0 to largest that minimises the distortion of delta_neighborhood at each decay, by a search on the exact curve: a grid of so many steps, then ten halvings around its best point. A list of pairs (radius, distortion).

        Example::

            lq = linear_query([(0, 1), (20, 21)])
            print(lq.best_radius([2, 4], 10, steps=20))
        """


@register("logistic")
class Logistic(Object):
    """A fitted logistic regression.

    Example::

        m = logistic([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0])
        print(m)
    """
    __slots__ = ()

    @attribute
    def weights(self):
        """η, a list of floats.

        Example::

            m = logistic([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0])
            print(m.weights)
        """

    @method
    def accuracy(self, x, y):
        """The share of rows of x whose label in y the sign of ηᵀx gives.

        Example::

            m = logistic([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0])
            print(m.accuracy([[1, 1], [0, 1]], [1, 0]))
        """


@register("matrix")
class Matrix(MatrixBase):
    """An immutable matrix of floats that indexes like a list of rows: m[i][j], len(m), iteration, slices of rows. Accepted wherever a list of rows is. + - * / work entry by entry, with a number or a matrix of the same shape; m.dot(b) multiplies matrices. Answers are floats without evidence. Entries may be infinite, which arithmetic takes as floats do and all else refuses; none is nan. The columns may have names, which ==, arithmetic and methods pass over.

    Example::

        m = matrix([[1, 2], [3, 4]])
        print(m[0][1], len(m), m * 2 + m)
    """
    __slots__ = ()

    @method
    def row(self, i):
        """Row i as a list of floats, a copy that may be changed; -1 is the last.

        Example::

            m = matrix([[2, 1], [1, 3]])
            print(m.row(0))
        """

    @method
    def column(self, j):
        """Column j as a list of floats, by its number, -1 being the last, or by its name.

        Example::

            matrix([["age", "dose"], [41, 0.5], [39, 0.25]]).column("dose")
        """

    @method
    def block(self, rows=None, columns=None):
        """The matrix of some rows and columns in the order given: rows is a list of numbers or a range, columns of numbers or names; -1 is the last. None, or what is left out, takes all.

        Example::

            print(matrix([[1, 2, 3], [4, 5, 6], [7, 8, 9]]).block(range(2), [0, -1]))
        """

    @method
    def solve(self, b):
        """x with m.dot(b) == b, for a square matrix of order at most 1024 and a matrix b of as many rows, or a list of as many numbers, which gives a list. Every entry is right to about a unit in its last place, for the floats that stand in m and b: the answer is refined with residuals of twice the precision. One that is nothing beside the others, such as a 0, is off by at most 2^-104 of the largest times the condition number, rows and columns scaled. A matrix that is singular, or so near to it that rounding its entries might make it so (a condition number above 2^52, rows and columns scaled), is an error.

        Example::

            m = matrix([[2, 1], [1, 3]])
            print(m.solve([1, 10]))
        """

    @method
    def inverse(self):
        """The inverse of a square matrix of order at most 1024, its entries as right as those of solve. Errors as for solve.

        Example::

            m = matrix([[2, 1], [1, 3]])
            print(m.inverse())
        """

    @method
    def determinant(self):
        """The determinant of a square matrix: the float nearest to that of the floats in m up to order 64, computed exactly; beyond that with an error of about the order times the condition number times 2^-53, relatively. A determinant other than 0 that no float reaches is an error: log_determinant has it.

        Example::

            m = matrix([[2, 1], [1, 3]])
            print(m.determinant())
        """

    @method
    def log_determinant(self):
        """The sign of the determinant, -1, 0 or 1, and the natural logarithm of its absolute value, -inf where it is 0: a tuple, for determinants of any size.

        Example::

            m = matrix([[2, 1], [1, 3]])
            print(m.log_determinant())
        """

    @method
    def eigen(self):
        """The eigenvalues of a square matrix of order at most 1024, from the largest down, and its eigenvectors as the columns of a matrix: a tuple (values, vectors). Vectors have length 1 and their largest entry is positive. Those of a symmetric matrix are orthonormal, and its eigenvalues are off by a few units in the last place of the largest in size; others are as sensitive as the matrix makes them. A matrix with complex eigenvalues is an error: spectrum has them.

        Example::

            values, vectors = matrix([[2, 0], [0, 3]]).eigen()
            print(values, vectors)
        """

    @method
    def spectrum(self):
        """All eigenvalues of a square matrix of order at most 1024 as pairs (real part, imaginary part), from the largest real part down: a list of tuples. Each counts as often as it is a root of the characteristic polynomial.

        Example::

            matrix([[0, -1], [1, 0]]).spectrum()
        """

    @method
    def svd(self):
        """The singular value decomposition of a matrix whose smaller side is at most 1024: a tuple (u, values, v) with m = u.dot(diagonal matrix of the values).dot(v.t). values is a list of min(rows, columns) numbers from the largest down, each off by a few units in the last place of the largest; the columns of u and v are orthonormal, and the largest entry of each column of u is positive.

        Example::

            u, values, v = matrix([[0, 2], [1, 0]]).svd()
            print(values, u, v)
        """

    @method
    def norm(self, kind="frobenius"):
        """A norm: "frobenius", the root of the sum of squares; "spectral", the largest singular value; "nuclear", the sum of the singular values; "one" and "infinity", the largest sum of absolute values in a column and in a row; "max", the largest absolute value.

        Example::

            m = matrix([[2, 1], [1, 3]])
            print(m.norm("one"))
        """

    @method
    def rank(self, tolerance=0):
        """The number of singular values above tolerance times the largest, tolerance being from 0 to below 1; 0 stands for max(rows, columns) times 2^-52.

        Example::

            m = matrix([[2, 1], [1, 3]])
            print(m.rank())
        """

    @method
    def condition(self):
        """The condition number, the largest singular value over the smallest; inf where that is 0. Above 2^52 it says no more than that it is large.

        Example::

            matrix([[2, 0], [0, 8]]).condition()
        """

    @method
    def save(self, path, digits=None):
        """Writes the matrix to a file, whole or not at all, in the format that the end of the path names. .csv (the names as a header, where there are any) and .json (the list of rows, or {"names", "rows"}) keep every float to its last bit: subnormal numbers, -0.0 and the infinite ones, inf in .csv and "inf" in .json. matrix(read_csv(path)) and matrix(read_json(path)) have the same matrix and names again, a header that has a number standing in quotes; names that are all "inf" or "-inf" are refused in .csv. .tex (booktabs), .md, .html and .txt are tables of 6 digits. digits rounds to so many significant digits in any of them.

        Example::

            matrix([[0.1, 2], [5e-324, 4]]).save("m.csv")
        """


@register("mechanism")
class Mechanism(Object):
    """A mechanism on a finite query: a probability law on the range for each dataset. compare(m, m).ratio_to_optimum says how far it is from the best mechanism that is as private.

    Example::

        m = purest(graphs(4).count("triangle"), 1)
        print(m)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """Which mechanism it is, with its parameter.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.name)
        """

    @attribute
    def query(self):
        """The query it answers.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.query.size)
        """

    @attribute
    def claimed_epsilon(self):
        """The ε that theory promises, in nats: 2·decay for a layered mechanism (Wu et al., Proposition 3), the given eps for the others; inf for optimal(q, eps, delta=…), which is promised to be (eps, delta)- and not ε-differentially private. Claimed.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.claimed_epsilon)
        """

    @attribute
    def smallest_epsilon(self):
        """The smallest ε at which it is ε-differentially private, in nats: the largest log-ratio of probabilities over all neighbors and values. Exact where the probabilities are rational, else certified; inf where one of two neighbors can output a value that the other cannot. epsilon_at(delta) is the ε at a δ. An attribute, without parentheses; of XOR laws and sign projections it is a method.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.smallest_epsilon)
        """

    @method
    def distortion(self, x):
        """The expected distance of the output to f(x) at dataset x, its number or its name (Wu et al., (4)), in the unit of the values. Exact or certified.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.distortion(10))
        """

    @method
    def distortions(self):
        """The expected distortion of every dataset, as a list of floats, 0 only where it is 0.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.distortions()[10])
        """

    @method
    def expected_distortion(self, prior=None):
        """The distortion averaged over the datasets (Wu et al., (5)). prior is a list of probabilities with sum 1, or a dict from datasets to theirs; None is uniform. Exact or certified.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.expected_distortion())
        """

    @method
    def prob(self, x):
        """The law at dataset x: a dict from value to probability (floats), values that are never output left out; no other is 0.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.prob(10))
        """

    @method
    def delta(self, eps):
        """The same as delta_at, by its older name: the privacy profile, the hockey-stick divergence over all neighbors in both directions. eps ≥ 0. Exact where the probabilities and e^eps are rational, as with eps = ln(3), else certified.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.delta(0.5))
        """

    @attribute
    def optimum(self):
        """The objective's optimum, of an optimal mechanism only: the mean distortion under the prior, the largest distortion ("worst") or the sum of the distortions ("pareto"). Certified: the upper end is what the mechanism attains, the lower end holds for every mechanism. Exact where the program was solved in rationals.

        Example::

            m = optimal(graphs(4).count("triangle"), 1)
            print(m.optimum)
        """

    @attribute
    def certificate(self):
        """What proves the lower end of the optimum, of an optimal mechanism only: a feasible point of the dual program. A dict with "prices", {(x, y, r): price} for the constraint p^x(r) ≤ e^ε p^y(r), r a place in the range; "weights", one per dataset: the prior, 1 for "pareto", 0 for "worst"; "bounds", the prices of the limits on P^x, or None; "unit", in which distances count; "delta"; "values", the places that may be output (others are never better); and "laws", the probabilities over the range for each dataset, which attain the upper end (None where they are not rational). Numbers are fractions as strings, and exact. With d = |f(x) − r|/unit, the distance in the value metric over unit, and R_xr = (weights[x] + bounds[x])·d + Σ_y (prices[x, y, r] − e^ε prices[y, x, r]), the optimum is at least unit·Σ_x min_r R_xr, r in values, less Σ_x bounds[x]·(than's distortion of x) for "pareto", and less unit·delta·Σ max_r prices[x, y, r] over all neighbors x, y.

        Example::

            m = optimal(graphs(4).count("triangle"), 1)
            c = m.certificate
            print(c["unit"], len(c["prices"]), len(c["laws"]))
        """

    @attribute
    def constants(self):
        """The constants c_y of a tight mechanism, one per dataset, as floats.

        Example::

            print(tight(graphs(4).count("triangle"), 1).constants)
        """

    @method
    def sample(self, x, n=1, seed=0):
        """A list of n values simulated at dataset x: for research. release draws what may be published.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.sample(10, n=5, seed=1))
        """

    @method
    def simulate(self, x, n=1, seed=0):
        """The same as sample.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.simulate(10, n=5, seed=1))
        """

    @method
    def release(self, x, n=1, seed=None):
        """Releases n values at dataset x, drawn from the operating system's generator, each with exactly its probability. A mechanism whose probabilities are known within bounds alone is refused. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.release(10))
        """

    @attribute
    def monotonic(self):
        """Whether the query that it answers is monotonic (Wu et al., Definition 10): see query.monotonic.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.monotonic)
        """

    @method
    def approximation(self, n=0, eps=None):
        """The datasets at which it is an approximation mechanism (Wu et al., Definition 19): f(x) is not in the layers 0 … n of x; n = 0 is the definition. It is one where the list is not empty. Layers are a layered mechanism's own, elsewhere, or where eps is given, those of Definition 13 at eps, by default what it claims.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.approximation(0))
        """

    @method
    def answering(self, q):
        """The same laws read as a mechanism of another query q on the same datasets: distortions are those against q's values. For mechanisms of a query that stands in for q, as a lipschitz_extension does.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            g = lipschitz_extension(m.query, bound=1, on=[0, 1, 2])
            print(purest(g, 1).answering(m.query).distortion(10))
        """

    @method
    def expected_loss(self, loss, prior=None, x=None):
        """The expected loss, averaged over the datasets, or at dataset x. loss is a function of a dataset (its name where it has one, else its number) and a value, or "squared", (f(x) − r)²: it need be no metric. prior as in expected_distortion. Exact or certified.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.expected_loss("squared"))
        """

    @method
    def delta_at(self, eps):
        """The least δ at which it is (eps, δ)-differentially private: the largest hockey-stick divergence of neighbors, both ways; eps ≥ 0 in nats, 0 for the total variation distance, and at inf the chance of an infinite loss. Exact where the laws and e^eps are rational, as with eps = ln(3). epsilon_at asks the other way round.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.delta_at(ln(2)))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which it is (ε, delta)-differentially private, 0 ≤ delta < 1. smallest_epsilon is that at delta 0, and delta_at asks the other way round.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.epsilon_at(1e-6))
        """

    @method
    def renyi(self, alpha):
        """The largest Rényi divergence of order alpha > 1 of neighbors, in nats (Mironov 2017). Uses add up. Exact at 2 where the laws are rational.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.renyi(2))
        """

    @attribute
    def zcdp(self):
        """The least ρ with renyi(α) ≤ ρα for all α > 1: zero-concentrated differential privacy (Bun and Steinke 2016). Certified.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.zcdp)
        """

    @attribute
    def gdp(self):
        """The least μ for which two normal laws μ standard deviations apart are easier to tell from each other than any two neighbors: Gaussian differential privacy (Dong, Roth and Su 2022). Certified.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.gdp)
        """

    @method
    def tradeoff(self):
        """The largest convex function below the trade-off functions of all neighbors (Dong, Roth and Su 2022), by its corners: a list of pairs (α, β) from α = 0 to β = 0; who tells x from its neighbor and errs at x with chance α errs at the neighbor with chance β at least. Exact where the laws are rational. Elsewhere the polygon lies below the function, and β's upper end above it.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.tradeoff())
        """

    @method
    def plot(self):
        """The trade-off function with the profile: β over α, and δ over ε, where ε is counted in units of the ε at δ = 10^-6.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.plot())
        """

    @method
    def report(self, path=None, format=None, optimum=None):
        """One page on it: what it promises and what is true, δ(ε) as numbers and a picture, where most is revealed, by name, and of a mechanism on a finite query its distortion and how far that is from the optimum. Each number stands with how it is known, its source, and the line of script that gives it again. path writes the page to a file, whole or not at all, in the format that its end names (.html, .tex for pdflatex, .txt) or format does, returns None, and a notebook shows the page; format without path returns the text. optimum is whether the linear program of the optimum is solved: True, False, or None, which is up to 3,000 variables (datasets times values); the page says so where it is not.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.report())
        """

    @method
    def worst(self, eps=None):
        """Where most is revealed: the datasets x (the true one) and y, the outputs of the largest loss, and that loss. With eps the pair with the largest P(E) − e^eps Q(E), the event's outputs, and δ.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.worst())
        """

    @attribute
    def source(self):
        """The mechanism that was discretized.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            print(d.source)
        """

    @attribute
    def boundaries(self):
        """How many probabilities lay too close to a boundary for floats and were decided exactly or by enclosure.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            print(d.boundaries)
        """

    @attribute
    def is_basic(self):
        """Whether it is basic (Wu et al., Definition 15): no R̃_i but R_0 holds a value.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            print(d.is_basic)
        """

    @attribute
    def extras(self):
        """The values of R̃_I (Wu et al., (33)): a list of (dataset, value, layer), empty for a basic mechanism.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            print(d.extras)
        """

    @method
    def initial_values(self, x):
        """The initial values {R_0, R̃_I} of dataset x (Wu et al., (33)): a dict from layer to list of values, R_0 under 0.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            print(d.initial_values(0))
        """

    @method
    def reconstruct(self, rule="printed"):
        """Whether the initial values give the layers back by rule "printed", (34) as it stands (Wu et al., Theorem 3), or "closure": a list of (dataset, value, rebuilt layer) where they do not, empty where they do. They do wherever every pair of datasets at distance ≤ k+1 has a third within 1 of the one and k of the other.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            print(d.reconstruct(), d.reconstruct(rule="closure"))
        """

    @method
    def theorem1(self):
        """The evidence on this mechanism of what Theorem 1 states (Wu et al.).

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            print(d.theorem1())
        """

    @attribute
    def decay(self):
        """The loss in nats that a layer stands for, as it was given.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.decay)
        """

    @method
    def layers(self, x):
        """The layers of dataset x: a list of lists of values, the first being the most probable.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.layers(10))
        """

    @method
    def layer(self, x, r):
        """The layer of value r at dataset x; None where x never outputs r.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.layer(10, 0))
        """

    @method
    def migrate(self, x0, r0, layer=0):
        """The mechanism with value r0 added to the given layer of dataset x0, everything else rebuilt by the same rule (Wu et al., Theorem 4 and Corollary 3): r0 then stands at x in layer min(distance(x0, x) + layer, where it was).

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.migrate(0, 4).layers(0))
        """

    @method
    def migration_gains(self, x0, r0, layer=0):
        """What Theorem 5 (Wu et al.) predicts of m.migrate(x0, r0, layer) before it is done: for every dataset its distortion before minus after, positive where it profits.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.migration_gains(0, 4))
        """


@register("mvg design")
class MvgDesign(Object):
    """A matrix-variate Gaussian mechanism with the sensitivity set that it is judged by.

    Example::

        s = l2_sensitivity(2, 3, 1, 2)
        d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
        print(d)
    """
    __slots__ = ()

    @attribute
    def alpha(self):
        """α of Theorem 2: (H_r + H_{r,1/2})γ² + 2H_r γ s2. Claimed; a design by "theorem2" or "theorem3" has it.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.alpha)
        """

    @attribute
    def beta(self):
        """β of Theorems 2 and 3: 2(mn)^{1/4} ζ(δ) H_r s2. Claimed; a design by "theorem2" or "theorem3" has it.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.beta)
        """

    @attribute
    def omega(self):
        """ω of Theorem 3: 4 H_r γ s2. Claimed; a design by "theorem2" or "theorem3" has it.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.omega)
        """

    @attribute
    def zeta(self):
        """ζ(δ) as read: the root of 2√(−mn ln δ) − 2 ln δ + mn, or that number as printed. Claimed; a design by "theorem2" or "theorem3" has it.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.zeta)
        """

    @attribute
    def precision_budget(self):
        """The bound on Σ p_i², p_i = 1/σ_i(Σ): d²/n for Ψ = I (Theorem 5) and d for Ψ = Σ (Theorem 6), d the right-hand side of (1) or (8). For other designs, the Σ p_i² that Σ spends.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.precision_budget)
        """

    @attribute
    def row_variances(self):
        """σ_i(Σ), the variances of the row-wise noise in the order of the directions.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.row_variances)
        """

    @attribute
    def sigma(self):
        """Σ, the m×m covariance of the rows.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.sigma)
        """

    @attribute
    def psi(self):
        """Ψ, the n×n covariance of the columns.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.psi)
        """

    @attribute
    def element_sd(self):
        """The root mean square over the elements of the noise, √(tr Σ·tr Ψ/mn), in the unit of the query.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.element_sd)
        """

    @attribute
    def claimed_epsilon(self):
        """The ε, in nats, that the condition promises at the design's delta. Claimed.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.claimed_epsilon)
        """

    @attribute
    def whitened_sensitivity(self):
        """The largest ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F over the sensitivity set: the design is exactly as private as unit Gaussian noise on a query of this L2 sensitivity. Certified.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.whitened_sensitivity)
        """

    @attribute
    def smallest_epsilon(self):
        """The least ε ≥ 0, in nats, at which the design is (ε, δ)-differentially private for its sensitivity set, at its own delta. Certified. epsilon_at(delta) is the ε at another δ. An attribute, without parentheses; of XOR laws and sign projections it is a method.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.smallest_epsilon)
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which the design is (ε, delta)-differentially private for its sensitivity set: inf at delta 0. Certified. smallest_epsilon is that at the design's own delta, and delta_at asks the other way round.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.epsilon_at(1e-6))
        """

    @method
    def delta_at(self, eps):
        """The least δ at which the design is (eps, δ)-differentially private for its sensitivity set: at eps 0 the largest total variation distance of neighbors. eps in nats, at least 0. Certified. epsilon_at asks the other way round.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.delta_at(0.1))
        """

    @method
    def pnr(self, k):
        """The power-to-noise ratio (24): det(K + Σ)/det Σ for a signal covariance K of order m, det(K + Ψ⊗Σ)/det(Ψ⊗Σ) for K of order mn, the covariance of the column-stacked vec.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.pnr([[1, 0], [0, 1]]))
        """

    @method
    def log_pnr(self, k):
        """The logarithm of pnr(k), where that is too large for a float.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.log_pnr([[1, 0], [0, 1]]))
        """

    @method
    def mutual_information(self, k):
        """½ ln pnr(k), in nats: the mutual information between a Gaussian f(X) of covariance k and its release; an upper bound for other laws (Lemma 10 holds for Gaussian f(X) only).

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.mutual_information([[1, 0], [0, 1]]))
        """

    @attribute
    def draw_error(self):
        """How far the covariance of what sample draws may be from Ψ⊗Σ, relatively and in any direction: draws are a product of standard normals with roots of Σ and Ψ whose entries are float64. That a normal is one of 2^53 numbers, and that products are rounded, comes on top. Certified.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.draw_error)
        """

    @method
    def sample(self, x, seed=0, sampler="affine"):
        """The query's answer x, an m×n matrix, plus a draw of the noise, simulated in floating point: for research. release draws what may be published. sampler "affine" multiplies standard normals with roots of Σ and Ψ (Section 6.3.2), "vectorised" draws the column-stacked vec by the Cholesky factor of Ψ⊗Σ (Section 6.3.1): the same law, for mn up to 4096, at a cost that grows as (mn)³. Source: Chanyaswad, Dytso, Poor and Mittal (MVG).

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.sample([[0, 0, 0], [0, 0, 0]], seed=1))
        """

    @method
    def simulate(self, x, seed=0, sampler="affine"):
        """The same as sample.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.simulate([[0, 0, 0], [0, 0, 0]], seed=1, sampler="vectorised"))
        """

    @method
    def release(self, x, grid=None, seed=None):
        """Releases the query's answer x, an m×n matrix: noise of exactly the law that the covariances have, drawn from the operating system's generator, and every sum rounded to the nearest multiple of grid, decided exactly. grid None is a power of two 2^-32 of the smallest standard deviation of an element, or below. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.release([[0, 0, 0], [0, 0, 0]]))
        """

    @method
    def renyi(self, alpha):
        """The largest Rényi divergence of order alpha > 1 of neighbors, in nats (Mironov 2017). Uses add up. Exact at 2 where the laws are rational.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.renyi(2))
        """

    @attribute
    def zcdp(self):
        """The least ρ with renyi(α) ≤ ρα for all α > 1: zero-concentrated differential privacy (Bun and Steinke 2016). Certified.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.zcdp)
        """

    @attribute
    def gdp(self):
        """The least μ for which two normal laws μ standard deviations apart are easier to tell from each other than any two neighbors: Gaussian differential privacy (Dong, Roth and Su 2022). Certified.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.gdp)
        """

    @method
    def tradeoff(self):
        """The largest convex function below the trade-off functions of all neighbors (Dong, Roth and Su 2022), by its corners: a list of pairs (α, β) from α = 0 to β = 0; who tells x from its neighbor and errs at x with chance α errs at the neighbor with chance β at least. Exact where the laws are rational. Elsewhere the polygon lies below the function, and β's upper end above it.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.tradeoff())
        """

    @method
    def plot(self):
        """The trade-off function with the profile: β over α, and δ over ε, where ε is counted in units of the ε at δ = 10^-6.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.plot())
        """

    @method
    def report(self, path=None, format=None, optimum=None):
        """One page on it: what it promises and what is true, δ(ε) as numbers and a picture, where most is revealed, by name, and of a mechanism on a finite query its distortion and how far that is from the optimum. Each number stands with how it is known, its source, and the line of script that gives it again. path writes the page to a file, whole or not at all, in the format that its end names (.html, .tex for pdflatex, .txt) or format does, returns None, and a notebook shows the page; format without path returns the text. optimum is whether the linear program of the optimum is solved: True, False, or None, which is up to 3,000 variables (datasets times values); the page says so where it is not.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.report())
        """

    @method
    def worst(self, eps=None):
        """Where most is revealed: the datasets x (the true one) and y, the outputs of the largest loss, and that loss. With eps the pair with the largest P(E) − e^eps Q(E), the event's outputs, and δ.

        Example::

            s = l2_sensitivity(2, 3, 1, 2)
            d = mvg(s, 1, 1e-3, theta=[0.8, 0.2])
            print(d.worst())
        """


@register("mvg optimum")
class MvgOptimum(Object):
    """The best design for an objective under exact privacy, with a bound that no other can pass.

    Example::

        o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)
        print(o)
    """
    __slots__ = ()

    @attribute
    def precisions(self):
        """p_i = 1/σ_i(Σ); a direction with p_i = 0 is not released.

        Example::

            o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)
            print(o.precisions)
        """

    @attribute
    def directions(self):
        """The directions of Σ as columns, in the order of precisions; None is the standard basis.

        Example::

            o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)
            print(o.directions)
        """

    @attribute
    def optimum(self):
        """The optimal value, the expected squared error or ln PNR, enclosed between this design's and a bound. Certified.

        Example::

            o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)
            print(o.optimum)
        """

    @attribute
    def everywhere(self):
        """Whether the bound holds for every Σ with that Ψ (every Σ and Ψ for modal "both"), not just for these directions.

        Example::

            o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)
            print(o.everywhere)
        """

    @attribute
    def method(self):
        """How the optimum was found and bounded.

        Example::

            o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)
            print(o.method)
        """

    @attribute
    def design(self):
        """The mechanism; None where a direction is withheld (its precision is 0): no noise of finite variance does that, and print(o) says so.

        Example::

            o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)
            print(o.design.smallest_epsilon)
        """


@register("net rival")
class NetRival(Object):
    """The exponential mechanism on a finite net of matrices.

    Example::

        r = net_rival([1, 2], 2, 2, 1)
        print(r)
    """
    __slots__ = ()

    @attribute
    def parameter(self):
        """The ε with which the weights are made.

        Example::

            r = net_rival([1, 2], 2, 2, 1)
            print(r.parameter)
        """

    @attribute
    def sensitivity(self):
        """Δ, how far the distance to a matrix of the net moves with one record. Certified.

        Example::

            r = net_rival([1, 2], 2, 2, 1)
            print(r.sensitivity)
        """

    @attribute
    def log_size(self):
        """The logarithm of the number of matrices. Certified.

        Example::

            r = net_rival([1, 2], 2, 2, 1)
            print(r.log_size)
        """

    @attribute
    def claimed_epsilon(self):
        """The ε, in nats, that the paper promises. Claimed.

        Example::

            r = net_rival([1, 2], 2, 2, 1)
            print(r.claimed_epsilon)
        """

    @attribute
    def smallest_epsilon(self):
        """The smallest ε, over all data in the box: exact for quality "sum", half of the parameter, and enclosed between that and the parameter for "max". epsilon_at(delta) is the ε at a δ. An attribute, without parentheses; of XOR laws and sign projections it is a method.

        Example::

            r = net_rival([1, 2], 2, 2, 1)
            print(r.smallest_epsilon)
        """

    @attribute
    def mechanism(self):
        """The mechanism written down on the net itself, in the order of the entries, row by row, the last one fastest, for nets of up to 512 matrices: its laws are exact.

        Example::

            r = net_rival([1, 2], 2, 2, 1)
            print(r.mechanism.smallest_epsilon)
        """

    @method
    def simulate(self, x, seed=0):
        """A matrix of the net, drawn by its weights around x, an m×n matrix within the box, in floating point: for research.

        Example::

            r = net_rival([1, 2], 2, 2, 1)
            print(r.simulate([[1, 0], [0, 2]], seed=1))
        """

    @method
    def delta_at(self, eps):
        """The least δ at which the mechanism is (eps, δ)-private, eps in nats, at least 0. Certified: its upper end is safe; where it is a bound alone, the lower end says so. epsilon_at asks the other way round.

        Example::

            r = net_rival([1, 2], 2, 2, 1)
            print(r.delta_at(1))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which the mechanism is (ε, delta)-private, 0 ≤ delta < 1: inf where no ε will do. Certified, or exact. smallest_epsilon is that at delta 0. delta_at asks the other way round.

        Example::

            r = net_rival([1, 2], 2, 2, 1)
            print(r.epsilon_at(0.01))
        """


@register("network")
class Network(Object):
    """An undirected simple graph.

    Example::

        g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
        print(g)
    """
    __slots__ = ()

    @attribute
    def nodes(self):
        """Number of nodes.

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.nodes)
        """

    @attribute
    def edges(self):
        """Number of edges. network_records(g).edges() is the query.

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.edges)
        """

    @attribute
    def density(self):
        """Edges over pairs of nodes.

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.density)
        """

    @attribute
    def diameter(self):
        """The longest shortest path over pairs that a path joins.

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.diameter)
        """

    @attribute
    def mean_path(self):
        """The mean shortest path over pairs that a path joins.

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.mean_path)
        """

    @attribute
    def components(self):
        """Number of connected components. network_records(g).components() is the query; components(s) of a matrix is another thing.

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.components)
        """

    @attribute
    def degrees(self):
        """The degree of every node, a list.

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.degrees)
        """

    @attribute
    def names(self):
        """What the nodes were called when the network was made: node i had the number names[i].

        Example::

            network([(7, 9), (9, 12)]).names
        """

    @attribute
    def degree_law(self):
        """The degree distribution p(k), k from 0 to the number of nodes less one: the share of nodes with each degree.

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.degree_law)
        """

    @attribute
    def random_law(self):
        """The law of a node's degree in an Erdős–Rényi graph with as many nodes and the same mean degree: binomial(nodes - 1, density).

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.random_law)
        """

    @attribute
    def random_divergence(self):
        """The Kullback–Leibler divergence in nats of degree_law from random_law, summed with logarithms: finite however small the law's values are. 0 means the degrees of an Erdős–Rényi graph; of n degrees drawn from the law itself it is about (s - 1)/2n, s the number of degrees that occur often.

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.random_divergence)
        """

    @method
    def adjacency(self):
        """The adjacency matrix.

        Example::

            g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
            print(g.adjacency())
        """


@register("network_records")
class NetworkRecords(Object):
    """One graph. Its methods are queries at this graph.

    Example::

        g = network_records([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=5)
        print(g)
    """
    __slots__ = ()

    @attribute
    def nodes(self):
        """The number of nodes.

        Example::

            g = network_records([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=5)
            print(g.nodes)
        """

    @method
    def edges(self):
        """The query of the number of edges: exact distances under edges, bounds under nodes. On a network, edges is the number itself.

        Example::

            g = network_records([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=5)
            print(g.edges())
        """

    @method
    def triangles(self):
        """The query of the number of triangles: bounds. graphs(n).count("triangle") is the query on a listed universe.

        Example::

            g = network_records([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=5)
            print(g.triangles())
        """

    @method
    def k_star(self, k):
        """The query of the number of k-stars, a node with k of its neighbors: bounds.

        Example::

            g = network_records([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=5)
            print(g.k_star(2))
        """

    @method
    def maximum_degree(self):
        """The query of the largest degree: bounds.

        Example::

            g = network_records([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=5)
            print(g.maximum_degree())
        """

    @method
    def components(self):
        """The query of the number of connected components, under edges: bounds. On a network, components is the number itself; components(s) of a symmetric matrix are its eigenvalues and eigenvectors.

        Example::

            g = network_records([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=5)
            print(g.components())
        """


@register("node_graphs")
class NodeGraphs(Object):
    """A universe of unlabeled simple graphs on at most n nodes under node neighbors: one has a node, with its edges, more than the other.

    Example::

        u = graphs(4, neighbors="node")
    """
    __slots__ = ()

    @attribute
    def size(self):
        """Number of datasets.

        Example::

            u = graphs(4, neighbors="node")
            print(u.size)
        """

    @attribute
    def diameter(self):
        """The largest distance between two datasets; inf where no path joins some.

        Example::

            u = graphs(4, neighbors="node")
            print(u.diameter)
        """

    @attribute
    def edge_pairs(self):
        """Number of unordered neighboring pairs, 0 < distance ≤ 1.

        Example::

            u = graphs(4, neighbors="node")
            print(u.edge_pairs)
        """

    @method
    def distance(self, i, j):
        """The distance between datasets i and j, by their numbers or names; inf where no path joins them.

        Example::

            u = graphs(4, neighbors="node")
            print(u.distance(0, 1))
        """

    @method
    def neighbors(self, i):
        """The datasets at a distance of at most 1 from dataset i, ascending, without i: their numbers, or the names that finite_query or read_query gave them.

        Example::

            u = graphs(4, neighbors="node")
            print(u.neighbors(0))
        """

    @method
    def nodes(self, i):
        """The number of nodes of dataset i.

        Example::

            u = graphs(4, neighbors="node")
            print(u.nodes(5))
        """

    @method
    def max_degree(self, i):
        """The largest degree of a node of dataset i.

        Example::

            u = graphs(4, neighbors="node")
            print(u.max_degree(5))
        """

    @method
    def graph6(self, i):
        """The lexicographically least graph6 string of dataset i over all labellings; "?" for the empty graph.

        Example::

            u = graphs(4, neighbors="node")
            print(u.graph6(5))
        """

    @method
    def index(self, graph6):
        """The dataset that a graph6 string belongs to, in any labelling.

        Example::

            u = graphs(4, neighbors="node")
            print(u.index("C~"))
        """

    @method
    def dataset(self, i):
        """The edges of dataset i in the labelling of its least graph6 string: a list of pairs of nodes.

        Example::

            u = graphs(4, neighbors="node")
            print(u.dataset(5))
        """

    @method
    def count(self, pattern):
        """The query that counts copies of a pattern, not necessarily induced. Its range is the set of attained counts.

        Example::

            print(graphs(4, neighbors="node").count("triangle").sensitivity)
        """


@register("noise law")
class NoiseLaw(Object):
    """A law of the noise of an XOR release, state by state.

    Example::

        b = optimal_xor(2, 2, 1)
        print(b)
    """
    __slots__ = ()

    @attribute
    def mean_flips(self):
        """The least mean number of flipped bits. Exact or certified.

        Example::

            b = optimal_xor(2, 2, 1)
            print(b.mean_flips)
        """

    @attribute
    def cells(self):
        """How many different probabilities the symmetry of the program leaves.

        Example::

            b = optimal_xor(2, 2, 1)
            print(b.cells)
        """

    @method
    def prob(self):
        """The probability of every state, as a list of 2^{np} floats. Bit (i, j) of the matrix is bit i·p + j of the state's number.

        Example::

            b = optimal_xor(2, 2, 1)
            print(b.prob())
        """

    @method
    def smallest_epsilon(self, sensitivity=1, neighbors="bits"):
        """The smallest ε at which a matrix xor this noise is ε-differentially private, in nats. sensitivity and neighbors as in smallest_epsilon of a bernoulli law: by default one bit anywhere. epsilon_at(delta) is the ε at a δ. A method; of mechanisms and designs it is an attribute, without parentheses.

        Example::

            b = optimal_xor(2, 2, 1)
            print(b.smallest_epsilon(1))
        """

    @method
    def delta_at(self, eps, sensitivity=1, neighbors="bits"):
        """The least δ at which it is (eps, δ)-differentially private: the largest hockey-stick divergence of neighbors, both ways; eps ≥ 0 in nats, 0 for the total variation distance, and at inf the chance of an infinite loss. Exact where the laws and e^eps are rational, as with eps = ln(3). epsilon_at asks the other way round. sensitivity and neighbors as in smallest_epsilon of a bernoulli law: by default one bit anywhere.

        Example::

            b = optimal_xor(2, 2, 1)
            print(b.delta_at(0.5))
        """

    @method
    def epsilon_at(self, delta, sensitivity=1, neighbors="bits"):
        """The least ε ≥ 0, in nats, at which it is (ε, delta)-differentially private, 0 ≤ delta < 1. smallest_epsilon is that at delta 0, and delta_at asks the other way round. sensitivity and neighbors as in smallest_epsilon of a bernoulli law: by default one bit anywhere.

        Example::

            b = optimal_xor(2, 2, 1)
            print(b.epsilon_at(0.1))
        """

    @method
    def sample(self, k=1, seed=0):
        """A list of k states simulated: for research. release draws what may be published.

        Example::

            b = optimal_xor(2, 2, 1)
            print(b.sample(5, seed=1))
        """

    @method
    def simulate(self, k=1, seed=0):
        """The same as sample.

        Example::

            b = optimal_xor(2, 2, 1)
            print(b.simulate(5, seed=1))
        """

    @method
    def release(self, matrix, complement=False, sensitivity=1, seed=None):
        """Releases an N × P matrix of 0 and 1 xor noise, drawn from the operating system's generator with exactly its law, which has to be rational; with complement xor 1 − B. sensitivity is how many bits neighbors differ in, for the record. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            b = optimal_xor(2, 2, ln(3))
            print(b.release([[1, 0], [0, 0]]))
        """


@register("noise_mechanism")
class NoiseMechanism(Object):
    """A mechanism that adds noise to a number and leaves it on the whole line; how much noise may depend on the dataset. on_range() is the same on the query's range.

    Example::

        q = graphs(4).count("triangle")
        m = smooth_sensitivity(q, 1)
        print(m)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """Which mechanism it is, with its parameters.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.name)
        """

    @attribute
    def query(self):
        """The query against whose values its errors are measured: where the noise was put on a lipschitz_extension, the query that this stands for.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.query.size)
        """

    @attribute
    def claimed_epsilon(self):
        """The ε that the theorem promises, in nats. Claimed.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.claimed_epsilon)
        """

    @attribute
    def claimed_delta(self):
        """The δ that the theorem promises, 0 for all noise but smooth_sensitivity's Laplace. Claimed.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.claimed_delta)
        """

    @attribute
    def smallest_epsilon(self):
        """The smallest ε at which it is ε-differentially private, in nats: the supremum over neighbors and the whole line of the log-ratio of their densities, tails included. Certified; inf for Laplace noise of different scales.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.smallest_epsilon)
        """

    @method
    def worst(self):
        """Neighbors with the largest privacy loss: a dict with x, y, their names, and the loss, evidence.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.worst())
        """

    @method
    def delta_at(self, eps):
        """δ(ε) of Laplace noise: the largest ∫ max(0, p − e^ε q) over neighbors in both directions. eps ≥ 0. Certified; the other laws are refused.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            m = smooth_sensitivity(q, 1, delta="1/100", noise="laplace")
            print(m.delta_at(1), m.claimed_delta)
        """

    @attribute
    def beta(self):
        """How smooth the bound of the local sensitivity is: neighbors' differ by a factor of at most e^beta. 0 where the noise is the same everywhere.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.beta)
        """

    @method
    def smooth_bound(self, x):
        """The smooth sensitivity S(x), in units of f.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.smooth_bound(10))
        """

    @method
    def scale(self, x):
        """What the standard noise is multiplied by at dataset x, in units of f.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.scale(10))
        """

    @method
    def distortion(self, x):
        """The expected absolute error at dataset x. Certified; inf where the noise has no first moment, which its source says.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.distortion(10))
        """

    @method
    def squared_error(self, x):
        """The expected squared error at dataset x. Certified; inf where the noise has no second moment, which its source says.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.squared_error(10))
        """

    @method
    def quantile(self, x, p):
        """The p-quantile of the absolute error at dataset x, 0 < p < 1, where the noise is centered on the value. Certified.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.quantile(10, 0.9))
        """

    @method
    def density(self, x, r):
        """The density of the answer at the number r. Certified.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.density(10, 0))
        """

    @method
    def distortions(self):
        """The expected absolute error of every dataset, as a list of floats.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.distortions()[10])
        """

    @method
    def expected_distortion(self, prior=None):
        """The expected absolute error averaged over the datasets. prior is a list of probabilities with sum 1, or a dict from datasets to theirs; None is uniform. Certified.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.expected_distortion())
        """

    @method
    def on_range(self):
        """The mechanism that moves each output to the nearest value of the query's range, ties to the smaller: as private, and a mechanism like any other on a finite query, to compare and to ask. Where (ε, δ) was claimed it claims ε = inf.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.on_range().distortion(10), m.on_range().smallest_epsilon)
        """

    @method
    def sample(self, x, n=1, seed=0):
        """A list of n answers simulated at dataset x, on a grid of about 2^-32 of the least noise: for research. release draws what may be published.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.sample(10, n=3, seed=1))
        """

    @method
    def simulate(self, x, n=1, seed=0):
        """The same as sample.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.simulate(10, n=3, seed=1))
        """

    @method
    def release(self, x, n=1, grid=None, seed=None):
        """Releases n answers at dataset x: noise drawn from the operating system's generator with exactly its law, and the sum rounded to the nearest multiple of grid, decided exactly. grid None is a power of two about 2^-32 of the least noise of any dataset: no property of the data at hand. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            q = graphs(4).count("triangle")
            m = smooth_sensitivity(q, 1)
            print(m.release(10))
        """


@register("noise_source")
class NoiseSource(Object):
    """What a program draws from: program(data, run) calls run(x, noise) again and again, until every way through its tosses and comparisons was taken.

    Example::

        def run(x, noise):
            return noise.flip("1/3")
        m = program([0, 1], run)
        print(m.law(0))
    """
    __slots__ = ()

    @method
    def flip(self, p):
        """True with probability p: a number, a fraction such as "1/3", or a power such as 1/(1 + exp(eps)). A float means its shortest decimal.

        Example::

            program([0, 1], lambda x, noise: noise.flip("1/3")).law(0)
        """

    @method
    def choice(self, values, weights=None):
        """One of values, with a probability proportional to its weight; None weighs all alike.

        Example::

            program([0, 1], lambda x, noise: noise.choice(["a", "b"], [1, 2])).law(0)
        """

    @method
    def integer(self, n):
        """A number of 0 … n−1, each as likely as another.

        Example::

            program([0, 1], lambda x, noise: noise.integer(3)).law(0)
        """

    @method
    def geometric(self, eps, sensitivity=1):
        """Discrete Laplace noise: a whole number k of probability proportional to e^{−eps·|k|/sensitivity}. It stays unknown: comparing it, or a sum or difference of two such, divides the run.

        Example::

            program([0, 1], lambda x, noise: x + noise.geometric(ln(2)) > 0).law(0)
        """

    @method
    def one_sided(self, eps):
        """A whole number k ≥ 0 of probability (1 − z) z^k, z = e^{−eps}. It stays unknown, as that of geometric.

        Example::

            program([0, 1], lambda x, noise: noise.one_sided(ln(2)) == 1).law(0)
        """

    @method
    def exponential(self, scores, eps):
        """An index i of probability proportional to e^{eps·scores[i]/2}: the exponential mechanism (McSherry and Talwar 2007) for scores of sensitivity 1.

        Example::

            program([0, 1], lambda x, noise: noise.exponential([x, 2], ln(4))).law(0)
        """

    @method
    def permute_and_flip(self, scores, eps):
        """An index by permute-and-flip (McKenna and Sheldon 2020) for scores of sensitivity 1: in random order, i is taken with probability e^{eps·(scores[i] − max)/2}.

        Example::

            program([0, 1], lambda x, n: n.permute_and_flip([x, 2], ln(4))).law(0)
        """


@register("power")
class Power(AlgebraBase):
    """A quotient of sums of powers of e^{−ε} for a symbol ε, z standing for e^{−ε}: what noise.flip and the weights of noise.choice may be.

    Example::

        eps = symbol("eps")
        print(1/(1 + exp(eps)), exp(-2*eps) + 1)
    """
    __slots__ = ()


@register("power_law")
class PowerLaw(Object):
    """A discrete power law fitted to values.

    Example::

        f = power_law([1, 1, 1, 2, 2, 3, 5, 1, 2, 9])
        print(f)
    """
    __slots__ = ()

    @attribute
    def exponent(self):
        """The exponent of greatest likelihood.

        Example::

            f = power_law([1, 1, 1, 2, 2, 3, 5, 1, 2, 9])
            print(f.exponent)
        """

    @attribute
    def standard_error(self):
        """The exponent's standard error, from the curvature of the likelihood; that x_min was chosen is not in it.

        Example::

            f = power_law([1, 1, 1, 2, 2, 3, 5, 1, 2, 9])
            print(f.standard_error)
        """

    @attribute
    def x_min(self):
        """The least value of the law.

        Example::

            f = power_law([1, 1, 1, 2, 2, 3, 5, 1, 2, 9])
            print(f.x_min)
        """

    @attribute
    def x_max(self):
        """The largest value of the law, None where there is none.

        Example::

            f = power_law([1, 1, 1, 2, 2, 3, 5, 1, 2, 9])
            print(f.x_max)
        """

    @attribute
    def distance(self):
        """The Kolmogorov–Smirnov distance of the values in the range from the law.

        Example::

            f = power_law([1, 1, 1, 2, 2, 3, 5, 1, 2, 9])
            print(f.distance)
        """

    @attribute
    def tail(self):
        """How many values lie in the range.

        Example::

            f = power_law([1, 1, 1, 2, 2, 3, 5, 1, 2, 9])
            print(f.tail)
        """

    @attribute
    def log_likelihood(self):
        """The log-likelihood of the values in the range.

        Example::

            f = power_law([1, 1, 1, 2, 2, 3, 5, 1, 2, 9])
            print(f.log_likelihood)
        """


@register("ppca")
class Ppca(Object):
    """The first principal component by the exponential mechanism.

    Example::

        p = ppca(1)
        print(p)
    """
    __slots__ = ()

    @attribute
    def parameter(self):
        """The ε with which the weights are made.

        Example::

            p = ppca(1)
            print(p.parameter)
        """

    @attribute
    def claimed_epsilon(self):
        """The ε, in nats, that the paper promises. Claimed.

        Example::

            p = ppca(1)
            print(p.claimed_epsilon)
        """

    @attribute
    def smallest_epsilon(self):
        """The smallest ε over data sets of any size, from two dimensions on. Certified. epsilon_at(delta) is the ε at a δ. An attribute, without parentheses; of XOR laws and sign projections it is a method.

        Example::

            p = ppca(1)
            print(p.smallest_epsilon)
        """

    @method
    def witness(self, d, n):
        """The loss between two neighbors of n records in dimension d at one output: a lower bound of the smallest ε for data of that size. Certified.

        Example::

            p = ppca(1)
            print(p.witness(3, 100))
        """

    @method
    def law(self, x):
        """The law of the released vector for the data x, records in columns.

        Example::

            p = ppca(1)
            print(p.law([[0.9, -0.8], [0.1, 0.2]]).moment)
        """

    @method
    def captured(self, x):
        """The variance E vᵀ(XXᵀ/n)v that the released vector captures on average, without draws. Certified, for the eigenvalues of XXᵀ as computed.

        Example::

            p = ppca(1)
            print(p.captured([[0.9, -0.8], [0.1, 0.2]]))
        """

    @method
    def simulate(self, x, seed=0):
        """A draw of the released vector, in floating point: for research.

        Example::

            p = ppca(1)
            print(p.simulate([[0.9, -0.8], [0.1, 0.2]], seed=1))
        """

    @method
    def delta_at(self, eps):
        """The least δ at which the mechanism is (eps, δ)-private, eps in nats, at least 0. Certified: its upper end is safe; where it is a bound alone, the lower end says so. epsilon_at asks the other way round.

        Example::

            p = ppca(1)
            print(p.delta_at(1))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which the mechanism is (ε, delta)-private, 0 ≤ delta < 1: inf where no ε will do. Certified, or exact. smallest_epsilon is that at delta 0. delta_at asks the other way round.

        Example::

            p = ppca(1)
            print(p.epsilon_at(0.01))
        """


@register("privacy")
class Privacy(Object):
    """The privacy of a mechanism, or of many uses of mechanisms on the same dataset, through the laws of their losses.

    Example::

        q = graphs(4).count("triangle")
        p = privacy(purest(q, ln(2)))
        print(p)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """What is used, and how often.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.name)
        """

    @attribute
    def is_bound(self):
        """Whether its numbers are upper bounds, as where mechanisms share no pair of datasets.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.is_bound)
        """

    @attribute
    def smallest_epsilon(self):
        """The smallest ε, in nats, at δ = 0: inf where one of two neighbors has an output that the other has not. epsilon_at(delta) is the ε at a δ. An attribute, without parentheses; of XOR laws and sign projections it is a method.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.smallest_epsilon)
        """

    @attribute
    def adaptive(self):
        """The privacy of as many mechanisms that an adversary picks in the light of earlier outputs, each of a part's privacy: the product of the tight dominating pairs (Zhu, Dong and Wang 2022), which is attained. More than the fixed uses cost, where no one pair of datasets is the worst of all.

        Example::

            q = graphs(4).count("triangle")
            c = compose(purest(q, ln(2)), 2)
            print(c.delta_at(ln(2)), c.adaptive.delta_at(ln(2)))
        """

    @method
    def delta_at(self, eps):
        """The least δ at which it is (eps, δ)-differentially private: the largest hockey-stick divergence of neighbors, both ways; eps ≥ 0 in nats, 0 for the total variation distance, and at inf the chance of an infinite loss. Exact where the laws and e^eps are rational, as with eps = ln(3). epsilon_at asks the other way round.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.delta_at(ln(2)))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which it is (ε, delta)-differentially private, 0 ≤ delta < 1. smallest_epsilon is that at delta 0, and delta_at asks the other way round.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.epsilon_at(1e-6))
        """

    @method
    def renyi(self, alpha):
        """The largest Rényi divergence of order alpha > 1 of neighbors, in nats (Mironov 2017). Uses add up. Exact at 2 where the laws are rational.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.renyi(2))
        """

    @attribute
    def zcdp(self):
        """The least ρ with renyi(α) ≤ ρα for all α > 1: zero-concentrated differential privacy (Bun and Steinke 2016). Certified.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.zcdp)
        """

    @attribute
    def gdp(self):
        """The least μ for which two normal laws μ standard deviations apart are easier to tell from each other than any two neighbors: Gaussian differential privacy (Dong, Roth and Su 2022). Certified.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.gdp)
        """

    @method
    def tradeoff(self):
        """The largest convex function below the trade-off functions of all neighbors (Dong, Roth and Su 2022), by its corners: a list of pairs (α, β) from α = 0 to β = 0; who tells x from its neighbor and errs at x with chance α errs at the neighbor with chance β at least. Exact where the laws are rational. Elsewhere the polygon lies below the function, and β's upper end above it.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.tradeoff())
        """

    @method
    def plot(self):
        """The trade-off function with the profile: β over α, and δ over ε, where ε is counted in units of the ε at δ = 10^-6.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.plot())
        """

    @method
    def report(self, path=None, format=None, optimum=None):
        """One page on it: what it promises and what is true, δ(ε) as numbers and a picture, where most is revealed, by name, and of a mechanism on a finite query its distortion and how far that is from the optimum. Each number stands with how it is known, its source, and the line of script that gives it again. path writes the page to a file, whole or not at all, in the format that its end names (.html, .tex for pdflatex, .txt) or format does, returns None, and a notebook shows the page; format without path returns the text. optimum is whether the linear program of the optimum is solved: True, False, or None, which is up to 3,000 variables (datasets times values); the page says so where it is not.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.report())
        """

    @method
    def worst(self, eps=None):
        """Where most is revealed: the datasets x (the true one) and y, the outputs of the largest loss, and that loss. With eps the pair with the largest P(E) − e^eps Q(E), the event's outputs, and δ.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            print(p.worst())
        """


@register("program")
class Program(Object):
    """A mechanism that is written as an algorithm, with the law of its outputs at every dataset. Where its noise is at a symbol, the law is a function of it: private decides for every value, at gives the program at one.

    Example::

        eps = symbol("eps")
        m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
        print(m)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """The name of its function.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.name)
        """

    @attribute
    def size(self):
        """Number of datasets.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.size)
        """

    @attribute
    def outputs(self):
        """The outputs, by their names. Those beyond a bound, where the probabilities of all datasets fall by one power, are taken together, as ≥ 3: a ratio that is the same for all of them is that of their sum. Where outputs have independent numbers and are too many to list, a list for each number.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.outputs)
        """

    @method
    def law(self, x):
        """The probabilities of the outputs at dataset x: exact or certified numbers, and functions of z = e^{−eps/denominator} where the program has a symbol. A list of dicts where outputs have independent numbers.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.law(0))
        """

    @method
    def probability(self, x, output):
        """The probability of an output at dataset x, by its value or its name.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.probability(0, 0))
        """

    @method
    def paths(self, x):
        """The ways through the program at dataset x that are possible: what it was told by its tosses and comparisons, draws being called X1, X2, … in their order, what it returned, and how likely that is.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.paths(0))
        """

    @attribute
    def symbolic(self):
        """Whether its noise is at a symbol.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.symbolic)
        """

    @attribute
    def denominator(self):
        """The law is a function of z = e^{−eps/denominator}.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.denominator)
        """

    @method
    def at(self, eps):
        """The program at a value of its symbol, in nats.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.at(ln(2)))
        """

    @method
    def private(self, eps):
        """Decides for every ε > 0 whether the program is eps-differentially private, eps a multiple of the symbol such as 2*eps: each inequality of an output at two neighbors is one of a polynomial in a power of e^{−ε} with whole coefficients on (0, 1), decided by isolating its roots (Descartes' rule of signs and bisection).

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.private(eps))
        """

    @method
    def smallest_epsilon_at(self, eps):
        """The smallest ε at which the program is ε-differentially private when its symbol has the value eps, in nats. Exact or certified.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.smallest_epsilon_at(ln(2)))
        """

    @method
    def epsilon_plot(self, to=4, claim=None):
        """The smallest ε at 64 values of the symbol from to/64 on, beside a claim where one is given, such as 2*eps.

        Example::

            eps = symbol("eps")
            m = program([0, 1], lambda x, noise: x + noise.geometric(eps))
            print(m.epsilon_plot(2, claim=eps))
        """

    @attribute
    def smallest_epsilon(self):
        """The smallest ε at which it is ε-differentially private, in nats, over all neighbors and outputs: inf where one of two neighbors has an output that the other has not. epsilon_at(delta) is the ε at a δ. An attribute, without parentheses; of XOR laws and sign projections it is a method.

        Example::

            m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))
            print(m.smallest_epsilon)
        """

    @attribute
    def mechanism(self):
        """The program as a mechanism that answers its query, in whose metric errors are: what compare and certify take. Its range is the query's where all outputs are in that, else outputs and values together; its claim is its smallest ε. Only where data was a query, and outputs are values such as it has, or numbers beside numbers. An attribute, without parentheses; of XOR laws and sign projections it is a method.

        Example::

            q = graphs(3).count("edge")
            m = program(q, lambda x, value, noise: max(0, min(3, value + noise.geometric(ln(2)))))
            print(compare(m.mechanism, geometric(q, ln(2))).better, m.mechanism.expected_distortion())
        """

    @method
    def delta_at(self, eps):
        """The least δ at which it is (eps, δ)-differentially private: the largest hockey-stick divergence of neighbors, both ways; eps ≥ 0 in nats, 0 for the total variation distance, and at inf the chance of an infinite loss. Exact where the laws and e^eps are rational, as with eps = ln(3). epsilon_at asks the other way round.

        Example::

            m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))
            print(m.delta_at(ln(2)))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which it is (ε, delta)-differentially private, 0 ≤ delta < 1. smallest_epsilon is that at delta 0, and delta_at asks the other way round.

        Example::

            m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))
            print(m.epsilon_at(1e-6))
        """

    @method
    def renyi(self, alpha):
        """The largest Rényi divergence of order alpha > 1 of neighbors, in nats (Mironov 2017). Uses add up. Exact at 2 where the laws are rational.

        Example::

            m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))
            print(m.renyi(2))
        """

    @attribute
    def zcdp(self):
        """The least ρ with renyi(α) ≤ ρα for all α > 1: zero-concentrated differential privacy (Bun and Steinke 2016). Certified.

        Example::

            m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))
            print(m.zcdp)
        """

    @attribute
    def gdp(self):
        """The least μ for which two normal laws μ standard deviations apart are easier to tell from each other than any two neighbors: Gaussian differential privacy (Dong, Roth and Su 2022). Certified.

        Example::

            m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))
            print(m.gdp)
        """

    @method
    def tradeoff(self):
        """The largest convex function below the trade-off functions of all neighbors (Dong, Roth and Su 2022), by its corners: a list of pairs (α, β) from α = 0 to β = 0; who tells x from its neighbor and errs at x with chance α errs at the neighbor with chance β at least. Exact where the laws are rational. Elsewhere the polygon lies below the function, and β's upper end above it.

        Example::

            m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))
            print(m.tradeoff())
        """

    @method
    def plot(self):
        """The trade-off function with the profile: β over α, and δ over ε, where ε is counted in units of the ε at δ = 10^-6.

        Example::

            m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))
            print(m.plot())
        """

    @method
    def report(self, path=None, format=None, optimum=None):
        """One page on it: what it promises and what is true, δ(ε) as numbers and a picture, where most is revealed, by name, and of a mechanism on a finite query its distortion and how far that is from the optimum. Each number stands with how it is known, its source, and the line of script that gives it again. path writes the page to a file, whole or not at all, in the format that its end names (.html, .tex for pdflatex, .txt) or format does, returns None, and a notebook shows the page; format without path returns the text. optimum is whether the linear program of the optimum is solved: True, False, or None, which is up to 3,000 variables (datasets times values); the page says so where it is not.

        Example::

            m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))
            print(m.report())
        """

    @method
    def worst(self, eps=None):
        """Where most is revealed: the datasets x (the true one) and y, the outputs of the largest loss, and that loss. With eps the pair with the largest P(E) − e^eps Q(E), the event's outputs, and δ.

        Example::

            m = program([0, 1], lambda x, noise: x + noise.geometric(ln(2)))
            print(m.worst())
        """


@register("projection")
class Projection(Object):
    """A random projection of p numbers to k.

    Example::

        w = projection(20, 4, seed=1)
        print(w)
    """
    __slots__ = ()

    @attribute
    def p(self):
        """Dimension of the data.

        Example::

            w = projection(20, 4, seed=1)
            print(w.p)
        """

    @attribute
    def k(self):
        """Dimension of the projection.

        Example::

            w = projection(20, 4, seed=1)
            print(w.k)
        """

    @attribute
    def kind(self):
        """"rademacher", "gaussian", "uniform", "sparse" or "oporp".

        Example::

            w = projection(20, 4, seed=1)
            print(w.kind)
        """

    @attribute
    def padded(self):
        """The dimension that OPORP works in: p rounded up to a multiple of k; p for others.

        Example::

            print(oporp(10, 4).padded)
        """

    @attribute
    def matrix(self):
        """W as a matrix of p rows, at most 2^24 entries.

        Example::

            w = projection(20, 4, seed=1)
            print(w.matrix[0])
        """

    @method
    def sensitivity(self, beta=1):
        """The L2 sensitivity β·max_i‖W_i‖/√k of x for neighbors that differ in one coordinate by at most beta: exactly beta for Rademacher and OPORP, certified for others.

        Example::

            w = projection(20, 4, seed=1)
            print(w.sensitivity(0.5))
        """

    @method
    def apply(self, u):
        """x = Wᵀu/√k, or OPORP's bin sums: a list of k floats for a vector u in [-1, 1]^p, a matrix of n rows for n vectors.

        Example::

            w = projection(20, 4, seed=1)
            print(w.apply([0.5] * 20))
        """

    @method
    def levels(self, u, beta=1):
        """L_j = ⌈|w_jᵀu|/(β·max_i|W_ij|)⌉ of every sign (Algorithm 4): signs with L = 1 or 0 are within reach of a neighbor.

        Example::

            w = projection(20, 4, seed=1)
            print(w.levels([0.5] * 20))
        """


@register("query")
class Query(Object):
    """A finite query: a value per dataset of a metric space, and a range with a metric.

    Example::

        q = graphs(4).count("triangle")
    """
    __slots__ = ()

    @attribute
    def diameter(self):
        """The largest distance between two datasets; inf where no path joins some.

        Example::

            u = graphs(4).count("triangle")
            print(u.diameter)
        """

    @attribute
    def edge_pairs(self):
        """Number of unordered neighboring pairs, 0 < distance ≤ 1.

        Example::

            u = graphs(4).count("triangle")
            print(u.edge_pairs)
        """

    @method
    def distance(self, i, j):
        """The distance between datasets i and j, by their numbers or names; inf where no path joins them.

        Example::

            u = graphs(4).count("triangle")
            print(u.distance(0, 1))
        """

    @method
    def neighbors(self, i):
        """The datasets at a distance of at most 1 from dataset i, ascending, without i: their numbers, or the names that finite_query or read_query gave them.

        Example::

            u = graphs(4).count("triangle")
            print(u.neighbors(0))
        """

    @attribute
    def size(self):
        """Number of datasets.

        Example::

            graphs(4).count("edge").size
        """

    @method
    def dataset(self, i):
        """What dataset i is called: its own name where finite_query or read_query was given one, the graph6 string of a graph, the counts of a histogram, its number elsewhere.

        Example::

            u = graphs(4).count("triangle")
            print(u.dataset(10))
        """

    @method
    def index(self, i):
        """The number of a dataset, by its name.

        Example::

            u = graphs(4).count("triangle")
            print(u.index("C~"))
        """

    @attribute
    def values(self):
        """f(x) for every dataset x, in their order.

        Example::

            graphs(4).count("edge").values
        """

    @attribute
    def range(self):
        """The values that a mechanism may output.

        Example::

            graphs(4).count("triangle").range
        """

    @attribute
    def sensitivity(self):
        """The global sensitivity: the largest distance of the values of two neighbors (Wu et al., Definition 12). Exact.

        Example::

            graphs(4).count("triangle").sensitivity
        """

    @attribute
    def monotonic(self):
        """Whether the query is monotonic (Wu et al., Definition 10): a dataset farther from x never has a value nearer to f(x). Decided on all pairs.

        Example::

            print(graphs(4).count("triangle").monotonic, graphs(4).count("edge").monotonic)
        """

    @attribute
    def strictly_monotonic(self):
        """Whether the query is strictly monotonic (Wu et al., Definition 10): a dataset farther from x always has a value farther from f(x).

        Example::

            histograms(types=1, records=3).counting([0]).strictly_monotonic
        """

    @attribute
    def monotonic_witness(self):
        """Datasets (x, y, z), by number or name, that show why the query is not monotonic, or else not strictly: y is farther from x than z, its value not farther from f(x). None where it is strictly monotonic.

        Example::

            graphs(4).count("triangle").monotonic_witness
        """

    @method
    def with_loss(self, loss):
        """The query with a loss in place of its value metric: what it costs to answer r where the value is v, a function of v and r, a matrix over range, or "squared", (v − r)². It need be no metric. distortion, expected_distortion and the optimum of optimal are then expected losses; what needs a metric (ladder, exponential, delta_neighborhood) refuses it.

        Example::

            q = graphs(4).count("triangle").with_loss("squared")
            print(purest(q, 1).expected_distortion(), optimal(q, 1).optimum)
        """

    @method
    def local_sensitivity(self, i):
        """The largest distance of the value of dataset i to that of a neighbor (Wu et al., Definition 12). Exact.

        Example::

            graphs(4).count("triangle").local_sensitivity(10)
        """


@register("r1smg")
class R1smg(Object):
    """The rank-one Gaussian mechanism of Ji and Li as claimed, with the privacy it really gives.

    Example::

        r = r1smg(10, 1, 1e-5)
        print(r)
    """
    __slots__ = ()

    @attribute
    def claimed_error(self):
        """The expected squared norm of the noise.

        Example::

            r = r1smg(10, 1, 1e-5)
            print(r.claimed_error)
        """

    @attribute
    def claimed_delta(self):
        """The δ that the paper promises at the given ε. Claimed.

        Example::

            r = r1smg(10, 1, 1e-5)
            print(r.claimed_delta)
        """

    @method
    def delta_at(self, eps, tolerance=0.001):
        """The real δ at ε ≥ 0, by enclosing the privacy loss on cells of radius and angle, to within tolerance where 4 million cells allow. Certified. epsilon_at asks the other way round.

        Example::

            r = r1smg(10, 1, 1e-5)
            print(r.delta_at(1))
        """

    @method
    def epsilon_at(self, delta, tolerance=0.001):
        """The real ε at delta, in nats, 0 < delta < 1, from the same enclosures: at delta 0 it is inf. Certified. delta_at asks the other way round.

        Example::

            r = r1smg(10, 1, 1e-5)
            print(r.epsilon_at(0.01))
        """

    @method
    def sample(self, x, seed=0):
        """A matrix with as many elements as the dimension plus a draw of the noise, simulated in floating point: for research.

        Example::

            r = r1smg(4, 1, 1e-5)
            print(r.sample([[0, 0], [0, 0]], seed=1))
        """

    @method
    def simulate(self, x, seed=0):
        """The same as sample.

        Example::

            r = r1smg(4, 1, 1e-5)
            print(r.simulate([[0, 0], [0, 0]], seed=1))
        """

    @method
    def release(self, x, grid=None, seed=None):
        """Releases a matrix with as many elements as the dimension plus the noise, drawn from the operating system's generator with exactly its law, on a grid as mvg designs have it. The record promises nothing, as the claim is refuted: see delta_at. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            r = r1smg(4, 1, 1e-5)
            print(r.release([[0, 0], [0, 0]]))
        """


@register("radii")
class Radii(Object):
    """Radii per dataset that a search found.

    Example::

        q = finite_query([11, 12, 1, 10], edges=[(0, 1), (1, 2), (2, 3)])
        b = best_radii(q, ln(3))
        print(b)
    """
    __slots__ = ()

    @attribute
    def radius(self):
        """The radius of every dataset.

        Example::

            q = finite_query([11, 12, 1, 10], edges=[(0, 1), (1, 2), (2, 3)])
            b = best_radii(q, ln(3))
            print(b.radius)
        """

    @attribute
    def value(self):
        """The objective at these radii. Exact or certified.

        Example::

            q = finite_query([11, 12, 1, 10], edges=[(0, 1), (1, 2), (2, 3)])
            b = best_radii(q, ln(3))
            print(b.value)
        """

    @attribute
    def mechanism(self):
        """The δ-neighborhood mechanism with these radii.

        Example::

            q = finite_query([11, 12, 1, 10], edges=[(0, 1), (1, 2), (2, 3)])
            b = best_radii(q, ln(3))
            print(b.mechanism.layers(0))
        """

    @attribute
    def steps(self):
        """The steps of the greedy search: a list of (dataset, new radius, predicted gain, actual gain). The prediction takes each value of the ring alone (Wu et al., Theorem 5); where the ring has one value it is the gain itself, for the mean.

        Example::

            q = finite_query([11, 12, 1, 10], edges=[(0, 1), (1, 2), (2, 3)])
            b = best_radii(q, ln(3))
            print(b.steps)
        """

    @attribute
    def cases(self):
        """How many mechanisms were evaluated.

        Example::

            q = finite_query([11, 12, 1, 10], edges=[(0, 1), (1, 2), (2, 3)])
            b = best_radii(q, ln(3))
            print(b.cases)
        """


@register("record_mechanism")
class RecordMechanism(Object):
    """A mechanism at one dataset: its law there. What it claims is a theorem on all datasets; verify(m) tests it on small universes.

    Example::

        x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
        m = purest(x.median(), 1)
        print(m)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """Which mechanism it is, with its parameter.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.name)
        """

    @attribute
    def query(self):
        """The query it answers.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.query.value)
        """

    @attribute
    def claimed_epsilon(self):
        """The ε that a theorem promises, in nats, which its origin names. Claimed: one dataset cannot show it; verify(m) tests it.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.claimed_epsilon)
        """

    @method
    def distortion(self, against=None):
        """E|r − f(x)| at this dataset, in the unit of the values; of a mode the chance of another category. against, the query that a lipschitz_extension stands for or a number, takes the place of f(x). Exact where the weights are rational and not too many, else certified.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.distortion())
        """

    @method
    def error_quantile(self, p):
        """The least e with Pr[|r − f(x)| ≤ e] ≥ p, 0 < p < 1. Exact on a lattice, certified elsewhere.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.error_quantile(0.9))
        """

    @method
    def probability(self, lo, hi=None):
        """Pr[lo ≤ r ≤ hi], of the value lo alone where hi is None; of a mode the chance of a category. Certified.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.probability(4, 6))
        """

    @method
    def layer(self, r):
        """The layer of the value r in this mechanism; None where it has no layers or never outputs r.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.layer(9))
        """

    @method
    def pieces(self):
        """The law of a layered mechanism, a list of (lo, hi, layer, probability) in ascending order, floats: over each the law is even, on the lattice's values from lo to hi or on the whole interval. What weighs less than 2^-80 together is left out.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.pieces())
        """

    @method
    def prob(self):
        """The law of a mechanism whose range is a list, a dict from value to probability (floats).

        Example::

            x = records(["a", "b", "b"], categories=["a", "b", "c"])
            m = purest(x.mode(), ln(2))
            print(m.prob())
        """

    @method
    def plot(self):
        """The density of a layered mechanism between the values that hold 0.999 of it, per unit of the values.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.plot())
        """

    @method
    def sample(self, n=1, seed=0):
        """A list of n values, simulated in floating point: for research. release draws what may be published.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.sample(3, seed=1))
        """

    @method
    def simulate(self, n=1, seed=0):
        """The same as sample.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(m.simulate(3, seed=1))
        """

    @method
    def release(self, n=1, seed=None):
        """Releases n values drawn from the operating system's generator with exactly their law; those of a continuous range are rounded to the nearest multiple of a public power of two. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            m = purest(x.median(), 1)
            print(type(m.release().value))
        """


@register("record_query")
class RecordQuery(Object):
    """A query at one dataset, which knows its layers there.

    Example::

        x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
        q = x.median()
        print(q)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """Which query of what it is.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            q = x.median()
            print(q.name)
        """

    @attribute
    def value(self):
        """f(x) at this dataset, exact; the category of a mode.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            q = x.median()
            print(q.value)
        """

    @attribute
    def exact(self):
        """Whether layers are the distances to the nearest dataset that reaches a value. Elsewhere they are at most these, and valid: mechanisms of them keep their claim and are not the purest.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            q = x.median()
            print(q.exact)
        """

    @attribute
    def ground(self):
        """Where the layers come from; docs/records.md has the proofs.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            q = x.median()
            print(q.ground)
        """

    @attribute
    def stands_for(self):
        """The query for which a lipschitz_extension stands; None of others.

        Example::

            g = network_records([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=5)
            q = lipschitz_extension(network_records([(0, 1), (0, 2), (0, 3)], neighbors="node").edges(), on=1)
            print(q.value, q.stands_for.value)
        """

    @attribute
    def neighbors(self):
        """Which datasets are neighbors: "replace", "add_remove", "edge" or "node".

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            q = x.median()
            print(q.neighbors)
        """

    @attribute
    def range(self):
        """Where values lie: (lo, hi, step), None without an end, and for step where all between are values.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            q = x.median()
            print(q.range)
        """

    @method
    def layer(self, r):
        """L^x(r): how many changes reach the value r, or a bound from below; None where none do.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            q = x.median()
            print(q.layer(9))
        """

    @method
    def moves(self, t):
        """How far t changes can move the value, or bounds of it within the range: (up, down), None without an end. Layer t ends there.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            q = x.median()
            print(q.moves(1))
        """

    @method
    def local_sensitivity(self, t=0):
        """I_t, the largest change between neighbors of which one is within t changes of this dataset, or a bound from above that no neighbor's at t exceeds at t + 1: what ladder sums and smooth sensitivity weighs.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            q = x.median()
            print(q.local_sensitivity(1))
        """

    @attribute
    def global_sensitivity(self):
        """The largest change between any neighbors, for which laplace and staircase take noise; None where none is known.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            q = x.median()
            print(q.global_sensitivity)
        """


@register("records")
class Records(Object):
    """One dataset of records. Its methods are queries at this dataset.

    Example::

        x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
        print(x)
    """
    __slots__ = ()

    @attribute
    def size(self):
        """The number of records.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            print(x.size)
        """

    @method
    def median(self):
        """The lower median, the record of place ⌈n/2⌉ in ascending order. Exact distances.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            print(x.median())
        """

    @method
    def quantile(self, p):
        """The record of place ⌈pn⌉ in ascending order, 0 ≤ p ≤ 1, the first for p = 0. Exact distances.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            print(x.quantile(0.9))
        """

    @method
    def minimum(self):
        """The smallest record. Exact distances.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            print(x.minimum())
        """

    @method
    def maximum(self):
        """The largest record. Exact distances.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            print(x.maximum())
        """

    @method
    def total(self):
        """The sum of the records. Exact distances under replacement, bounds under add_remove, where its range has no end but 0.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            print(x.total())
        """

    @method
    def mean(self):
        """The mean of the records, under replacement. Exact distances.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            print(x.mean())
        """

    @method
    def trimmed_mean(self, k):
        """The mean of what is left without the k smallest and the k largest records, under replacement. Exact distances.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            print(x.trimmed_mean(1))
        """

    @method
    def variance(self):
        """The mean squared distance from the mean, under replacement: exact distances without a grid, bounds on one, where variances leave gaps.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            print(x.variance())
        """

    @method
    def count(self, predicate):
        """How many records satisfy a function of one, such as lambda v: v > 5. Exact distances, where records between lo and hi can satisfy it and can fail to.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            print(x.count(lambda v: v > 4))
        """

    @method
    def mode(self):
        """The most frequent category, of equals the first of the list. The error of another is 1. Exact distances.

        Example::

            x = records(["a", "b", "b"], categories=["a", "b", "c"])
            print(x.mode())
        """


@register("release")
class Release(Object):
    """A private version of a vector's projection or of its signs. Three readings of its privacy are kept apart: smallest_epsilon and delta_at are individual (W and u given), public_epsilon is differential privacy with public W, random_w_delta is about random W.

    Example::

        r = dp_signrp(projection(20, 4, seed=1), 2)
        u, v = [0.5] * 20, [-0.5] + [0.5] * 19
        print(r)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """The paper's name of the release.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.name)
        """

    @attribute
    def label(self):
        """What kind of guarantee it has: for iDP releases "individual, data-dependent: not differential privacy".

        Example::

            print(idp_signrp(projection(20, 4), 1).label)
        """

    @attribute
    def claimed_epsilon(self):
        """ε as the paper claims it, nats.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.claimed_epsilon)
        """

    @attribute
    def delta(self):
        """The δ that was given, 0 for none.

        Example::

            r = dp_rp(projection(20, 4, seed=1), 1, 1e-6)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.delta)
        """

    @attribute
    def sigma(self):
        """Standard deviation of the Gaussian noise, in the unit of x; its upper end is what is drawn.

        Example::

            r = dp_rp(projection(20, 4, seed=1), 1, 1e-6)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.sigma)
        """

    @attribute
    def public_epsilon(self):
        """Privacy over all pairs of neighbors for this W, public: differential privacy. For randomised response it is ε'·max_i #{j : W_ij ≠ 0}, exact; for numbers and Gaussian noise at the release's δ, certified; infinite for iDP, except where no sign can leave the reach of a neighbor. epsilon_at(delta) has it at another δ.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.public_epsilon)
        """

    @method
    def public_delta(self, eps):
        """The same as delta_at without vectors, by its older name: the least δ over all pairs of neighbors for this W, certified between a pair and a theorem.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.public_delta(0.5))
        """

    @method
    def sample(self, u, seed=0, clip=False):
        """Simulates a release of a vector u in [-1, 1]^p: a list of floats, or of signs 1 and -1; of every row of a matrix, with noise of its own: a matrix. clip moves entries outside to the nearest end; otherwise they are an error. For research: release draws what may be published.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.sample(u, seed=3))
        """

    @method
    def simulate(self, u, seed=0, clip=False):
        """The same as sample.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.simulate(u, seed=3))
        """

    @method
    def release(self, u, seed=None, clip=False, grid=None):
        """Releases a vector u in [-1, 1]^p: a list of floats, or of signs 1 and -1, with noise drawn from the operating system's generator, exactly. Numbers are rounded to the nearest multiple of grid, decided exactly; None is a power of two about 2^-32 of sigma. clip moves entries outside to the nearest end; otherwise they are an error. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.release(u))
        """

    @method
    def variance(self, u, v):
        """The variance of the estimate from releases of u and v: of the inner product from numbers (Theorems C.1 to C.3, certified), of the angle from plainly flipped signs (Theorem 4.5, claimed, for Gaussian W).

        Example::

            r = dp_rp(projection(20, 4, seed=1), 1, 1e-6)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.variance(u, v))
        """

    @method
    def cosine_moments(self, u, v):
        """cosine_moments of released numbers, at the noise of this release.

        Example::

            r = dp_rp(projection(20, 4, seed=1), 1, 1e-6)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(dp_rp(projection(3, 4, kind="gaussian", seed=1), 10, 1e-6).cosine_moments([1, 0.5, 0], [0.5, 1, 0.5])["mean"])
        """

    @method
    def smallest_epsilon(self, u, v=None):
        """Individual privacy for this W: between u and v, or where v is None the largest over the neighbors of u. For signs with δ = 0 (exact for randomised response, certified for Gaussian noise, infinite where one vector's patterns are impossible for the other); for numbers at the release's δ. epsilon_at(delta, u, v) is the ε at another δ, public_epsilon that over all neighbors. A method; of mechanisms and designs it is an attribute, without parentheses.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.smallest_epsilon(u, v), r.smallest_epsilon(u))
        """

    @method
    def worst_neighbor(self, u):
        """The neighbor of u that smallest_epsilon(u) stands for: a tuple of the coordinate that moves and where it goes; None where no move matters.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.worst_neighbor(u))
        """

    @method
    def ball_epsilon(self, u):
        """An enclosure of the largest smallest_epsilon between u and the vectors within ℓ1 distance β of it; infinite where an iDP release has other signs within reach at one of them, which is decided exactly.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.ball_epsilon(u))
        """

    @method
    def delta_at(self, eps, u=None, v=None):
        """The least δ at which the release is (eps, δ)-private for this W: between u and v in both directions, exact where e^eps and e^ε' are rational, certified otherwise; where v is None over the neighbors of u; and without vectors over all pairs of neighbors, as public_delta. epsilon_at asks the other way round.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.delta_at(0.5, u, v))
        """

    @method
    def epsilon_at(self, delta, u=None, v=None):
        """An enclosure of the smallest ε at which the release is (ε, delta)-private for this W: between u and v; where v is None over the neighbors of u; and without vectors over all pairs of neighbors, as public_epsilon. smallest_epsilon(u, v) is that at the release's own δ, and delta_at asks the other way round.

        Example::

            r = dp_signrp(projection(20, 4, seed=1), 2)
            u, v = [0.5] * 20, [-0.5] + [0.5] * 19
            print(r.epsilon_at(0.01, u, v))
        """


@register("released")
class Released(Object):
    """A release: what may be published, and what was promised. Drawn from the operating system's generator, with exactly the law of its mechanism.

    Example::

        m = purest(graphs(4).count("triangle"), 1)
        r = m.release(10)
        print(r)
    """
    __slots__ = ()

    @attribute
    def value(self):
        """What was released, of the kind that sample returns.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(type(m.release(10).value))
        """

    @attribute
    def record(self):
        """What the release keeps its word to, a dict: "mechanism", its "parameters", "neighbors" (what its privacy is about), "epsilon" in nats and "delta" of the sampler that ran, evidence, for one draw each ("zcdp" beside them where no epsilon will do at delta 0); "draws", which compose; "grid" that values were rounded to, a fraction, or None; "version" of the program; "warnings".

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            print(m.release(10).record["epsilon"])
        """


@register("report")
class Report(FigureBase):
    """A page on one mechanism: its numbers, each with how it is known, its source and the line that gives it again. print shows it as text.

    Example::

        m = purest(graphs(4).count("triangle"), 1)
        m.report()
    """
    __slots__ = ()

    @method
    def save(self, path):
        """Write the figure to a file, whole or not at all, in the format that the end of the path names: .html, .tex or .txt. A notebook shows it, too.

        Example::

            m = purest(graphs(4).count("triangle"), 1)
            m.report().save("report.html")
        """


@register("search")
class Search(Object):
    """A search experiment, made by retrieval(data, queries).

    Example::

        s = retrieval([[1, 0], [0, 1], [0.9, 0.1]], [[1, 0.1]], truth=1)
        print(s)
    """
    __slots__ = ()

    @method
    def judge(self, release, seed=0):
        """Release data and queries, rank by angle or Hamming distance, and count: a dict with "precision" (of the first 10 found) and "recall" (of the true ones among the first 100).

        Example::

            s = retrieval([[1, 0], [0, 1], [0.9, 0.1]], [[1, 0.1]], truth=1)
            print(s.judge(dp_signrp(projection(2, 8), 20)))
        """

    @method
    def judge_plain(self, w, signs=False):
        """The same from projections without noise, or from their signs: what no release can beat by much.

        Example::

            s = retrieval([[1, 0], [0, 1], [0.9, 0.1]], [[1, 0.1]], truth=1)
            print(s.judge_plain(projection(2, 8), signs=True))
        """


@register("sensitivity")
class Sensitivity(Object):
    """A declared set of differences of a query between neighbors: what the exact privacy of a design is judged by.

    Example::

        s = box_sensitivity(2, 100, [1, 10])
        print(s)
    """
    __slots__ = ()

    @attribute
    def shape(self):
        """The rows and columns (m, n) of the query.

        Example::

            s = box_sensitivity(2, 100, [1, 10])
            print(s.shape)
        """

    @attribute
    def s2(self):
        """The L2 (Frobenius) sensitivity: the largest norm in the set (Definition 3).

        Example::

            s = box_sensitivity(2, 100, [1, 10])
            print(s.s2)
        """

    @attribute
    def gamma(self):
        """The bound on the Frobenius norm of the query that Theorems 2 and 3 need; None where the set does not give one.

        Example::

            s = box_sensitivity(2, 100, [1, 10])
            print(s.gamma)
        """


@register("study")
class Study(Object):
    """A search for good parameters: trials, the best of them, and optimize, which runs more.

    Example::

        study("empty").trials
    """
    __slots__ = ()

    @attribute
    def name(self):
        """The study's name in its storage.

        Example::

            study("a").name
        """

    @method
    def optimize(self, objective, trials=100, workers=1, total=None):
        """Runs trials: calls objective(trial), which asks the trial for parameters and returns a number. An objective that fails, or returns NaN or infinity, fails its trial, and the study goes on; it is an error where every trial failed and the study holds no other. trials counts this call's; with total it ends too when the study holds so many, whoever ran them, which is how a script is started again after a crash or in several processes. workers is the number of objectives at once in this process; more than one freezes whatever the objective reaches. A trial whose worker was killed is marked failed by another worker (at once on the same machine, after 30 s elsewhere) and repeated; so is one that Ctrl-C cuts short, by the next run. The best result so far goes to standard error.

        Example::

            study("a", sampler="sobol").optimize(lambda t: t.suggest_int("n", 1, 9) % 4, trials=8)
        """

    @attribute
    def best_value(self):
        """The objective's best value. It is an error while no trial has finished.

        Example::

            s = study("a")
            s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
            print(s.best_value)
        """

    @attribute
    def best_params(self):
        """A dict of the parameters of the best trial, the first of several. It is an error while no trial has finished.

        Example::

            s = study("a")
            s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
            print(s.best_params["x"])
        """

    @attribute
    def best_trial(self):
        """The best trial as a dict; see trials.

        Example::

            s = study("a")
            s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
            print(s.best_trial["number"])
        """

    @attribute
    def trials(self):
        """Every trial, a list of dicts: "number", "state" ("complete", "failed", "running" or "waiting"), "value" (None unless complete), "params", "reason" (why it failed, or None), "lost" (True where the trial's worker went away and another trial repeats it).

        Example::

            s = study("a")
            s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
            print(len(s.trials), s.trials[0]["params"])
        """

    @method
    def plot(self):
        """The history of the study: the value of every complete trial, and the best so far. Values beyond three times the width of the middle half on the bad side stand at the edge; the axis is logarithmic where positive values span a factor of 100.

        Example::

            s = study("a")
            s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=5)
            s.plot()
        """


@register("svm")
class Svm(Object):
    """A fitted linear support vector machine.

    Example::

        m = linear_svm([[0], [1], [3], [4]], ["low", "low", "high", "high"])
        print(m)
    """
    __slots__ = ()

    @attribute
    def classes(self):
        """The classes in order: of two, the second has a positive score.

        Example::

            m = linear_svm([[0], [1], [3], [4]], ["low", "low", "high", "high"])
            print(m.classes)
        """

    @attribute
    def weights(self):
        """The weights that were found: a list for each class, or one list for two classes, with the intercept's behind those of the features.

        Example::

            m = linear_svm([[0], [1], [3], [4]], ["low", "low", "high", "high"])
            print(m.weights)
        """

    @attribute
    def objective(self):
        """The least value of the objective, added up over the classes: between the dual at the variables found and the objective at the weights found. Certified.

        Example::

            m = linear_svm([[0], [1], [3], [4]], ["low", "low", "high", "high"])
            print(m.objective)
        """

    @attribute
    def radius(self):
        """No class's weights of least objective are farther than this from those found: the root of the duality gap, rounded up.

        Example::

            m = linear_svm([[0], [1], [3], [4]], ["low", "low", "high", "high"])
            print(m.radius < 0.01)
        """

    @attribute
    def passes(self):
        """The most passes over the rows that a class took.

        Example::

            m = linear_svm([[0], [1], [3], [4]], ["low", "low", "high", "high"])
            print(m.passes <= 10000)
        """

    @method
    def predict(self, x):
        """The class of each row of x by the weights found.

        Example::

            m = linear_svm([[0], [1], [3], [4]], ["low", "low", "high", "high"])
            print(m.predict([[0.5], [3.5]]))
        """

    @method
    def accuracy(self, x, y):
        """The share of rows of x whose class in y the weights of least objective give: a row counts for certain where no weights within reach of the duality gap give another class, and in the upper end alone where some do. Certified.

        Example::

            m = linear_svm([[0], [1], [3], [4]], ["low", "low", "high", "high"])
            print(m.accuracy([[0.5], [3.5]], ["low", "high"]))
        """

    @method
    def score(self, x, y):
        """The share of rows of x whose class in y the weights found give.

        Example::

            m = linear_svm([[0], [1], [3], [4]], ["low", "low", "high", "high"])
            print(m.score([[0.5], [3.5]], ["low", "low"]))
        """


@register("symbol")
class Symbol(AlgebraBase):
    """A privacy parameter without a value, or a rational multiple of it: program(…) with noise at such rates is decided for every value of it. exp(eps) is a power of e that adds, multiplies and divides with rational numbers.

    Example::

        eps = symbol("eps")
        print(eps, 2*eps, eps/3 + eps)
    """
    __slots__ = ()

    @attribute
    def name(self):
        """What it is called.

        Example::

            eps = symbol("eps")
            print(eps.name)
        """


@register("symmetric gauss")
class SymmetricGauss(Object):
    """Gaussian noise on the diagonal and above of a symmetric matrix.

    Example::

        g = symmetric_gauss(2, 1, 1e-3)
        print(g)
    """
    __slots__ = ()

    @attribute
    def sigma(self):
        """The standard deviation of an element, in the unit of the matrix.

        Example::

            g = symmetric_gauss(2, 1, 1e-3)
            print(g.sigma)
        """

    @attribute
    def sensitivity(self):
        """The L2 sensitivity of the diagonal and above. Certified.

        Example::

            g = symmetric_gauss(2, 1, 1e-3)
            print(g.sensitivity)
        """

    @method
    def simulate(self, x, seed=0):
        """The symmetric matrix x plus a draw of the noise, in floating point: for research.

        Example::

            g = symmetric_gauss(2, 1, 1e-3)
            print(g.simulate([[2, 1], [1, 3]], seed=1))
        """

    @method
    def delta_at(self, eps):
        """The least δ at which the mechanism is (eps, δ)-private, eps in nats, at least 0. Certified: its upper end is safe; where it is a bound alone, the lower end says so. epsilon_at asks the other way round.

        Example::

            g = symmetric_gauss(2, 1, 1e-3)
            print(g.delta_at(1))
        """

    @method
    def epsilon_at(self, delta):
        """The least ε ≥ 0, in nats, at which the mechanism is (ε, delta)-private, 0 ≤ delta < 1: inf where no ε will do. Certified, or exact. delta_at asks the other way round.

        Example::

            g = symmetric_gauss(2, 1, 1e-3)
            print(g.epsilon_at(0.01))
        """


@register("table")
class Table(TableBase):
    """Rows of text and numbers under a header. print shows it as text.

    Example::

        table([[1, 2.5]], header=["n", "x"])
    """
    __slots__ = ()

    @method
    def save(self, path, digits=None, evidence="value"):
        """Write the table to a file, whole or not at all, in the format that the end of the path names. .csv and .json keep every number whole: ints to their last digit, floats to their last bit (read_csv and read_json give the same floats, -0.0, inf and nan among them). .tex (booktabs, for \\input), .md, .html and .txt are for readers and show as many digits as the table does. digits asks for another number of significant digits, in any format. evidence says how evidence is written: "value", the number alone, for readers with no more digits than its bounds support and as [lo, hi] where they have none in common, in .json the object that json.encode writes, or where digits is given the number; "interval", certified and estimated numbers as [lo, hi], rounded outward; "columns", every column that holds evidence as four, whose names end in _value, _lo, _hi and _kind, lo and hi rounded outward. The title is left out of .csv. A notebook shows the table, too.

        Example::

            t = table([["pure", ln(3)]], header=["mechanism", "eps"])
            t.save("table.csv", evidence="columns")
            print(read_csv("table.csv"))
        """


@register("theorem1")
class Theorem1(Object):
    """What Theorem 1 (Wu et al.) states of one discretized mechanism q and its source p: if p is ε-DP then q is 2ε-DP, and e^{−ε} E_q ≤ E_p ≤ e^ε E_q for the expected distortion of every dataset.

    Example::

        q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
        d = discretize(exponential(q, ln(4)))
        t = d.theorem1()
        print(t)
    """
    __slots__ = ()

    @attribute
    def epsilon(self):
        """ε, at which p was discretized.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            t = d.theorem1()
            print(t.epsilon)
        """

    @attribute
    def hypothesis(self):
        """Whether p is ε-DP: "confirmed", "refuted" or "undecided".

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            t = d.theorem1()
            print(t.hypothesis)
        """

    @attribute
    def privacy(self):
        """Whether q is 2ε-DP: "confirmed", "refuted" or "undecided".

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            t = d.theorem1()
            print(t.privacy)
        """

    @attribute
    def utility(self):
        """Whether both inequalities hold at every dataset: "confirmed", "refuted" or "undecided".

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            t = d.theorem1()
            print(t.utility)
        """

    @attribute
    def source_epsilon(self):
        """The smallest ε of p.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            t = d.theorem1()
            print(t.source_epsilon)
        """

    @attribute
    def smallest_epsilon(self):
        """The smallest ε of q.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            t = d.theorem1()
            print(t.smallest_epsilon)
        """

    @attribute
    def dataset(self):
        """A dataset at which E_p/E_q is farthest from 1.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            t = d.theorem1()
            print(t.dataset)
        """

    @attribute
    def before(self):
        """E_p at that dataset.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            t = d.theorem1()
            print(t.before)
        """

    @attribute
    def after(self):
        """E_q at that dataset.

        Example::

            q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
            d = discretize(exponential(q, ln(4)))
            t = d.theorem1()
            print(t.after)
        """


@register("trial")
class Trial(Object):
    """What an objective is called with. Each parameter is known by its name; a study keeps to one range for a name.

    Example::

        s = study("a")
        s.optimize(lambda trial: trial.suggest_float("x", 0, 1), trials=3)
    """
    __slots__ = ()

    @attribute
    def number(self):
        """The trial's number in the study, from 0.

        Example::

            study("a", sampler="random").optimize(lambda t: t.number, trials=3)
        """

    @method
    def suggest_float(self, name, lo, hi, log=False):
        """A number in [lo, hi]; log=True searches its logarithm, and needs lo > 0.

        Example::

            study("a", sampler="random").optimize(lambda t: t.suggest_float("eps", 0.01, 10, log=True), trials=3)
        """

    @method
    def suggest_int(self, name, lo, hi):
        """A whole number from lo to hi, both included.

        Example::

            study("a", sampler="random").optimize(lambda t: t.suggest_int("n", 1, 6), trials=3)
        """

    @method
    def suggest_categorical(self, name, choices):
        """One of the choices, a list of strings, numbers, truth values or None. The storage keeps them as text.

        Example::

            study("a", sampler="tpe").optimize(lambda t: len(t.suggest_categorical("rule", ["closure", "printed"])), trials=3)
        """


@register("verdict")
class Verdict(Object):
    """What a check found.

    Example::

        v = claim("analytic.lemma1").check()
        print(v)
    """
    __slots__ = ()

    @attribute
    def verdict(self):
        """"confirmed", "refuted" or "undecided".

        Example::

            v = claim("analytic.lemma1").check()
            print(v.verdict)
        """

    @attribute
    def scope(self):
        """How far it goes: "proved", "exhaustive: …" where the stated range is finite and was visited whole, or "N instances".

        Example::

            v = claim("analytic.lemma1").check()
            print(v.scope)
        """

    @attribute
    def remark(self):
        """"loose", "vacuous", "ambiguous", "not reproducible", "reproduced", "reversed", "misprint" or "".

        Example::

            v = claim("analytic.lemma1").check()
            print(v.remark)
        """

    @attribute
    def instances(self):
        """How many instances were visited at which the statement could fail: its hypotheses hold and its conclusion is open.

        Example::

            v = claim("analytic.lemma1").check()
            print(v.instances)
        """

    @attribute
    def witness(self):
        """The counterexample of a refutation: a dict of its parts, "script" being a line that shows the failure; None otherwise.

        Example::

            v = claim("analytic.lemma1").check()
            print(v.witness)
        """

    @attribute
    def evidence(self):
        """The numbers behind the verdict: a dict from label to evidence.

        Example::

            v = claim("analytic.lemma1").check()
            print(v.evidence)
        """

    @attribute
    def corrected(self):
        """The outcome for the corrected statement; None where there is none.

        Example::

            v = claim("analytic.lemma1").check()
            print(v.corrected)
        """


@register("verification")
class Verification(Object):
    """What a small universe says of a query's layers and of a mechanism made of them.

    Example::

        x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
        v = verify(x.median(), records=3, values=[0, 1, 2, 3])
        print(v)
    """
    __slots__ = ()

    @attribute
    def layers(self):
        """What the layers are on this universe: "exact", the distances; "valid bound", at most these, and those of neighbors differ by at most 1; or "wrong".

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            v = verify(x.median(), records=3, values=[0, 1, 2, 3])
            print(v.layers)
        """

    @attribute
    def private(self):
        """Whether the smallest ε is at most the claimed one, to a part of 10⁹ where both touch.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            v = verify(x.median(), records=3, values=[0, 1, 2, 3])
            print(v.private)
        """

    @attribute
    def smallest_epsilon(self):
        """The smallest ε of the mechanism over all neighbors of this universe, in nats. An attribute. Exact or certified.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            v = verify(x.median(), records=3, values=[0, 1, 2, 3])
            print(v.smallest_epsilon)
        """

    @attribute
    def claimed_epsilon(self):
        """What the mechanism claims, in nats. Claimed.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            v = verify(x.median(), records=3, values=[0, 1, 2, 3])
            print(v.claimed_epsilon)
        """

    @attribute
    def datasets(self):
        """How many datasets were visited.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            v = verify(x.median(), records=3, values=[0, 1, 2, 3])
            print(v.datasets)
        """

    @attribute
    def pairs(self):
        """How many pairs of neighbors.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            v = verify(x.median(), records=3, values=[0, 1, 2, 3])
            print(v.pairs)
        """

    @attribute
    def below(self):
        """How many layers lie below the distance, of how many that were compared.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            v = verify(x.median(), records=3, values=[0, 1, 2, 3])
            print(v.below)
        """

    @attribute
    def witness(self):
        """Where layers are wrong, or are not the distances though they are said to be: a dict with "dataset" (a list of records, or (nodes, edges)), "value", "layer", and "distance" or "neighbor" and "neighbor_layer"; None elsewhere.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            v = verify(x.median(), records=3, values=[0, 1, 2, 3])
            print(v.witness)
        """

    @attribute
    def scope(self):
        """What was tested, and what it is tested on.

        Example::

            x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
            v = verify(x.median(), records=3, values=[0, 1, 2, 3])
            print(v.scope)
        """


@register("waterfilling")
class Waterfilling(Object):
    """An optimal allocation of precision with its certificate.

    Example::

        w = waterfill([1, 2, 1e-6], 1)
        print(w)
    """
    __slots__ = ()

    @attribute
    def precisions(self):
        """p_i = 1/σ_i(Σ), in the order of the eigenvalues; a direction with p_i = 0 is not released.

        Example::

            w = waterfill([1, 2, 1e-6], 1)
            print(w.precisions)
        """

    @attribute
    def level(self):
        """c of p_i = (c − 1/λ_i)⁺ for norm "l1"; for "l2" the multiplier ν of λ_i/(1 + λ_i p_i) = 2νp_i.

        Example::

            w = waterfill([1, 2, 1e-6], 1)
            print(w.level)
        """

    @attribute
    def active(self):
        """The directions with positive precision.

        Example::

            w = waterfill([1, 2, 1e-6], 1)
            print(w.active)
        """

    @attribute
    def log_pnr(self):
        """The optimum Σ ln(1 + λ_i p_i) in nats, enclosed between the value at these precisions and the Lagrange dual. Certified.

        Example::

            w = waterfill([1, 2, 1e-6], 1)
            print(w.log_pnr)
        """

    @attribute
    def mutual_information(self):
        """Half of log_pnr, in nats: of a Gaussian signal.

        Example::

            w = waterfill([1, 2, 1e-6], 1)
            print(w.mutual_information)
        """

    @attribute
    def residual(self):
        """The largest relative violation of the KKT conditions.

        Example::

            w = waterfill([1, 2, 1e-6], 1)
            print(w.residual)
        """


@register("worst")
class Worst(Object):
    """Where a mechanism reveals most.

    Example::

        q = graphs(4).count("triangle")
        p = privacy(purest(q, ln(2)))
        w = p.worst()
        print(w)
    """
    __slots__ = ()

    @attribute
    def x(self):
        """The true dataset, by its name: the graph6 string of a graph, the counts of a histogram, a name of your own, the number of a dataset elsewhere; None where no dataset stands out, as one pair of laws is the worst for all of them. It may stand where the mechanism takes a dataset, and q.index(x) gives its number.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            w = p.worst()
            print(w.x)
        """

    @attribute
    def y(self):
        """Its neighbor, likewise.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            w = p.worst()
            print(w.y)
        """

    @attribute
    def output(self):
        """The outputs of the largest loss, or of the event where an ε was given; empty where uses are composed.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            w = p.worst()
            print(w.output)
        """

    @attribute
    def loss(self):
        """The largest loss ln p^x/p^y, in nats, or where an ε was given δ.

        Example::

            q = graphs(4).count("triangle")
            p = privacy(purest(q, ln(2)))
            w = p.worst()
            print(w.loss)
        """


@register("xor_blocks")
class XorBlocks(Object):
    """Noise drawn block by block.

    Example::

        q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)
        print(q)
    """
    __slots__ = ()

    @method
    def claimed_epsilon(self, sensitivity=1):
        """The sum over blocks of what Theorem 1 promises: composition.

        Example::

            q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)
            print(q.claimed_epsilon(2))
        """

    @method
    def smallest_epsilon(self, sensitivity=1):
        """The smallest ε for at most sensitivity bits anywhere: blocks are independent. Certified. epsilon_at(delta) is the ε at a δ. A method; of mechanisms and designs it is an attribute, without parentheses.

        Example::

            q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)
            print(q.smallest_epsilon(2))
        """

    @method
    def delta_at(self, eps, sensitivity=1):
        """The least δ at which it is (eps, δ)-differentially private: the largest hockey-stick divergence of neighbors, both ways; eps ≥ 0 in nats, 0 for the total variation distance, and at inf the chance of an infinite loss. Exact where the laws and e^eps are rational, as with eps = ln(3). epsilon_at asks the other way round. For at most sensitivity bits anywhere.

        Example::

            q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)
            print(q.delta_at(0.1, sensitivity=2))
        """

    @method
    def epsilon_at(self, delta, sensitivity=1):
        """The least ε ≥ 0, in nats, at which it is (ε, delta)-differentially private, 0 ≤ delta < 1. smallest_epsilon is that at delta 0, and delta_at asks the other way round. For at most sensitivity bits anywhere.

        Example::

            q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)
            print(q.epsilon_at(0.001, sensitivity=2))
        """

    @method
    def error_rate(self, complement=False):
        """The chance that a bit is flipped, the mean over all bits. Certified.

        Example::

            q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)
            print(q.error_rate())
        """

    @method
    def release(self, matrix, complement=False, sensitivity=1, seed=None):
        """The XOR mechanism with this noise, drawn from the operating system's generator with exactly its law; with complement xor 1 − B. sensitivity is how many bits neighbors differ in, for the record. With seed it simulates: the plain value is returned, and standard error says so.

        Example::

            q = xor_blocks(2, 2, 1, 0.7, 2, 1, 2)
            print(q.release([[1, 0], [0, 0]]))
        """

    @method
    def simulate(self, k=1, seed=0):
        """The same as sample, from a seed.

        Example::

            q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)
            print(q.simulate(1)[0])
        """

    @method
    def sample(self, k=1, seed=0, source="seed"):
        """A list of k noise matrices.

        Example::

            q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)
            print(q.sample(1)[0])
        """


@word
def ln(x):
    """The logarithm of a rational number, kept exact: evidence of kind "exact", in nats. Accepted wherever ε is, and then answers are rational where they can be. x > 1 is a number (a float means its shortest decimal) or a fraction like "7/2". Whole multiples, whole parts and sums stay exact: 2*ln(3), ln(9)/2, ln(2) + ln(3). Any other arithmetic gives a float; math.log gives one at once.

    Example::

        e = ln("7/2")
        print(e, e.value, e.rational, 2*ln(3), ln(9)/2)
    """


@word
def uniform(n, lo=0, hi=1, seed=0):
    """n floats drawn uniformly from [lo, hi), a list: the same for the same seed.

    Example::

        uniform(3, lo=-1, seed=7)
    """


@word
def fmt(x, digits=6):
    """The number as a string with so many significant digits (1 to 17), without trailing zeros; lists and tuples element by element. Evidence counts by its value.

    Example::

        "P = %s" % fmt(0.7269234, 3)
    """


@word
def matrix(rows, names=None):
    """An immutable matrix of floats from a list of rows of one length. It indexes like the list. names are those of the columns; a first row of strings is taken for them, so that matrix(read_csv("data.csv")) has the names of the file's header; where that looks like numbers (2019,2020), read_csv(path, header=True) makes it names. Infinite entries are kept ("inf" and "-inf" are read as such), nan is refused.

    Example::

        matrix([[1, 2], [3, 4]])[1][0]
    """


@word
def identity(n):
    """The identity matrix of order n: ones on the diagonal.

    Example::

        identity(2) * 3
    """


@word
def graphs(n, neighbors="edge"):
    """The universe of unlabeled simple graphs on n nodes, 1 ≤ n ≤ 10: one dataset per isomorphism class, neighbors differ by one edge, and distance counts edits. Datasets are ordered by number of edges, then by the least graph6 string of the class. n = 8 takes a fraction of a second, n = 9 about one, n = 10 (12,005,168 graphs) the better part of a minute and, with the layers of a mechanism, of 2 GiB. neighbors="node": all graphs on at most n nodes, 1 ≤ n ≤ 8, the empty one included; neighbors differ by one node and its edges.

    Example::

        u = graphs(4)
        print(u.size, u.diameter, u.edge_pairs)
        print(graphs(4, neighbors="node"))
    """


@word
def histograms(types, records, neighbors="unbounded"):
    """The universe of histograms, vectors of counts by type of record, in lexicographic order. "unbounded": all with total ≤ records, neighbors differ by one record more or less, distance ‖x−y‖₁. "bounded": total = records, neighbors differ by one record changed, distance ‖x−y‖₁/2. At most two million datasets and 2^27 pairs of neighbors. Source: Wu et al., Section 3.5.

    Example::

        h = histograms(types=3, records=4)
        print(h.size, h.diameter, h.dataset(5))
    """


@word
def finite_query(values, edges=None, distances=None, range=None, value_metric="abs"):
    """A query on a universe of your own: values[x] is f(x), a number, a string or a list of counts; where value_metric is "abs", a string such as "1/3" is a number. Numbers of any size are read exactly, a float meaning its shortest decimal, and stay exact in answers. values is a list, or a dict from names to values: datasets then go by their names, strings, whole numbers or tuples of whole numbers, wherever their number may stand (m.distortion("a"), and worst() names them). The datasets' metric is either the path metric of edges, a list of pairs of datasets or a function of two that says whether they are neighbors, or distances, a square matrix or a function of two; neighbors are the pairs with 0 < distance ≤ 1. What is no metric is refused with the offending pair, however little it is off. The universe may be disconnected: a layered mechanism then gives a value that no path reaches probability 0. range lists the values that a mechanism may output, by default the distinct ones. value_metric is "abs" (numbers), "discrete" (0 or 1), or a matrix over range.

    Example::

        q = finite_query([0, 1, 5], edges=[(0, 1), (1, 2)])
        print(q.range, q.sensitivity)
        q = finite_query({"none": 0, "ann": 1, "ann, bob": "7/3"}, edges=lambda a, b: abs(len(a.split(", ")) - len(b.split(", "))) == 1 or "none" in (a, b) and "ann" in (a, b))
        print(purest(q, ln(2)).distortion("ann, bob"), purest(q, 1).worst())
    """


@word
def product(*parts, norm="l1", weights=None):
    """The product of two or more queries on the same datasets (Wu et al., Definition 6): x ↦ (f₁(x), …, fₙ(x)), a tuple, on the range R₁ × … × Rₙ with the metric N(w₁d₁, …, wₙdₙ), N the norm "l1", "max" or "l2" (rounded up to a millionth of the distances' unit, which leaves it a metric). Every mechanism on finite queries takes it. Of mechanisms on such queries: their composition as the paper means it (Proposition 1), one mechanism of the product whose parts are independent; it claims the sum of what they claim, and its smallest ε is that of compose([m1, m2]).

    Example::

        u = graphs(4)
        q = product(u.count("triangle"), u.count("edge"))
        print(q, q.sensitivity, q.dataset(10), q.values[10])
        a, b = ladder(u.count("triangle"), 1), geometric(u.count("edge"), 1)
        print(product(a, b).claimed_epsilon, product(a, b).smallest_epsilon, compose([a, b]).smallest_epsilon)
    """


@word
def read_query(values, edges, value_metric="abs", delimiter=","):
    """A query of your own from two files of comma-separated values. values has a row per dataset, its name and its value; edges a row per pair of neighbors, by their names, one or more. Numbers of any size are read exactly, and so are fractions such as 1/3; a name that is written as a whole number is one. A header line is left out: in values one without a number, under "abs", and then in edges one that names no dataset. Rows that do not fit are refused by their number. A relative path is tried from the working folder, then from the script's, then from the data folders (--data, WORKBENCH_DATA). A file ending in .gz is unpacked.

    Example::

        table([["a", 0], ["b", "1/3"], ["c", 5]], header=["dataset", "value"]).save("values.csv")
        table([["a", "b"], ["b", "c"]], header=["from", "to"]).save("edges.csv")
        q = read_query("values.csv", "edges.csv")
        print(q.range, q.neighbors("b"), purest(q, ln(2)).distortion("a").rational)
    """


@word
def purest(q, decay):
    """The purest mechanism (Wu et al., Definition 16): layer i holds the values of the datasets at distance i that no nearer dataset has. Value r in layer i of dataset x has probability e^{−i·decay}/α^x. Claimed: 2·decay-DP (Wu et al., Proposition 3). At decay ε/2 it is the inverse sensitivity mechanism of Asi and Duchi (2020). On a linear_query it is decay-DP (Corollary 5). On a record query it is the law at that dataset, from its own layers, and where these are bounds a layered mechanism with the same guarantee, not the purest.

    Example::

        q = graphs(4).count("triangle")
        m = purest(q, 1)
        print(m.layers(10), m.smallest_epsilon)
    """


@word
def delta_neighborhood(q, decay, radius):
    """The δ-neighborhood mechanism (Wu et al., Definition 18): the first layer of x is the ball of the given radius around f(x). radius is a number, a list or dict with one per dataset, or a function of the dataset: of its own name where it has one, of its number elsewhere. Value r in layer i of dataset x has probability e^{−i·decay}/α^x. Claimed: 2·decay-DP (Wu et al., Proposition 3). On a linear_query radius is one number, a float meaning its shortest decimal, and it is decay-DP (Corollary 5). On a record query, too, radius is one number for all datasets: those of the others would have to be known, and only this dataset is. It is the smooth inverse sensitivity mechanism of Asi and Duchi (2020) there.

    Example::

        q = graphs(4).count("triangle")
        print(delta_neighborhood(q, 1, 1).distortion(10))
        print(delta_neighborhood(q, 1, lambda i: 1 if i < 3 else 0).distortion(10))
    """


@word
def atomic(q, decay, points):
    """The atomic mechanism (Wu et al., Definition 17): the first layer of x is {points[x]}, a value of the range; points is a list, or a dict by the datasets' names. Value r in layer i of dataset x has probability e^{−i·decay}/α^x. Claimed: 2·decay-DP (Wu et al., Proposition 3).

    Example::

        q = finite_query([0, 1, 2], edges=[(0, 1), (1, 2)])
        print(atomic(q, 1, [0, 2, 2]).layers(0))
    """


@word
def basic(q, decay, initial):
    """The basic mechanism (Wu et al., Definition 15) with first layers initial: a list of values per dataset, by number or in a dict by name. A list may be empty as long as every dataset reaches some value. Value r in layer i of dataset x has probability e^{−i·decay}/α^x. Claimed: 2·decay-DP (Wu et al., Proposition 3).

    Example::

        q = finite_query([0, 1, 2], edges=[(0, 1), (1, 2)])
        print(basic(q, 1, [[0], [0, 1], [2]]).layers(2))
    """


@word
def general(q, decay, initial, extra, rule="closure"):
    """The general mechanism (Wu et al., Definition 15): first layers initial, a list of values per dataset, and extra, a dict {layer: [values]} per dataset, each by number or in a dict by name. rule "closure" lets a value in layer i of y enter x at layer distance + i, which makes Proposition 3's 2·decay true; "printed" is rule (34) as it stands, where extra values stay at their dataset and Proposition 3 fails.

    Example::

        q = finite_query(["a", "a"], edges=[(0, 1)], range=["a", "b"], value_metric="discrete")
        for rule in ["printed", "closure"]:
            m = general(q, 1, [["a"], ["a"]], [{5: ["b"]}, {1: ["b"]}], rule=rule)
            print(rule, m.claimed_epsilon, m.smallest_epsilon)
    """


@word
def ladder(q, eps):
    """The Ladder mechanism on the query's range (Zhang et al. 2015, Algorithm 1), ε-differentially private: rung k has weight e^{−kε/2}. Rung 0 is f(x); another value r is on rung 1 + the number of t ≥ 0 with I_0 + … + I_t < |r − f(x)|, I_t the largest local sensitivity within distance t. On a record query I_t is its local_sensitivity(t), and the law that at its dataset.

    Example::

        q = graphs(4).count("triangle")
        print(ladder(q, 2).distortion(10))
    """


@word
def laplace(q, eps, *, line=False):
    """The Laplace mechanism: noise of scale Δ/ε, moved to the nearest value of the range, ties to the smaller. ε-differentially private. On a linear_query, and with line=True, the noise stays as it is; errors of an answer to a lipschitz_extension are then those against the query that it stands for. On a record query it is moved to the nearest value of its range, or stays as it is, too.

    Example::

        q = graphs(4).count("triangle")
        print(laplace(q, 1).prob(0))
        print(laplace(q, 1, line=True).distortion(0))
    """


@word
def geometric(q, eps):
    """The geometric mechanism (Ghosh, Roughgarden and Sundararajan 2009): whole noise k with weight e^{−ε|k|/Δ}, moved to the nearest value of the range, ties to the smaller. ε-differentially private. f must be whole. On a linear_query, whose V_f must be points, k counts steps of the lattice they span, and the noise stays as it is.

    Example::

        q = graphs(4).count("triangle")
        print(geometric(q, ln(3)).distortion(0))
    """


@word
def exponential(q, eps):
    """The exponential mechanism (McSherry and Talwar 2007) with score −d(f(x), r): weight e^{−ε d/(2Δ)} on the range. ε-differentially private. On a record query it is the law at its dataset; of a mode the score is the count.

    Example::

        q = graphs(4).count("triangle")
        print(exponential(q, 1).smallest_epsilon)
    """


@word
def inverse_sensitivity(q, eps, rho=0):
    """The inverse sensitivity mechanism (Asi and Duchi 2020): weight e^{−kε/2}, k the distance to the nearest dataset whose value is within rho of r. ε-differentially private. rho = 0 is purest(q, eps/2); rho > 0, the smooth form, is delta_neighborhood(q, eps/2, rho).

    Example::

        q = graphs(4).count("triangle")
        print(inverse_sensitivity(q, 2).distortion(10), purest(q, 1).distortion(10))
    """


@word
def calibrate(family, eps):
    """The mechanism family(e), e a float, whose smallest ε is eps: its upper end is at most eps and the gap at most 1e-9, else an error; of noise mechanisms such as smooth_sensitivity(q, e) at most a millionth of eps. family is a function such as lambda e: purest(q, e), with a smallest ε that grows with e.

    Example::

        q = graphs(4).count("triangle")
        m = calibrate(lambda e: purest(q, e), 1)
        print(m.decay, m.smallest_epsilon)
    """


@word
def compare(a, b):
    """Sets the expected distortions of mechanism a against those of b, dataset by dataset. Both claim the same ε when a is purest(q, e) and b is ladder(q, 2*e). c.ratio_to_optimum says how far a is from the optimal mechanism at its own smallest ε.

    Example::

        q = graphs(4).count("triangle")
        c = compare(purest(q, 1), ladder(q, 2))
        print(c.better, c.mean)
    """


@word
def finite_mechanism(q, table, eps=None):
    """A mechanism of your own on a finite query, by its probabilities: table[x][r] is the probability of q.range[r] at dataset x, a number or a string such as "1/3". It may be a dict from datasets to rows, a row a dict from values to probabilities (values left out have none), or the whole a function of a dataset, as q.dataset names it, and a value. A float means its shortest decimal. Answers are exact: what a row's sum leaves of 1, at most 1e-9, is divided out. eps is the guarantee that it claims, in nats; with None it claims nothing, and claimed_epsilon is its smallest ε. Errors: a row per dataset or a column per value too few or too many, a negative entry, a row's sum farther from 1.

    Example::

        q = finite_query([0, 1], edges=[(0, 1)])
        m = finite_mechanism(q, [["2/3", "1/3"], [0.25, 0.75]])
        print(m.smallest_epsilon, m.distortion(0), discretize(m, 1).layers(1))
    """


@word
def smooth_sensitivity(q, eps, delta=0, noise="cauchy", gamma=4, d=3, beta=None, line=False):
    """The smooth sensitivity mechanism (Nissim, Raskhodnikova and Smith 2007): f(x) + scale·S(x)·Z on the whole line, S(x) the largest e^{−beta·t} times the local sensitivity within distance t. noise "cauchy", density ∝ 1/(1 + |z|^gamma), gamma > 1: eps-differentially private for beta = eps/(2(gamma + 1)), scale 2(gamma + 1)/eps (Corollary 2.4); its expected absolute error is infinite up to gamma = 2, its squared one up to 3. "student", Student's t of d degrees of freedom (Bun and Steinke 2019): eps = (d + 1)(beta + 1/(2·√d·scale)), by default half each; infinite up to d = 1 and 2. "laplace": (eps, delta), delta > 0, beta = eps/(2 ln(2/delta)), scale 2/eps. beta, any smaller number, replaces these ("student" then takes the scale that is left). What the theorem claims and what is true stand side by side: m.smallest_epsilon is certified on all neighbors and the whole line, and calibrate runs the mechanism at it. On a record query it is the law at that dataset, its local sensitivities being local_sensitivity(t): answers, and so errors, are moved to the nearest value of the range, as laplace's are, which makes every expected error finite between two ends, and line=True leaves them on the whole line; verify tests it on small universes.

    Example::

        q = graphs(4).count("triangle")
        m = smooth_sensitivity(q, 1)
        print(m.distortion(10), m.smallest_epsilon)
        print(smooth_sensitivity(q, 1, noise="student").distortion(10))
        print(smooth_sensitivity(q, 1, delta="1/1000", noise="laplace").delta_at(1))
    """


@word
def lipschitz_extension(q, bound=None, on=None, method=None, side="upper"):
    """A query that stands in for q, numbers under |a − b|, and is smooth everywhere. "mcshane", the default on listed universes: on is a set of datasets (a list by numbers or names, a function of a dataset that says whether it belongs, or for graphs a number, those of at most this degree) on which |q(x) − q(y)| ≤ bound·distance is checked, a pair that fails being named; the extension agrees with q there and is the largest that is bound-Lipschitz ("lower" the least, "middle" the mean; McShane 1934). bound=None is the least that will do. "degree", for counts of graphs(n, neighbors="node"): the largest Σ x_C over the copies C of the pattern, 0 ≤ x_C ≤ 1, with at most bound at every node (Kasiviswanathan, Nissim, Raskhodnikova and Smith 2013: a flow for edges, a linear program elsewhere); it is the count on graphs of degree at most on = D, bound being by default what such a node can be in. Values are exact. Every mechanism takes the extension; laplace(g, eps, line=True) measures its errors against q, and m.answering(q) reads any mechanism's so. Distances that are not whole count as their ceiling. On a record query the method is "degree", at that graph: of edges (by a flow, at any size), triangles and k_star(k) (by the linear program, up to some thousand copies at nodes that are too full) under neighbors="node"; and of triangles and k_star(k) under "edge", with at most bound at every edge. All edges of a node, or an edge, move it by at most bound, by which layers and noise are scaled; m.distortion(q) is the error against q.

    Example::

        q = graphs(4).count("triangle")
        g = lipschitz_extension(q, bound=1, on=lambda x: q.values[x] <= 1)
        print(q.sensitivity, g.sensitivity, g.values)
        k = graphs(5, neighbors="node").count("triangle")
        print(k.sensitivity, lipschitz_extension(k, on=2, method="degree").sensitivity)
    """


@word
def optimal(q, eps, prior=None, objective="mean", than=None, exact=None, seconds=None, *, delta=0):
    """The best eps-differentially private mechanism on the query's range, by a linear program with a certificate: m.optimum encloses the objective between what the mechanism attains and a dual bound. objective "mean" is the distortion averaged over the datasets (Wu et al., (8)), weighted by prior, a list of probabilities with sum 1 or a dict from datasets to theirs, uniform if None; "worst" the largest distortion of a dataset; "pareto" the sum of the distortions where none may exceed that of the mechanism than (Wu et al., (7)): where the sum falls below than's own, than is not Pareto-optimal. delta, 0 ≤ delta < 1 and read without rounding, asks for the best (eps, delta)-differentially private mechanism: Σ_r max(0, p^x(r) − e^eps p^y(r)) ≤ delta for all neighbors x, y in both directions. Where eps is an exact ln(…) and the program has at most 1,000 variables the optimum is a rational number; exact=True asks for it at any size, exact=False never. seconds bounds the time: the best mechanism found by then is returned, with its wider interval. An error where "pareto" is infeasible, or the interval stays wider than 1e-6 (1e-5 beyond 1,000 variables), relative, within no time limit. How far another mechanism m is from the optimum says compare(m, m).ratio_to_optimum.

    Example::

        q = graphs(4).count("triangle")
        m = optimal(q, 1)
        print(m.optimum, m.smallest_epsilon, m.expected_distortion())
        print(optimal(q, ln(3)).optimum.rational)
        print(optimal(q, ln(3), delta="1/100").optimum.rational)
        p = purest(q, 0.5)
        print(optimal(q, 1, objective="pareto", than=p).optimum, sum(p.distortions()))
    """


@word
def tight(q, eps):
    """The tight mechanism: at dataset x it draws dataset y with probability c_y e^{−eps·d̄(x,y)} and releases f(y). One constant per output in place of one normaliser per input makes it eps- and not 2·eps-differentially private; the constants solve Σ_y e^{−eps·d̄(x,y)} c_y = 1. On a line of counts it is the geometric mechanism. An error where the system is singular, or naming the datasets whose constant would be negative.

    Example::

        q = graphs(4).count("triangle")
        t = tight(q, 1)
        print(t.smallest_epsilon, compare(t, optimal(q, 1)).ratio_to_optimum)
    """


@word
def tight_constants(q, eps):
    """The constants c_y that tight(q, eps) would take, one per dataset, as floats, negative ones included: no tight mechanism exists where one is.

    Example::

        q = graphs(4).count("triangle")
        print(min(tight_constants(q, 0.5)), min(tight_constants(q, 1)))
    """


@word
def optimal_xor(n, p, eps, sensitivity=1, neighbors="bits"):
    """The law of the noise B of an XOR release of an n × p bit matrix, n·p ≤ 10, with the least mean number of flipped bits among all laws on {0,1}^{np} that are eps-differentially private. Neighbors: "bits" differ in one bit, "row" in any bits of one row, "edge" (n = p) in two mirrored bits, up to sensitivity times at once. At sensitivity 1, "bits" gives randomised response, and "row" k-ary randomised response, k = 2^p, where that is optimal. Exact where eps is an exact ln(…).

    Example::

        b = optimal_xor(2, 2, ln(3), neighbors="row")
        print(b.mean_flips, b.prob()[:4])
    """


@word
def discretize(m, eps=None):
    """The discretized mechanism of m (Wu et al., Definition 13): value r belongs to layer i of x where e^{−(i+1)ε} < p^x(r)/M ≤ e^{−iε}, M the largest probability over all datasets. eps = None is what m claims. Boundaries are decided exactly or by enclosure; one that cannot be is an error, never rounded. Theorem 1 claims 2ε for it. m may be a Staircase, Laplace or geometric mechanism of a linear_query too, at its own ε.

    Example::

        q = finite_query([0, 1, 2, 3], edges=[(0, 1), (1, 2), (2, 3)])
        d = discretize(exponential(q, ln(4)))
        print(d.layers(0), d.is_basic, d.extras)
        print(d.theorem1())
    """


@word
def best_radii(q, decay, objective="mean", prior=None, search="greedy"):
    """A radius per dataset of delta_neighborhood(q, decay, radius) that makes the expected distortion (Wu et al., (45), weighted by prior, uniform if None) or, with objective "worst", the largest distortion of a dataset small. search "greedy" starts from the purest mechanism and grows one ball by one ring of values at a time, the one that gains most among those that Theorem 5 predicts to gain; "exhaustive" tries every choice, at most 2^22 of them. On a linear_query, all of whose datasets share one radius, see its best_radius.

    Example::

        q = finite_query([11, 12, 1, 10], edges=[(0, 1), (1, 2), (2, 3)])
        b = best_radii(q, ln(3))
        print(b.radius, b.value)
        print(best_radii(q, ln(3), search="exhaustive").value)
    """


@word
def best_initial(q, decay, prior=None, rounds=20, seed=0, deepest=0, starts=[], most=100000000, layers=0, boxes=1):
    """The initial values {R_0, R̃_I} with the least expected distortion at a decay (Wu et al., (44), under the closure): of all layered mechanisms whose layers differ by at most 1 between neighbors, all 2·decay-differentially private. A local search lowers or raises one value at one dataset at a time, from the purest mechanism and from starts, layered mechanisms of q, and then from its best, shaken, so many rounds. deepest > 0: an exhaustive search over all mechanisms in which no dataset has a value more than that many layers below its first (on graphs(4) a few seconds) proves what was found or betters it, an error where it would look at more than most rows. layers > 0: b.least then encloses the least of all initial values, however deep, from below by a branch and bound that tells so many layers apart and looks at up to so many boxes; by the certified optimum where that says more. It takes (layers + 1)^values times 4 bytes for each pair of neighbors and 8 for each dataset, and no more than 3 GiB. The optimum of optimal(q, 2*decay), of which b.ratio_to_optimum tells, bounds them all.

    Example::

        q = graphs(3).count("edge")
        b = best_initial(q, 1, deepest=3)
        print(b.value, b.exhaustive)
        print(b.ratio_to_optimum)
        print(best_initial(q, 1, layers=8).least)
    """


@word
def program(data, run, neighbors=None, limit=2000000):
    """A mechanism that is written as an algorithm: run(x, noise) is a function of a dataset that draws from noise (flip, choice, integer, geometric, one_sided, exponential, permute_and_flip; help("noise_source")), compares and returns any value that could be a key of a dict, draws among its parts. It is run over all of its tosses: the law of its outputs at each dataset is exact, or certified where a probability is irrational. geometric noise stays an unknown whole number; a comparison of one or of two of them divides the run, and where the comparisons of a path form a forest its probability is summed in closed form, infinite supports and all. data is a universe, a query (run(x, value, noise) gets its value, too), or a list or dict of datasets of any values; a dict's keys are their names. neighbors are pairs of names or numbers, or a function of two datasets that says whether they are neighbors; None takes those of the universe, or the two datasets of a list of two. With rates that are multiples of symbol("eps") the law is a function of eps, and m.private(2*eps) is decided for every eps > 0. Errors: a run that draws differently when it is replayed, more than limit paths, comparisons that form a circle, outputs that are no key.

    Example::

        def run(x, noise):
            return "yes" if x + noise.geometric(ln(2)) >= 1 else "no"
        m = program([0, 1], run)
        print(m.law(1), m.smallest_epsilon)
        eps = symbol("eps")
        print(program([0, 1], lambda x, noise: x + noise.geometric(eps)).private(eps))
    """


@word
def symbol(name):
    """A privacy parameter without a value, of which program decides privacy for every value.

    Example::

        eps = symbol("eps")
        print(eps/2, exp(eps))
    """


@word
def exp(x):
    """e to the power x: a float, and a power that adds, multiplies and divides with rational numbers where x is a multiple of a symbol.

    Example::

        print(exp(1), 1/(1 + exp(symbol("eps"))))
    """


@word
def records(x, lo=None, hi=None, grid=None, neighbors="replace", clip=False, categories=None):
    """One dataset of real records, where the universe of all datasets cannot be listed: its methods are queries, and mechanisms of these say what they output at this dataset. lo, hi and grid are public and do not depend on x: every record of every dataset lies between lo and hi, on lo + k·grid where grid is given; numbers are exact, a float meaning its shortest decimal. neighbors is "replace", one record may be any other, or "add_remove", one record more or less, every dataset having at least one. clip=True moves what lies outside or beside the grid to the nearest value; otherwise it is refused, as are an empty x, nan, and lo ≥ hi. categories=[…] takes names or whole numbers instead, for mode(). Equal records are told apart by nothing. ε of a mechanism is claimed, by a theorem; verify tests it, and the layers, on small universes.

    Example::

        x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
        print(x, x.median(), purest(x.median(), ln(3)).distortion())
        print(records(["a", "b", "b"], categories=["a", "b", "c"]).mode().value)
    """


@word
def network_records(x, neighbors="edge", nodes=None):
    """One graph, where the universe of all graphs cannot be listed: its methods are queries. x is a network, or a list of pairs of node numbers, simple: a loop or a repeated edge is refused. Nodes are public, from 0 to nodes − 1; None means up to the largest of x. neighbors is "edge", one edge more or less, or "node", all edges of one node may be any others: there components is refused, which has no bounds in polynomial time here. The words edges, triangles and components mean queries here, numbers on a network; components(s) of a matrix is another thing. ε of a mechanism is claimed, by a theorem; verify tests it, and the layers, on small universes.

    Example::

        g = network_records([(0, 1), (1, 2), (2, 0), (2, 3)], nodes=5)
        print(g, g.triangles(), purest(g.triangles(), 1).distortion())
    """


@word
def record_query(value, distance=None, up=None, down=None, on=None, range=None, neighbors=None, exact=False):
    """A query of your own on one dataset, by functions. value(x) is f(x). Either distance(x, r) is the least number of changes of x that reach the value r, None where none does; or up(x, t) and down(x, t) bound how far t ≥ 1 changes can move f, math.inf for any way: values within them are in layer t. x is the list of records in ascending order, or the pair (nodes, edges) of a graph. on is the dataset that mechanisms are for; without it the query is for verify alone, under neighbors. range is [lo, hi, step] of the values that may be output, [lo, hi] for all between; None is the range and grid of the records. exact=True claims that up and down give distances. Nothing is believed: verify(q) says whether layers are the distances, a valid bound, or wrong, with a dataset.

    Example::

        q = record_query(value=lambda x: max(x), distance=lambda x, r: len([v for v in x if v > r]) if r in x else max(1, len([v for v in x if v > r])))
        print(verify(q, records=3, values=range(4)))
        wrong = record_query(value=lambda x: max(x), distance=lambda x, r: len([v for v in x if v > r]))
        print(verify(wrong, records=3, values=range(4)).witness)
    """


@word
def verify(q, records=5, values=[0, 1, 2, 3, 4, 5, 6, 7, 8], nodes=6, decay=1):
    """Tests a query's layers, and a mechanism, on every dataset of a small universe, with the same code that answers at real ones: all datasets of so many records from values, which rise by equal steps and stand for lo, hi and grid (under add_remove all of 1 to so many), or all graphs of so many nodes. Layers are compared with the distances that a search of the universe finds, equal where they are said to be exact, at most these elsewhere, and with those of neighbors, from which they differ by at most 1; the smallest ε of the mechanism over all neighbors with what it claims. q may be a query, for purest(q, decay), or a mechanism. Under add_remove a distance is compared as far as datasets of the universe decide it. Of a mode values stand for the first categories. Tested on this universe; that it holds on all others is a theorem, which query.ground names.

    Example::

        x = records([3, 8, 8, 2, 5], lo=0, hi=10, grid=1)
        v = verify(x.median(), records=3, values=[0, 1, 2, 3])
        print(v)
        print(verify(laplace(x.mean(), ln(2)), records=3, values=range(4)).smallest_epsilon)
    """


@word
def permute_and_flip(q, eps):
    """The permute-and-flip mechanism (McKenna and Sheldon 2020) of a mode, by counts: categories come in random order, and each is taken with chance e^{−ε·gap/2}, gap its distance below the largest count; e^{−ε·gap} under add_remove, where all counts move one way. ε-differentially private. Exact where e^{−ε/2} is rational, for up to 24 categories.

    Example::

        q = records(["a", "b", "b"], categories=["a", "b", "c"]).mode()
        print(permute_and_flip(q, ln(4)).distortion(), exponential(q, ln(4)).distortion())
    """


@word
def noisy_max(q, eps, noise="exponential"):
    """The category of a mode whose count with noise is the largest: "laplace" noise of scale 2/eps, 1/eps under add_remove (Dwork and Roth 2014, Claim 3.9), up to 128 categories; "exponential" noise, which gives the law of permute_and_flip (Ding et al. 2021); or "gumbel" noise, that of exponential(q, eps). ε-differentially private.

    Example::

        q = records(["a", "b", "b"], categories=["a", "b", "c"]).mode()
        print(noisy_max(q, 1, noise="gumbel").probability("b"), noisy_max(q, 1, noise="laplace").probability("b"))
    """


@word
def linear_query(intervals):
    """A linear query on the reals, by its neighboring set V_f, the differences f(x') − f(x) of neighbors (Wu et al., Definition 9): a list of closed intervals (lo, hi) and of points, numbers on their own. The set is symmetrised and 0 is added. All arithmetic on it is rational: a float means its shortest decimal, and "1/3" is accepted. A reversed interval, an empty list and the set {0} are refused, and so is evidence that is not exact: answers would be labelled exact that are not.

    Example::

        lq = linear_query([(0, 1), (1000, 1001)])
        print(lq.sensitivity, lq.volume)
        print(linear_query([("1/3", 0.5), 2]).neighboring_set)
    """


@word
def staircase(lq, eps, gamma=None, cost="abs", lattice=False):
    """The Staircase mechanism of Geng and Viswanath (2016) on a linear query: the density falls by e^{−ε} at γΔ and then every Δ. ε-differentially private. gamma = None is the best γ for cost "abs" (E|noise|, γ* = 1/(1 + e^{ε/2})) or "square" (E noise²); else 0 < γ < 1. lattice=True is its integer form, on the multiples of the largest step that divides all of V_f, whose numbers must be points: γΔ is then a whole number of steps. On a record query the noise is moved to the nearest value between the ends of its range, and gamma = None is the best for "abs".

    Example::

        lq = linear_query([(0, 1), (1000, 1001)])
        m = staircase(lq, ln(9))
        print(m.gamma, m.distortion())
        print(staircase(linear_query([1, 3]), 1, lattice=True))
    """


@word
def discrete_laplace(lq, eps):
    """Discrete Laplace noise on a linear query whose V_f must be points: the geometric mechanism by its other name.

    Example::

        print(discrete_laplace(linear_query([1, 3]), 1).delta_at(0.5))
    """


@word
def discrete_gaussian(lq, sigma):
    """The discrete Gaussian mechanism (Canonne, Kamath and Steinke 2020) of a linear query whose V_f must be points: noise of weight e^{−r²/2σ²} on the lattice they span, sigma in units of f, from Δ/1000 to 2^50 steps of the lattice. It is ε-differentially private for no ε: ask delta_at(eps) or epsilon_at(delta), which are certified, or zcdp, Δ²/2σ².

    Example::

        m = discrete_gaussian(linear_query([1]), 10)
        print(m.delta_at(1), m.epsilon_at(1e-6), m.zcdp)
        print(compose([(m, 50)]).epsilon_at(1e-6))
    """


@word
def knorm(columns, eps):
    """The K-norm mechanism (Hardt and Talwar 2010; Wu et al., (51)) of a linear F: ℝⁿ → ℝ² or ℝ, given by its columns: pairs, or numbers. Noise of density ∝ e^{−ε‖r‖_K}, K = conv{±F e_i}, neighbors differing by at most 1 in ‖·‖₁. ε-differentially private.

    Example::

        k = knorm([(1, 0), (0, 1)], 1)
        print(k.distortion(), k.layer((0.9, 0.9)), k.is_basic(5), k.lattice_gap())
    """


@word
def gaussian_sigma(eps, delta, s2=1):
    """The least standard deviation a coordinate, in the unit of s2, that makes a query of L2 sensitivity s2 (eps, delta)-differentially private: the analytic Gaussian mechanism. eps in nats, from 1e-300 to 1e20; delta from 1e-307 to below 1. Source: Balle and Wang, arXiv:1805.06530v2, Theorem 8. Certified, an enclosure at most three units in the last place wide (more only where delta is above 1 − 1e-10); its value is the end on the private side.

    Example::

        print(gaussian_sigma(1, 1e-5))
    """


@word
def gaussian_delta(eps, sigma, s2=1):
    """The least delta at which Gaussian noise of standard deviation sigma a coordinate makes a query of L2 sensitivity s2 (eps, delta)-differentially private: at eps 0 the total variation distance. eps in nats, at least 0. Source: Balle and Wang, arXiv:1805.06530v2, Theorem 8. Certified, an enclosure at most three units in the last place wide (more only where delta is above 1 − 1e-10); its value is the end on the private side.

    Example::

        print(gaussian_delta(1, 3.73))
    """


@word
def gaussian_epsilon(delta, sigma, s2=1):
    """The least eps ≥ 0, in nats, at which Gaussian noise of standard deviation sigma a coordinate makes a query of L2 sensitivity s2 (eps, delta)-differentially private. delta 0, for which no eps will do, or from 1e-307 to below 1; sigma at least s2/1e153. Source: Balle and Wang, arXiv:1805.06530v2, Theorem 8. Certified, an enclosure at most three units in the last place wide (more only where delta is above 1 − 1e-10); its value is the end on the private side.

    Example::

        print(gaussian_epsilon(1e-5, 3.73))
    """


@word
def l2_sensitivity(m, n, s2, gamma, psd=False):
    """The set of all differences of an m×n query with Frobenius norm at most s2 (Definition 3); gamma bounds the Frobenius norm of the query itself, gamma ≥ s2/2. psd says that the query is symmetric positive semi-definite, which Theorem 3 needs. Source: Chanyaswad, Dytso, Poor and Mittal (MVG).

    Example::

        print(l2_sensitivity(6, 248, 2 * math.sqrt(6), math.sqrt(6 * 248)))
    """


@word
def box_sensitivity(m, n, half_width):
    """The set of differences of f(X) = X, an m×n data set of n records (columns), when one record moves anywhere within a box: coordinate i by at most 2·half_width[i]. half_width is a number or a list of m. gamma is that of a box around the origin.

    Example::

        print(box_sensitivity(2, 100, [1, 10]))
    """


@word
def gram_sensitivity(d, row_norm, neighbors="unbounded", scale=1):
    """The set of differences of scale·XXᵀ, a d×d Gram matrix of records of Euclidean norm at most row_norm: ±scale·xxᵀ when one record comes or goes ("unbounded"), scale·(xxᵀ − yyᵀ) when one is replaced ("bounded"). With scale = 1/n, gamma = row_norm².

    Example::

        print(gram_sensitivity(4, 1, "bounded", 1 / 100))
    """


@word
def difference_sensitivity(differences):
    """A finite list of differences between neighbors, m×n matrices of one shape; each stands for its negative too. It does not bound the query, so the theorems do not apply.

    Example::

        print(difference_sensitivity([[[1, 0], [0, 0]], [[0, 2], [0, 1]]]))
    """


@word
def mvg(s, eps, delta, theta=None, directions=None, modal="uni", condition="theorem2", zeta="root"):
    """A matrix-variate Gaussian design for a sensitivity set: noise Z with covariance Σ of the rows and Ψ of the columns. theta, a list with sum 1, shares the precision among the directions (the columns of an orthonormal matrix; None is uniform, and the standard basis); sigma shows the product, rounded, and is what is judged and drawn from. modal "uni" has Ψ = I (Algorithm 1), "equi" Ψ = Σ (Algorithm 2). condition "theorem2" and "theorem3" spend the published precision budget, p_i² = theta_i·P with p_i = 1/σ_i(Σ); zeta "root" reads ζ(δ) as Laurent and Massart's bound gives it, "printed" as Table 1 prints it. condition "tight" takes Σ ∝ W diag(theta_i^{-1/2}) Wᵀ and scales it until the exact (eps, delta) is met with equality. Source: Chanyaswad, Dytso, Poor and Mittal (MVG).

    Example::

        s = l2_sensitivity(6, 248, 2 * math.sqrt(6), math.sqrt(6 * 248))
        d = mvg(s, 1, 1 / 248)
        print(d.element_sd, d.smallest_epsilon, mvg(s, 1, 1 / 248, condition="tight").element_sd)
    """


@word
def mvg_noise(s, sigma, psi=None, delta=None):
    """The design with given covariance matrices of rows and columns (psi None is the identity), judged by the sensitivity set: what is certified holds for these matrices, entry for entry, each number being the float64 it is. smallest_epsilon is at delta, and there only where delta is given; delta_at needs none.

    Example::

        s = l2_sensitivity(2, 2, 1, 1)
        d = mvg_noise(s, [[4, 1], [1, 3]], delta=1e-5)
        print(d.smallest_epsilon, d.delta_at(1))
    """


@word
def mvg_optimal(s, eps, delta, objective="error", weights=None, directions=None, modal="uni", axes="given"):
    """The optimal design under exact (eps, delta). objective "error" minimises the expected squared error, weighted by the importance of the directions where weights are given; "information" maximises ln PNR for a signal with eigenvalues weights in the directions. modal "uni" has Ψ = I, "equi" Ψ = Σ, "both" any Ψ. axes "given" keeps Σ to the directions, "free" takes any Σ. The value o.optimum is certified between the design's own and a bound that no other can pass; o.everywhere says that the bound holds for any Σ (and any Ψ for "both"), o.method how it was found and where the ends may be apart. For an L2 ball, and a Gram matrix with a record added, isotropic noise is optimal; for a box in its own axes p_i ∝ √w_i/h_i, or λ_i/(2h_i)² is water-filled; the error for a list of differences is convex along geodesics of covariances. Information with "equi" is for given directions: a box's ends meet, those of a list come to 1 % by branch and bound, unless o.method says that this ended early, for no method in polynomial time does it for all lists (docs/mvg.md). With "both" the weights are on the rows (for a Gram matrix on both sides), and information counts every column.

    Example::

        s = box_sensitivity(2, 100, [1, 10])
        o = mvg_optimal(s, 1, 1e-5)
        print(o.precisions, o.optimum, o.design.element_sd)
        d = difference_sensitivity([[[8, 0], [0, 1]], [[0, 1], [2, 0]]])
        print(mvg_optimal(d, 1, 1e-5, modal="both").optimum)
    """


@word
def waterfill(eigenvalues, budget, norm="l1", weights=None):
    """Maximises Σ ln(1 + λ_i p_i) over precisions p_i ≥ 0 with Σ p_i ≤ budget (norm "l1": Theorem 7 with (·)⁺, p_i = (c − 1/λ_i)⁺) or Σ p_i² ≤ budget ("l2": Problem 1 for one mode, λ_i/(1 + λ_i p_i) = 2νp_i). p_i = 1/σ_i(Σ). With weights, "l1" only, Σ w_i p_i ≤ budget: under a box sensitivity w_i = (2h_i)² and budget = μ². Each eigenvalue is 0 or, as weights and budget are, between 1e-100 and 1e100. Source: Chanyaswad, Dytso, Poor and Mittal (MVG), Theorem 7.

    Example::

        w = waterfill([1, 2, 1e-6], 1)
        print(w.precisions, w.level, w.active, w.log_pnr, w.residual)
    """


@word
def kronecker_waterfill(rows, columns, budget, norm="l1", starts=8, seed=0):
    """Allocates row precisions p_a and column precisions q_b for a signal of covariance Ψ_f⊗Σ_f with eigenvalues columns and rows: maximises Σ ln(1 + λ_a κ_b p_a q_b) with ‖p‖·‖q‖ ≤ budget in the l1 or l2 norm (Problems 2 and 1). Not jointly concave: alternating exact water-fillings from several starts find a local optimum; log_pnr encloses the global one, from above by the optimum without the Kronecker structure. Eigenvalues are 0 or, as the budget is, between 1e-40 and 1e40; starts are drawn besides the uniform one.

    Example::

        w = kronecker_waterfill([1, 3], [1, 2], 2)
        print(w.rows, w.columns, w.log_pnr)
    """


@word
def nearest_kronecker(k, m, n):
    """The matrices psi (n×n) and sigma (m×m, of trace m) whose Kronecker product psi⊗sigma is nearest in the Frobenius norm to k, a covariance (symmetric) of order mn of the column-stacked vec, and the distance: a tuple (psi, sigma, distance). Source: Van Loan and Pitsianis 1993.

    Example::

        psi, sigma, distance = nearest_kronecker([[2, 0, 1, 0], [0, 4, 0, 2], [1, 0, 3, 0], [0, 2, 0, 6]], 2, 2)
        print(psi, sigma, distance)
    """


@word
def binary_theta(m, important, tau):
    """The binary allocation (Section 8.1.3): the share tau of the precision budget in equal parts to the important directions, a list of numbers from 0, the rest in equal parts to the others. Source: Chanyaswad, Dytso, Poor and Mittal (MVG).

    Example::

        print(binary_theta(6, [2, 5], 0.9))
    """


@word
def r1smg(dimension, eps, delta, s2=1):
    """The rank-one Gaussian mechanism (Ji and Li, arXiv:2306.02256v3) as its paper sets it for a query in R^dimension: noise along one random direction, claimed (eps, delta). r.delta_at(eps) encloses what it really gives.

    Example::

        r = r1smg(10, 1, 1e-5)
        print(r.claimed_error, r.claimed_delta, r.delta_at(1))
    """


@word
def ridge_rmse(records, targets, test, test_targets, penalty=1, width=None, intercept=True):
    """Fits kernel ridge regression (K + penalty·I)a = y to records, a list of lists, and their targets, and returns the root mean square error on test records, in the unit of the targets. width None is the linear kernel ⟨x, y⟩ + 1, or ⟨x, y⟩ without an intercept, else exp(−‖x−y‖²/(2 width²)), which has none.

    Example::

        print(ridge_rmse([[0], [1], [2]], [0, 1, 2], [[3]], [3], penalty=0.01))
    """


@word
def gram(x):
    """XXᵀ/n for an m×n matrix X of n records in its columns.

    Example::

        print(gram([[1, 1], [2, 0]]))
    """


@word
def components(s):
    """The eigenvalues of a symmetric matrix (another is refused) from the largest down, and its eigenvectors as the columns of a matrix: a tuple.

    Example::

        values, vectors = components([[2, 1], [1, 2]])
        print(values, vectors)
    """


@word
def lost_variance(s, estimate):
    """Δρ = λ₁ − vᵀSv for the first principal component v of the estimate, which counts by its symmetric part, in the unit of S. Source: Chanyaswad, Dytso, Poor and Mittal (MVG), (28).

    Example::

        print(lost_variance([[3, 0], [0, 1]], [[1, 0], [0, 3]]))
    """


@word
def residual_sum(s, estimate):
    """RSS = Σ (λ_i − v_iᵀSv_i)² over the principal components v_i of the estimate, which counts by its symmetric part. Source: Chanyaswad, Dytso, Poor and Mittal (MVG), (29).

    Example::

        print(residual_sum([[3, 0], [0, 1]], [[1, 0], [0, 3]]))
    """


@word
def laplace_noise(x, scale, seed=0):
    """A matrix plus independent Laplace noise of the given scale: the Laplace mechanism at scale Δ₁/ε, Δ₁ the l1 sensitivity over all elements. For research.

    Example::

        print(laplace_noise([[0, 0]], 2, seed=1))
    """


@word
def laplace_release(x, scale, sensitivity, grid=None, seed=None):
    """A matrix plus independent Laplace noise of the given scale, drawn from the operating system's generator with exactly its law, each element rounded to the nearest multiple of grid, decided exactly; None is a power of two about 2^-32 of the scale. sensitivity is Δ₁, in the l1 norm of all elements: (Δ₁/scale)-differentially private. With seed it simulates: the plain value is returned, and standard error says so.

    Example::

        r = laplace_release([[0, 0]], 2, 1)
        print(r, r.record["epsilon"])
    """


@word
def classic_gaussian_sigma(eps, delta, s2=1):
    """The standard deviation s2·√(2 ln(1.25/delta))/eps of the classic Gaussian mechanism, proven for eps < 1. Source: Dwork and Roth 2014, Theorem A.1.

    Example::

        print(classic_gaussian_sigma(0.5, 1e-5))
    """


@word
def permutation(n, seed=0):
    """The numbers 0 … n−1 in a random order that the seed fixes, n at most ten million.

    Example::

        print(permutation(5, seed=1))
    """


@word
def gaussian_rival(s, eps, delta, form="tight"):
    """Independent Gaussian noise of one variance on every element, for a query of a sensitivity set: form "classic" has the deviation s2·√(2 ln(1.25/delta))/eps, "tight" the least one that is (eps, delta)-private. A design like those of mvg.

    Example::

        s = box_sensitivity(2, 100, [1, 10])
        print(gaussian_rival(s, 1, 1e-3).element_sd, gaussian_rival(s, 1, 1e-3, form="classic").element_sd)
    """


@word
def laplace_rival(s, eps, delta=None, form="classic"):
    """Independent Laplace noise of one scale on every element, for a query of a sensitivity set: form "classic" has the scale Δ₁/eps, Δ₁ the l1 sensitivity over all elements, and promises eps; "tight" asks for delta, and has about the least scale whose certified upper end of delta_at(eps) is at most that.

    Example::

        s = box_sensitivity(2, 100, [1, 10])
        print(laplace_rival(s, 1).scale, laplace_rival(s, 1, 1e-3, form="tight").scale)
    """


@word
def symmetric_gauss(d, eps, delta, row_norm=1, half_width=None, neighbors="unbounded", scale=1, form="tight"):
    """Gaussian noise on the diagonal and above of scale·XXᵀ, d×d, mirrored below ("Analyze Gauss"). Records, the columns of X, have Euclidean norm at most row_norm, or, where half_width is given, a list of d, lie within that box around the origin; one is added or removed ("unbounded") or replaced ("bounded"). form "classic" has the published deviation Δ√(2 ln(1.25/delta))/eps, "tight" the least one. Source: Dwork, Talwar, Thakurta and Zhang 2014, whose abstract was at hand.

    Example::

        g = symmetric_gauss(4, 1, 1e-3, scale=1 / 100)
        print(g.sigma, g.delta_at(1))
    """


@word
def jl_rival(rows, eps=None, delta=None, width=None, move=1, spectrum="raised", form="exact"):
    """The Johnson–Lindenstrauss transform as a mechanism: n records, the columns of X, m×n, are released as rows mixed records XGᵀ/√rows, G of independent standard normals. spectrum "raised" replaces the singular values σ of X by √(σ² + width²) (Blocki, Blum, Datta and Sheffet 2012), "threshold" refuses X where one is below width (the condition of Upadhyay 2014). Neighbors differ in one record, which moves by at most move in Euclidean norm: twice the norm of a box's half-widths. form "published" has the width move·16√(rows·ln(2/delta))·ln(16·rows/delta)/eps, which is promised to be (eps, delta)-private. form "exact" takes the parameter for which the certified upper end of delta_at(eps) is delta: rivals made so are compared at equal privacy. A width may be given instead of eps and delta. The papers were not at hand in full.

    Example::

        print(jl_rival(50, 1, 1e-3).width, jl_rival(50, 1, 1e-3, form="published").width)
        print(jl_rival(50, width=40).delta_at(1))
    """


@word
def jl_rows(eta, nu):
    """The number ⌈8 ln(2/nu)/eta²⌉ of mixed records with which the transform tells the variance in a direction within a factor 1 ± eta with chance 1 − nu. Source: Blocki, Blum, Datta and Sheffet 2012.

    Example::

        print(jl_rows(0.3, 0.05))
    """


@word
def net_rival(half_width, n, levels, eps, delta=0, quality="max", form="published"):
    """The exponential mechanism on a finite net of the identity query of n records in a box: the matrices whose row i takes as many evenly spaced values as levels says, from −half_width[i] to half_width[i]. A matrix Y weighs exp(−parameter·d(X, Y)/2Δ), d the largest distance of two entries (quality "max") or the sum of all ("sum"), Δ its sensitivity when one record moves anywhere in the box. form "published" has the parameter eps. form "exact" takes the parameter for which the certified upper end of delta_at(eps) is delta: rivals made so are compared at equal privacy. Source: Blum, Ligett and Roth 2013, not at hand; net and quality are this workbench's.

    Example::

        r = net_rival([1, 1], 3, 5, 1)
        print(r.log_size, r.sensitivity, r.smallest_epsilon)
    """


@word
def ppca(eps, delta=0, row_norm=1, neighbors="bounded", form="published"):
    """The first principal component by the exponential mechanism: a unit vector v of density proportional to exp(parameter/2·vᵀXXᵀv/row_norm²), for records, the columns of X, of norm at most row_norm; one is replaced ("bounded") or added or removed ("unbounded"). form "published" has the parameter eps, which is promised to be eps-private for "bounded". form "exact" takes the parameter for which the certified upper end of delta_at(eps) is delta: rivals made so are compared at equal privacy. Source: Chaudhuri, Sarwate and Sinha 2013.

    Example::

        p = ppca(1)
        print(p.smallest_epsilon, p.captured([[0.9, -0.8], [0.1, 0.2]]))
    """


@word
def bingham(a):
    """The law of unit vectors v of density proportional to exp(vᵀav), a symmetric matrix. Draws keep vectors of an angular central Gaussian law with the right chance, exact but for floating point (Kent, Ganeiber and Mardia 2013).

    Example::

        b = bingham([[2, 0], [0, 0]])
        print(b.acceptance, b.moment)
    """


@word
def bernoulli(theta, lam, n):
    """The matrix-valued Bernoulli law on n × P bits, Pr[B] ∝ exp(bᵀΠb) (XOR paper, Definition 4 and (3)). theta: symmetric P × P, common to all objects. lam: a dict from pairs (i, j), i < j from 0, to symmetric P × P blocks Λ_ij; absent pairs are 0. Bit (i, j) of the matrix is number i·P + j.

    Example::

        b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0]]}, 2)
        print(b.log_normalizer(), b.smallest_epsilon())
    """


@word
def bernoulli_uniform(n, p, theta, lam):
    """The law with Θ = theta·I and every Λ_ij = lam·I: P independent exchangeable columns, Pr[m ones] ∝ C(n, m) exp(theta·m + lam·m(m − 1)) each. Normaliser, error rate, smallest ε and samples are closed forms, at any size.

    Example::

        b = bernoulli_uniform(100, 50, -1, 0.01)
        print(b.error_rate(), b.smallest_epsilon())
    """


@word
def xor_allocation(n, p, eps, alpha, sensitivity):
    """Algorithm 1 of the XOR paper: Θ = θI with θ = αε/(s√P), Λ_ij = λI with λ = (1 − α)ε/(s√P·n(n − 1)/2). eps in nats, alpha in [0, 1] (1: objects independent), sensitivity s in bits. The basis U that the paper leaves open changes nothing.

    Example::

        b = xor_allocation(2, 1, 1, 0.3, 1)
        print(b.claimed_epsilon(), b.smallest_epsilon())
    """


@word
def xor_release(matrix, b, seed=None, source="crypto", complement=False, method="auto", sensitivity=1):
    """The XOR mechanism (Definition 5): releases matrix ⊕ B for an N × P matrix of 0 and 1 and noise b of that shape, drawn from the operating system's generator with exactly its law; with complement=True the noise is 1 − B, at no cost of privacy. method as in b.sample; a law without an exact sampler is refused. sensitivity is how many bits neighbors differ in, for the record. source="seed" is seed=0. With seed it simulates: the plain value is returned, and standard error says so.

    Example::

        b = xor_allocation(2, 3, 40, 1, 1)
        print(xor_release([[1, 0, 1], [0, 0, 1]], b, complement=True))
    """


@word
def xor_graph(adjacency, b, seed=None, source="crypto", complement=False, method="auto"):
    """Algorithm 3 of the XOR paper: releases an adjacency matrix (square, symmetric, zero diagonal) ⊕ B, then A ∧ Aᵀ without the diagonal. adjacency is a matrix or a network, and the value is one likewise; neighbors differ in an edge. Everything else as in xor_release. With seed it simulates: the plain value is returned, and standard error says so.

    Example::

        b = xor_allocation(3, 3, 1, 0.7, 2)
        print(xor_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], b, seed=1, complement=True))
    """


@word
def xor_simulate(matrix, b, seed=0, complement=False, method="auto"):
    """What xor_release would give, simulated from a seed: for research.

    Example::

        b = xor_allocation(2, 3, 40, 1, 1)
        print(xor_simulate([[1, 0, 1], [0, 0, 1]], b, seed=1, complement=True))
    """


@word
def xor_simulate_graph(adjacency, b, seed=0, complement=False, method="auto"):
    """What xor_graph would give, simulated from a seed: for research.

    Example::

        b = xor_allocation(3, 3, 1, 0.7, 2)
        print(xor_simulate_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], b, seed=1, complement=True))
    """


@word
def edge_leakage(eps, prior_ratio):
    """The most that an observer who knows all other edges can come to believe of one, after an ε-edge-private release: ζe^ε/(ζe^ε + 1) with ζ the larger of the prior odds prior_ratio = Pr[a]/Pr[not a] and their inverse. This is Theorem 4 of the XOR paper corrected; see claim("xor.theorem4").

    Example::

        print(edge_leakage(ln(2), 0.01 / 0.99))
    """


@word
def sampler_delta(eps, tv):
    """The δ that an inexact sampler costs: if noise of a law is eps-private, noise of a sampler at total variation distance tv from that law is (eps, δ)-private with δ = (1 + e^eps)·tv, at most 1. A float. b.distance estimates tv.

    Example::

        print(sampler_delta(1, 0.001))
    """


@word
def optimize_alpha(n, p, eps, sensitivity, privacy="claimed", complement=False):
    """The share α that minimises the chance that a bit is flipped, among laws of Algorithm 1's form scaled until the budget eps is spent with equality: privacy="claimed" by condition (4) of Theorem 1, "exact" by the smallest ε for at most sensitivity bits anywhere, 1 to n·p. complement=True takes 1 − B as noise. Under exact privacy, complement and sensitivity ≤ p the answer is α = 1, randomised response.

    Example::

        s = optimize_alpha(5, 3, 1, 2, privacy="exact", complement=True)
        print(s.alpha, s.error_rate)
        print(s.table())
    """


@word
def xor_blocks(n, p, eps, alpha, sensitivity, rows, columns):
    """Noise drawn block by block (XOR paper, Section 5.2): an n × p matrix cut into tiles of at most rows × columns, each with noise by Algorithm 1 at a share of eps proportional to its size.

    Example::

        q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)
        print(q.claimed_epsilon(2), q.smallest_epsilon(2), q.error_rate())
    """


@word
def network(edges, largest=False, strict=False):
    """An undirected simple graph from pairs of node numbers, as read_edges gives them: directions, loops and repeats are dropped, nodes renumbered in ascending order; names keeps what they were called. strict=True refuses loops and repeats. largest=True keeps the largest component alone. For xor_graph, at up to 32768 nodes.

    Example::

        g = network([(0, 1), (1, 2), (2, 0), (5, 6)])
        print(g, g.diameter, g.names)
    """


@word
def random_network(nodes, edges=None, probability=None, seed=0):
    """An Erdős–Rényi graph: with edges one of the graphs with so many edges, each as likely as another, G(n, m); with probability every pair is an edge with that probability, independently, G(n, p). Just one of the two is given.

    Example::

        print(random_network(6, edges=4, seed=1), random_network(100, probability=0.1, seed=1))
    """


@word
def degree_divergence(released, original, mix=0):
    """The Kullback–Leibler divergence in nats of the degree distribution of one network from another's with as many nodes; a list of degrees stands for a network. inf where the released one has a degree that the original lacks; mix > 0 mixes the original's law with the uniform one by that share.

    Example::

        g = network([(0, 1), (1, 2), (2, 0), (2, 3)])
        h = network([(0, 1), (1, 2), (2, 3)])
        print(degree_divergence(h, g), degree_divergence(g, h, mix=0.01), degree_divergence([2, 2, 2, 2], g))
    """


@word
def logistic(x, y, ridge=0.001, eps=None, seed=0):
    """Logistic regression of labels y (0 or 1) on the rows of x, without intercept: minimises the mean loss plus ridge·‖η‖²/2. With eps the objective is perturbed by nᵀη/N, ‖n‖ from Γ(P, 2/eps) in a uniform direction (PPLR as the XOR paper states it, footnote 7; eps in nats). Answers a model with weights and accuracy(x, y).

    Example::

        m = logistic([[0, 1], [1, 1], [0, 1], [1, 1]], [0, 1, 0, 0])
        print(m.weights, m.accuracy([[1, 1]], [1]))
    """


@word
def power_law(values, x_min=None, x_max=None):
    """A discrete power law p(k) ∝ k^-exponent, k ≥ x_min, fitted to values, such as degrees, by maximum likelihood with Hurwitz's ζ. Where x_min is left out it is the value whose fit has the least Kolmogorov–Smirnov distance (Clauset, Shalizi and Newman 2009). x_max fits the law on x_min, …, x_max alone. Zeros are no part of a power law and left out. It is an error where fewer than two different values lie in the range.

    Example::

        g = network([(0, 1), (1, 2), (2, 0), (2, 3), (2, 4), (4, 5)])
        f = power_law(g.degrees)
        print(f.exponent, f.x_min, f.distance)
    """


@word
def bigclam(network, communities, seed=0, background=None, tolerance=0.0001, sweeps=100):
    """Overlapping communities by BIGCLAM (Yang and Leskovec, WSDM 2013): nodes u and v are joined with probability 1 - exp(-F_u·F_v), F ≥ 0 with a column for each community, fitted by block coordinate gradient ascent from the neighborhoods of least conductance (nodes of degree 5 at least, none of which is another's neighbor; where they are too few, neighborhoods drawn with seed). background is the probability with which nodes without a common community are joined, 1/nodes where left out, as in the authors' program. The ascent ends where a sweep over all nodes gains less than the share tolerance of the log-likelihood, or after so many sweeps.

    Example::

        clique = lambda nodes: [(u, v) for u in nodes for v in nodes if u < v]
        g = network(clique(range(7)) + clique(range(7, 13)) + [(6, 7)])
        b = bigclam(g, 2)
        print(b.communities())
    """


@word
def average_f1(found, truth, nodes=None):
    """How well found communities match true ones, each a list of nodes: half the mean over the found of the best F₁ score against a true one, plus half the mean over the true of the best against a found one (Yang and Leskovec 2013). Nodes are numbers from 0; with nodes, below it. 0 where nothing was found.

    Example::

        print(average_f1([[0, 1, 2], [3, 4]], [[0, 1], [2, 3, 4]]))
    """


@word
def node_groups(network, labels, outside="refuse"):
    """The groups that labels make of a network's nodes, as average_f1 takes them: a list of lists of node numbers, by first label. labels is a list of pairs (what the node was called, its group), such as dataset("email-Eu-core-labels"); a group is a number or a string, and a node may have several. A label that names no node of the network is an error, or is dropped; groups that have none left are left out.

    Example::

        g = network([(5, 7), (7, 9)])
        print(node_groups(g, [(5, "a"), (7, "a"), (9, "b")]))
    """


@word
def pygmalion(eps, degree_bound=None, partitions=None, all_tuples=False, smooth=True):
    """Pygmalion (Sala et al. 2011): a graph made of a noisy dK-2 series, the number of edges for each tuple of degrees. Noise is for 4D + 1, D the largest degree of the part of the range of degrees that the tuple is in. What the paper's text, not at hand, leaves open: degree_bound is a public D: an edge is left out that is not among the first D of both its ends (without it D is the largest degree of the graph itself); partitions is how often the range is halved, 0 for one part, without it until each degree stands alone; all_tuples=True puts noise on every tuple of degrees up to degree_bound or the number of nodes less one, otherwise on those that occur in the graph alone, as its public implementations do; smooth is isotonic regression in the order of the true numbers, of the latter alone. Nodes of what is released are numbered at random. eps in nats; claimed for graphs that differ in one edge.

    Example::

        g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
        r = pygmalion(1)
        print(r, r.simulate(g, seed=1))
    """


@word
def pbcn(eps, clusters=10, noisy_clusters=False, own_degrees=False, sensitivity=2, decoys=0):
    """PBCN (Huang et al. 2020), as the XOR paper describes it; its text was not at hand. Nodes are clustered by degree (k-means), degrees get noise for a sensitivity of 2 and become their cluster's mean, the graph is made by Havel's theorem, decoys are noise nodes. noisy_clusters=True makes the clusters of the noisy degrees, own_degrees=True leaves them out. eps in nats; claimed for graphs that differ in one edge.

    Example::

        g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
        r = pbcn(1, clusters=2)
        print(r, r.simulate(g, seed=1))
    """


@word
def ldpgen(eps, initial=2, groups=20, share="1/2"):
    """LDPGen (Qin et al. 2017): every node reports noisy counts of its neighbors in initial random groups, with share of eps; nodes are clustered by them (k-means) into groups, and report again for these, with the rest; edges are drawn by the Chung–Lu rule. The paper's own rule for groups was not at hand. eps in nats; claimed for local edges: two lists of neighbors that differ in one bit. An edge is in two lists.

    Example::

        g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
        r = ldpgen(1, groups=2)
        print(r, r.simulate(g, seed=1))
        print(r.measured(6).smallest_epsilon, r.measured(6, neighbors="edge local").smallest_epsilon)
    """


@word
def approx_deg(eps, degree_bound=None, statistic="histogram"):
    """ApproxDeg, of which footnote 8 of the XOR paper says that it controls the sensitivity by a constraint and post-processes: degrees, moved to degree_bound where they are larger (√N rounded up without one), as a histogram with noise for a sensitivity of 4, negative numbers moved to 0 and the rest scaled; statistic="sequence" is the sorted degrees with noise for 2 and isotonic regression (Hay et al. 2009). It releases degrees, not a graph. eps in nats; claimed for graphs that differ in one edge.

    Example::

        g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
        print(approx_deg(5).simulate(g, seed=1))
    """


@word
def dpcd(eps, communities, sensitivity=2):
    """DPCD, of which the XOR paper says that it perturbs the objective of community detection by independent Laplace noise: bigclam's likelihood with n_u·F_u added for every node, entries of n_u of scale sensitivity/eps. The rest of the noise's scale was not at hand. It releases communities, not a graph. eps in nats; claimed for graphs that differ in one edge; see claim("xor.rivals.dpcd").

    Example::

        g = network([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)])
        print(dpcd(5, 2).simulate(g, seed=1))
    """


@word
def equal_privacy(family, eps):
    """The parameter at which something is as private as wanted: family(e), e a float, gives anything with a privacy, as lambda e: ldpgen(e).measured(6). A dict with "parameter" e and "smallest_epsilon", evidence whose upper end is at most eps and at most 1e-9 less; else an error. The smallest ε must grow with e.

    Example::

        print(equal_privacy(lambda e: ldpgen(e).measured(6), 1))
    """


@word
def projection(p, k, kind="rademacher", s=3, seed=0):
    """A random p×k matrix W that the seed determines, made again whenever it is needed: x = Wᵀu/√k for data u in [-1, 1]^p. kind is "rademacher" (±1), "gaussian", "uniform" (√3·U[-1, 1]) or "sparse" (√s·{-1, 0, 1}, s ≥ 1). Source: Sign projections, Appendix B.

    Example::

        w = projection(20, 4, seed=1)
        print(w.sensitivity(), w.apply([0.5] * 20))
    """


@word
def oporp(p, k, seed=0):
    """One permutation and one random projection: the coordinates, padded with zeros to a multiple of k, are permuted and dealt to k bins of equal size, and x_j is the sum of ±u_i over bin j. 1 ≤ k ≤ p; .padded tells the padded dimension. Source: Sign projections, Algorithms 2 and 10 (reconstructed).

    Example::

        w = oporp(10, 4)
        print(w.padded, w.apply([0.1] * 10))
    """


@word
def dp_rp(w, eps, delta, beta=1, form="tight"):
    """DP-RP-G-OPT (with a Rademacher w DP-RP-G-OPT-B): x plus the noise of the analytic Gaussian mechanism at the sensitivity of w. form "classic" is DP-RP-G, whose deviation is Δ₂·√(2(ln(1/(2·delta)) + eps))/eps, larger than it need be. Neighbors differ in one coordinate by at most beta. eps in nats. Source: Sign projections, Algorithms 1 and 9, Theorem 3.1.

    Example::

        r = dp_rp(projection(20, 4), 1, 1e-6)
        print(r.sigma, r.sample([0.5] * 20))
    """


@word
def dp_oporp(w, eps, delta, beta=1):
    """DP-OPORP: bin sums plus the noise of the analytic Gaussian mechanism at sensitivity beta. Source: Sign projections, Algorithm 10.

    Example::

        r = dp_oporp(oporp(20, 4), 1, 1e-6)
        print(r.variance([0.2] * 20, [0.1] * 20))
    """


@word
def raw_gaussian(p, eps, delta, beta=1):
    """Raw-data-G-OPT: u itself plus the noise of the analytic Gaussian mechanism at sensitivity beta, the baseline. Source: Sign projections, Theorem C.1.

    Example::

        print(raw_gaussian(20, 1, 1e-6).variance([0.2] * 20, [0.1] * 20))
    """


@word
def dp_signrp(w, eps, noise="rr", delta=None, beta=1, smoothing=False):
    """Signs of projections, made private. noise "rr" flips each with probability 1/(e^ε'+1), ε' = eps/k, or eps for OPORP, where a coordinate reaches one bin; with delta ε' = eps/N₊ as published (Proposition 4.4), which depends on the private ‖u‖ and is no differential privacy. smoothing flips with probability 1/(e^{L_j ε'}+1), L_j = ⌈|w_jᵀu|/(beta·max|W_ij|)⌉; it takes no delta, as N₊ bounds the signs that flip while a move changes the level L_j of any. noise "gaussian" adds the Gaussian noise of (eps, delta) before the sign. Source: Sign projections, Algorithms 3 and 4 (reconstructed), Theorem 4.6.

    Example::

        r = dp_signrp(projection(20, 4), 2)
        u, v = [0.5] * 20, [-0.5] + [0.5] * 19
        print(r.sample(u), r.smallest_epsilon(u, v), r.public_epsilon)
    """


@word
def idp_signrp(w, eps, noise="rr", delta=None, beta=1):
    """iDP-SignRP: only the signs within reach, |w_jᵀu| ≤ beta·max|W_ij|, are flipped ("rr") or get Gaussian noise ("gaussian", with delta). Its guarantee is individual, data-dependent: not differential privacy, and the published one is refuted: which signs are within reach depends on the data, so smallest_epsilon is infinite where a neighbor has others. Source: Sign projections, Algorithms 6 to 8.

    Example::

        r = idp_signrp(projection(2, 1, seed=1), 1)
        print(r)
        print(r.smallest_epsilon([0.6, 0.5]))
    """


@word
def p_plus(u, beta=1, kind="rademacher", s=3, draws=100000, seed=0):
    """The true P₊ = Pr(beta·max|w_i| ≥ |wᵀu|) of one column: for "rademacher" exact where the u_i share a coarse lattice or at most 40 of them are not zero (32 where sizes differ by 10^20 or more), certified otherwise (u read as shortest decimals); for "gaussian" certified, of relative width some 1e-10; for "uniform" and "sparse" estimated from draws. Source: Sign projections, (9).

    Example::

        print(p_plus([0.5, 0.25, 1]), p_plus([0.5, 0.25, 1], kind="gaussian"))
    """


@word
def p_plus_printed(ratio, p, kind="gaussian"):
    """P₊ as printed, at ratio = beta/‖u‖: for "gaussian" the integral of (5), (11) and (21), refuted as a bound; for "rademacher" 2Φ(ratio) − 1 of (10). Claimed. Source: Sign projections, Lemma 4.2.

    Example::

        print(p_plus_printed(0.9, 20), p_plus([0.5] * 20, beta=0.45 * math.sqrt(20), kind="gaussian"))
    """


@word
def n_plus(probability, k, delta, rule="chernoff"):
    """N₊: a number of signs that more than so many of k are within reach with probability at most delta, from the probability P₊ of one. rule "chernoff" is Proposition 4.4 rounded down, "binomial" the exact quantile, never larger. P₊ depends on the private ‖u‖, and so does N₊. A certified probability counts by its upper end.

    Example::

        print(n_plus(0.05, 512, 1e-6), n_plus(0.05, 512, 1e-6, rule="binomial"))
    """


@word
def random_w_delta(probability, k, n):
    """Pr(Bin(k, probability) > n): over random W, the probability that u and its neighbors have more than n signs in reach of each other. Randomised response with a public ε' = ε/n is (ε, this)-private over W and the flips together; with n made from ‖u‖, as published, neighbors have other ε' and the proof does not count that. Certified.

    Example::

        print(random_w_delta(0.05, 512, 60))
    """


@word
def variance_ratio(p, k, sigma):
    """The ratio R of (16): variance of the inner product of unit vectors from raw data over that from k projections, at equal noise. It tends to p/k only where k·sigma⁴ dominates.

    Example::

        print(variance_ratio(1000, 10, 1), variance_ratio(1000, 10, 0.1))
    """


@word
def inner_variance(w, u, v, sigma):
    """The variance of the inner product estimated from releases of u and v with Gaussian noise sigma: Theorem C.1 for w = None (raw data), C.2 and C.3 otherwise (any law of W, OPORP with its padding). Certified.

    Example::

        print(inner_variance(oporp(6, 2), [0.5] * 6, [0.25] * 6, 0.1))
    """


@word
def cosine_moments(w, u, v, sigma=0):
    """The normalised estimator ρ̂ = Σx̃_jỹ_j/(‖x̃‖‖ỹ‖) of the cosine ρ of u and v, from their images with Gaussian noise sigma (0 for none; at least ‖x‖/256 otherwise), over fresh matrices of w's kind and shape, or raw data for w = None: a dict with its "mean", "variance" and "error", the mean of (ρ̂ − ρ)². Gaussian w in closed form, Rademacher, sparse and OPORP by visiting every w, for few coordinates with few distinct numbers. Certified, exact where rational. Source: Sign projections, Appendix C.

    Example::

        m = cosine_moments(projection(3, 2), [1, 0.5, 0], [0.5, 1, 0.5])
        print(m["mean"], m["variance"])
        print(cosine_moments(projection(3, 64, kind="gaussian"), [1, 0.5, 0], [0.5, 1, 0.5], sigma=0.1)["error"])
    """


@word
def cosine_formula(w, u, v):
    """The variance of the normalised estimator without noise up to terms of order 1/k²: ((1 − ρ²)² + (E w⁴ − 3)·A)/k for vectors of length 1, A = Σ(u_iv_i − ρ(u_i² + v_i²)/2)², and for OPORP (p − k)/(p − 1) times that with E w⁴ = 1. Claimed; cosine_moments has the true one. Source: Sign projections, Appendix C, and its reference on OPORP.

    Example::

        print(cosine_formula(projection(4, 2), [1, 0.5, 0.25, 0], [0.5, 1, 0, 0.5]))
    """


@word
def angle_estimate(a, b, eps):
    """The angle between two vectors in radians from released signs, each flipped with probability 1/(e^eps+1): eps is ε' of one sign. Unbiased where W is Gaussian. Theorem 4.5.

    Example::

        r = dp_signrp(projection(20, 64, kind="gaussian"), 128)
        print(angle_estimate(r.sample([0.5] * 20), r.sample([0.5] * 20, seed=1), 2))
    """


@word
def angle_variance(theta, eps, k):
    """The variance of angle_estimate at angle theta (radians) from k signs, eps being ε' of one sign: V_RR/k of Theorem 4.5. Claimed; exact for Gaussian W.

    Example::

        print(angle_variance(math.pi / 3, 0.5, 512))
    """


@word
def exceeds(r, rho, t=None):
    """Lemma E.1 for centred normals X, Y with σ_x = r·σ_y and correlation rho: a dict with "probability" Pr(|X| > |Y|), "mean" E[|X| given that]/σ_x and, with t, "tail" Pr(|X| > tσ_x given that) beside its "bound" e^{-t²/2}.

    Example::

        print(exceeds(0.5, 0.3, t=1))
    """


@word
def images(name, first=0, count=None, required=True):
    """Images of a data set of idx3 files or of CIFAR-10's binary version, these in grey, as a matrix: a row of numbers in [0, 1] an image. Where the file is absent, an error that names its source, or None with required=False.

    Example::

        m = images("mnist-test-images", count=3, required=False)
        print("absent" if m == None else m.shape)
    """


@word
def image_labels(name, first=0, count=None, required=True):
    """The labels of a data set of images, a list of ints, from an idx1 file of labels or a file of CIFAR-10's binary version. Where the file is absent, an error that names its source, or None with required=False.

    Example::

        y = image_labels("mnist-test-labels", count=3, required=False)
        print("absent" if y == None else y)
    """


@word
def retrieval(data, queries, truth=50):
    """A search experiment: for each query the `truth` rows of data at the least angle are true. .judge(release, seed) says how many of them are found from private releases of data and queries.

    Example::

        s = retrieval([[1, 0], [0, 1], [0.9, 0.1]], [[1, 0.1]], truth=1)
        print(s.judge(raw_gaussian(2, 10, 1e-6)))
    """


@word
def linear_svm(x, y, c=1, loss="squared_hinge", intercept=True, unit=False, gap=1e-8, passes=10000, seed=0):
    """A linear support vector machine for the rows of x and their classes in y, numbers or strings: the w that minimises ½‖w‖² + c·Σ max(0, 1 − ±⟨w, x_i⟩)^p, p = 1 for loss "hinge" and 2 for its square, for each class against the rest, once for two classes. intercept appends a feature 1, whose weight is penalised like the others. unit divides every row, those to be judged too, by its length. It is scikit-learn's LinearSVC, fitted by dual coordinate descent until the duality gap is at most the share gap of the objective, or for so many passes; the gap certifies the answers. seed draws the order of the rows. What is fitted to released features is as private as they are. Source: Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008.

    Example::

        m = linear_svm([[0], [1], [3], [4]], ["low", "low", "high", "high"])
        print(m.objective, m.accuracy([[0.5], [3.5]], ["low", "high"]))
    """


@word
def privacy(x, u=None, v=None, sensitivity=1, neighbors="bits"):
    """The privacy of x, through the law of its loss ln p^x(r)/p^y(r): a mechanism, a line mechanism, an MVG design, an XOR law with its sensitivity and neighbors (as in b.smallest_epsilon), or a release of projections between the vectors u and v, for the neighbors of u where v is left out, and for all neighbors with public W without both. What a mechanism on a finite universe or a design needs no parameters for is an attribute of it, too.

    Example::

        p = privacy(bernoulli_uniform(4, 1, -1, 0), sensitivity=2)
        print(p.delta_at(0.5), p.epsilon_at(1e-3))
    """


@word
def compose(parts, k=1):
    """The privacy of k uses of parts on the same dataset, whose noise is independent; parts is one of what privacy(x) takes, or a list of such and of pairs (x, number of uses). The dataset and its neighbor are the same in every use: mechanisms on one universe share the worst pair, and so do uses of one design, law or release. What shares nothing is multiplied by the dominating pairs, an upper bound. p.adaptive is the privacy of mechanisms that are chosen in the light of earlier outputs.

    Example::

        q = graphs(4).count("triangle")
        c = compose([purest(q, ln(2)), (ladder(q, ln(4)), 3)])
        print(c.delta_at(ln(4)), c.adaptive.delta_at(ln(4)))
        print(compose(known(ln(3)), 10).epsilon_at(1e-6))
    """


@word
def subsample(a, rate, kind="poisson"):
    """The privacy of one use of a on records that are drawn first: "poisson" takes every record with the chance rate, for neighbors that add or remove a record; "without_replacement" takes a share rate of the records, for neighbors that replace one. 0 < rate ≤ 1. Compose what it returns. By the tight dominating pair of a (Zhu, Dong and Wang 2022): an upper bound where a has many pairs of neighbors. Refused for mechanisms whose neighbors are others, as those of graphs.

    Example::

        s = subsample(known(ln(3)), "1/10")
        print(s.delta_at(ln(2)), compose(s, 10).epsilon_at(1e-6))
        print(subsample(known(3), 0.1, kind="without_replacement").delta_at(0.1))
    """


@word
def known(eps, delta=0):
    """Any mechanism of which it is known that it is (eps, delta)-differentially private and no more: the most revealing such mechanism (Kairouz, Oh and Viswanath 2015). Uses compose to the optimal composition theorem, different ones too (Murtagh and Vadhan 2016): exactly, where e^eps is rational.

    Example::

        a = compose([known(ln(3)), known(ln(2), "1/1000")])
        print(a.delta_at(ln(2)))
    """


@word
def study(name, storage=None, sampler="cmaes", seed=0, direction="minimize"):
    """A search for good parameters, run by its method optimize. storage keeps the trials: a path of a SQLite file, or postgres://user:password@host/database, or mysql://user:password@host:port/database; None keeps them in memory. A study that the storage holds already is continued, and any number of processes may work on one study at once. sampler is "cmaes" (CMA-ES with restarts: Auger and Hansen 2005), "tpe" (Bergstra et al. 2011), "sobol" or "random". The proposals depend on the seed, the trial's number and the finished trials alone: with one worker the same seed gives the same trials, interrupted or not. direction is "minimize" or "maximize".

    Example::

        s = study("parabola", seed=1)
        s.optimize(lambda trial: math.pow(trial.suggest_float("x", 0, 1) - 0.3, 2), trials=30)
        print(s.best_value < 1e-3, s.best_params)
    """


@word
def sweep(cells, f):
    """The list [f(c) for c in cells], which may be computed in parts: "workbench run FILE --shard i/n --out DIR" computes the cells i, i + n, i + 2n, … (i from 0 to n-1), writes them to one file in DIR, whole or not at all, and ends the script there; "workbench merge DIR" puts the parts together, into the bytes that "workbench run FILE --json" writes for a script with result = sweep(…). cells is a list of numbers, strings, lists or dicts, and f returns what json.encode can write. A script has one sweep.

    Example::

        cells = [(e, name) for e in [0.5, 1] for name in ["edge", "triangle"]]
        def worst(cell):
            return purest(graphs(4).count(cell[1]), cell[0]).smallest_epsilon.value
        print(sweep(cells, worst))
    """


@word
def claims():
    """The ledger: every published statement that can be checked, with the recorded verdict. claim(id).check() runs one.

    Example::

        print(claims())
    """


@word
def claim(id):
    """One published statement, by the id that claims() lists.

    Example::

        v = claim("analytic.lemma1").check()
        print(v.verdict, v.scope, v.witness)
    """


@word
def conjecture(statement, holds, instances=None, draw=None, simpler=None):
    """A statement of one's own as a claim. holds(x) says whether it holds at the instance x, True or False. instances is a list, small instances first; draw(seed) makes a random instance of a whole number; one of them is needed. simpler(x) lists instances simpler than x, simplest first: a counterexample is replaced by one of them while the statement fails there too. Compare ends of evidence that decide: e.lo > bound refutes, e.hi <= bound holds.

    Example::

        def holds(x):
            b = xor_allocation(x[0], 1, 1, x[1], 1)
            return b.smallest_epsilon().lo <= b.claimed_epsilon().value
        c = conjecture("Algorithm 1 keeps its budget", holds, instances=[(n, a) for n in [1, 2, 3] for a in [1, 0.75, 0.5, 0.25]])
        print(c.check())
    """


@word
def audit(table_or_samples, neighbors, eps, delta=0, confidence=0.999, seed=0, bins=None, events=None, rounding=1e-9):
    """Judges an implementation that claims (eps, delta)-differential privacy, eps in nats, from what it outputs at some datasets. neighbors is a list of pairs of datasets, or "all". table_or_samples is one of
- a table: dict dataset -> dict output -> probability, a number or a fraction like "1/3"; outputs not listed have probability 0;
- samples: dict dataset -> list of outputs drawn independently, or dict dataset -> dict output -> count (whole numbers, one of them above 1);
- rows (dataset, output, probability), (dataset, output, count) or (dataset, output);
- a path to a .csv file of such rows under a header of these names, or to a .json file of such dicts, unpacked where it ends in .gz. It is looked for as by read_csv.
Names are strings, numbers or tuples; 3, 3.0 and "3" are one name.
A table is judged exactly: the smallest ε at delta over the pairs, both directions, and every event, exact where the probabilities are. Numbers of more than 12 digits, other than strings, are taken as rounded, and so is a table whose sums are not 1: then the answer is an enclosure over all laws within a relative error of rounding, and a table off by more is refused. The verdict is "confirmed" or "refuted" for the pairs given, "undecided" where rounding decides.
Samples give a lower bound on ε: events are chosen on one half of the draws (likelihood-ratio sets, single outputs, half lines) and bounded on the other half after Clopper and Pearson (1934). All bounds hold together with the confidence, so that a true claim is refuted with probability at most 1 - confidence; samples never confirm. seed splits the draws. bins groups numbers into so many bins set on the choosing half, or between a list of edges. events is a list of outputs, or of lists of outputs, fixed before the draws were seen: these are tested on all draws, without a split.

    Example::

        r = audit({"x": {"yes": "3/4", "no": "1/4"}, "y": {"yes": "1/4", "no": "3/4"}}, [("x", "y")], 1)
        print(r.verdict, r.epsilon, r.witness["script"])
        print(audit({0: {"yes": 7500, "no": 2500}, 1: {"yes": 2500, "no": 7500}}, "all", 1, events=["yes"]))
    """


@word
def audit_draws(p, q, eps, delta=0, power=0.9, confidence=0.999, tests=None):
    """How many samples of each of two datasets audit needs to refute (eps, delta) with probability power, when an event that its search finds has probability p at one and q at the other: (p - delta)/q > e^eps. It counts with a split of the draws, half of which test the event. tests is the number of tests fixed beforehand instead, events times pairs times two, on all draws.

    Example::

        p = 1/(1 + math.exp(-1.2))   # randomised response at 1.2 that claims 1
        print(audit_draws(p, 1 - p, 1), audit_draws(p, 1 - p, 1, tests=4))
    """


@word
def mean_interval(values, confidence=0.95, within=None):
    """The mean of a law from independent draws of it, with an interval of the confidence: Student's t, which is exact for normal draws and near for many of another law; or with within, the two ends of a law's range, an interval that needs no premise but that (Maurer and Pontil 2009). Estimated. Of the differences of paired draws it says which of two mechanisms does better.

    Example::

        print(mean_interval([1, 2, 4, 3, 2]))
        print(mean_interval([0, 1, 1, 0] * 100, confidence=0.99, within=[0, 1]))
    """


@word
def table(rows, header=[], title="", digits=6):
    """A table of the given rows (a list of lists, or a matrix). Floats show so many significant digits, evidence no more than its bounds support; None is an empty cell. It is a value: print it, or save it as .csv, .json, .tex, .md, .html or .txt.

    Example::

        print(table([["purest", ln(3)], ["ladder", 2]], header=["mechanism", "eps"], title="Claims"))
    """


@word
def line_plot(series, *, x=None, title="", xlabel="", ylabel="", log=False, points=False, equal=False, xlim=None, ylim=None, size=None):
    """Curves. series is a list of numbers, a list of such lists, or a dict from names to lists; a tuple (xs, ys) in place of a list has its own x. x, which is always named, defaults to 0, 1, 2, …: line_plot([4, 5, 9], x=[1, 2, 3]). Evidence counts by its value, and estimates are drawn with their confidence band; None and nan leave a gap. log is "x", "y" or "xy" (True means "y"); 0 leaves a gap there, and a band that reaches it goes to the foot. xlim and ylim are where the axes begin and end, pairs (lo, hi): what lies beyond is cut off. points names the series that are drawn as points without a line; True means all. equal=True makes a unit as long on either axis, so that circles are round in pictures (characters are only nearly square). Give units in the labels: xlabel="eps (nats)". size is that of the page in inches, a pair (width, height) from 1.5 to 100, as for a column of a paper: letters stay as large. In titles, labels and names ^ raises and _ lowers what stands in braces, as in 10^{-3} and σ_{max}; e^-x, ε_0 and P_max need none, names of more than a letter before _ stay as they are.

    Example::

        line_plot({"e^-x": [math.exp(-x) for x in range(10)]}, title="Decay", log=True)
    """


@word
def heatmap(rows, x=None, y=None, title="", xlabel="", ylabel="", center=None, label="", size=None):
    """A matrix as colours: one row per y, one column per x. x and y are the centres of the columns and rows, ascending or descending, 0, 1, 2, … where left out. center takes the neutral colour of a diverging scale (1 for ratios, whose scale is then logarithmic). label says what the colours mean. None and nan are no value. size is that of the page in inches, a pair (width, height) from 1.5 to 100, as for a column of a paper: letters stay as large. In titles, labels and names ^ raises and _ lowers what stands in braces, as in 10^{-3} and σ_{max}; e^-x, ε_0 and P_max need none, names of more than a letter before _ stay as they are.

    Example::

        heatmap([[0.5, 1], [1, 2]], x=[0.1, 0.2], y=[1, 2], center=1, xlabel="eps (nats)", label="ratio")
    """


@word
def heatmaps(panels, x=None, y=None, title="", xlabel="", ylabel="", center=None, label="", columns=2, size=None):
    """Several matrices as colours on one scale: panels is a dict from titles to matrices, drawn row by row. The other parameters are those of heatmap, for all of them.

    Example::

        heatmaps({"a": [[0.5, 1], [1, 2]], "b": [[1, 4], [2, 1]]}, center=1, label="ratio")
    """


@word
def certify(x, path, eps=None, delta=0):
    """Writes a certificate of a number, or of a claim's refutation, into a file that ends in .json or .json.gz, whole or not at all: what the number says, in full, and what proves it. x may also be a universe of graphs on at most 6 nodes (which there are, how symmetric, and which are neighbors), a layered mechanism (the layer of every value), one that m.migrate made (the layers before and after), what compare returns (which is better at each dataset) or what p.private of a program returned (for which ε its laws are private). python3 certificate/check.py FILE accepts or rejects it without the workbench; docs/certificates.md tells what a file means. Where the path ends in .v it is a theorem for Coq about a finite mechanism with rational probabilities: its smallest ε, its δ or distortion, or an exact optimum; and of a mechanism, with eps and delta, that it is (eps, delta)-differentially private or that it is not, whichever is true, eps being the logarithm of a rational. Errors: a number that is claimed or estimated, one whose method has no certificate.

    Example::

        m = purest(graphs(4).count("triangle"), ln(2))
        certify(m.smallest_epsilon, "epsilon.json")
        print(read_json("epsilon.json")["statement"]["is"])
        certify(m, "claim.v", eps=ln(2))
    """


@word
def read_csv(path, skip=0, delimiter=",", header=False):
    """The rows of a file of comma-separated values, a list of lists. Whole numbers become ints, other numbers, inf and nan floats, an empty cell None, anything else a string. skip leaves out so many rows at the top, such as a header; header=True reads the first row below them as strings whatever they look like: say so of a header such as 2019,2020. A first row all in quotes above one that is not is a header by itself. matrix(…) of the rows takes a first row of strings as the names of its columns. Every row must have as many cells as the first. A relative path is tried from the working folder, then from the script's, then from the data folders (--data, WORKBENCH_DATA). A file ending in .gz is unpacked.

    Example::

        table([[1, 2.5], [2, "a"]], header=["n", "x"]).save("demo.csv")
        print(read_csv("demo.csv", skip=1))
    """


@word
def read_json(path):
    """The value that a file of JSON holds: objects become dicts, arrays lists. A relative path is tried from the working folder, then from the script's, then from the data folders (--data, WORKBENCH_DATA). A file ending in .gz is unpacked.

    Example::

        write({"eps": [0.1, 1]}, "demo.json")
        print(read_json("demo.json")["eps"])
    """


@word
def write(x, path, indent=0):
    """Writes any value to a file that ends in .json, whole or not at all, as json.encode writes it: floats to their last bit, evidence as objects with kind, value, lo, hi and source, tables and pictures as the numbers in them, infinite floats as "inf" and "-inf", nan as "nan". What has no JSON of its own, such as a mechanism or a function, is described by an object {"type", "call", "text"}, call being the expression that makes it again. indent lays the text out with an element a line. read_json reads it.

    Example::

        write({"eps": ln(3), "m": purest(graphs(2).count("edge"), 1)}, "demo.json")
        print(read_json("demo.json")["m"]["call"])
    """


@word
def read_edges(path):
    """The edges of a graph, a list of pairs of node numbers, from a file with two whole numbers ≥ 0 a line, parted by blanks, a tab or a comma. Lines that start with # or % are comments. Loops and repeated edges are kept as they stand. A relative path is tried from the working folder, then from the script's, then from the data folders (--data, WORKBENCH_DATA). A file ending in .gz is unpacked.

    Example::

        table([[0, 1], [1, 2]]).save("path.csv")
        print(read_edges("path.csv"))
    """


@word
def read_svmlight(path, features=None, first=0, count=None, required=True):
    """Labelled rows from a file in the sparse format of SVMlight and LIBSVM: a label, a whole number, then index:value with rising indices from 1; # begins a comment. A dict with "x", a matrix with zeros for what is not named, and "y", a list of ints. Rows are as long as features says, or as the largest index read. first and count choose rows. Where there is no such file, an error, or None with required=False. A relative path is tried from the working folder, then from the script's, then from the data folders (--data, WORKBENCH_DATA). A file ending in .gz is unpacked.

    Example::

        d = read_svmlight("webspam_wc_normalized_unigram.svm", features=254, count=2, required=False)
        print("absent" if d == None else d["y"])
    """


@word
def dataset(name, required=True):
    """A public data set by name, from the data folders (--data, WORKBENCH_DATA, the cache): the rows of a table without its header, the pairs of an edge list, or the words of every line of a text file. Where the file is absent, an error that names its source, or None with required=False. datasets() lists the names.

    Example::

        rows = dataset("karate", required=False)
        print("absent" if rows == None else len(rows))
    """


@word
def datasets():
    """A table of the data sets that dataset(name) knows: what each is, its source and licence, and whether its file is present.

    Example::

        print(datasets())
    """


@word
def apropos(text, all=False):
    """Searches the manual and the glossary for words, and prints what has all of them: names first, then what says them in its first sentence, then in its text. ε and epsilon are one word, and so are δ and delta. all=True lists everything that is found.

    Example::

        apropos("smallest epsilon")
    """


@word
def show(x):
    """Prints a value as the prompt does: strings in quotes, pictures drawn in colour where the terminal has it, and as they are in a notebook. None prints nothing.

    Example::

        show(ln(3))
    """
