"""Which statement a line of a refutation asks for by a call.

A fact goes with a call only where its statement is about the noise that the call makes, with its parameters. A float64
that the workbench took for a decimal may stand in its place; what it computed in float64 is near what is meant.
"""

from fractions import Fraction

from real import Interval, decide
from written import need, number, parameter, short

NEAR = Fraction(1, 1 << 40)  # of Θ and Λ, relative
NEEDED = object()


def fits(call, statement):
    """Needs that a statement is what the call asks for; call has spelling, of, owner, name, args and named."""
    method, maker = (call.of, call.of.owner) if call.of is not None else (call, call.owner)
    form = FORMS.get(method.name if maker is None else f"{maker.of.name if maker.of else ''}.{method.name}")
    need(form and (call.of is None) == (method.name == "public_epsilon"), f"no statement is known to say what {short(call.spelling)} is")
    reason = form(call, maker, statement)
    need(not reason, f"the fact of {short(call.spelling)} is about something else: {reason}")


def arguments(call, words, **rest):
    """The arguments of a call in the order of their names; those in rest may be absent."""
    names = words.split() + list(rest)
    need(len(call.args) <= len(names), f"{short(call.spelling)} has too many arguments")
    given = dict(zip(names, call.args))
    for name, value in call.named.items():
        need(name in names and name not in given, f"{short(call.spelling)} has an unknown argument or one twice")
        given[name] = value
    result = [given.get(name, rest.get(name, NEEDED)) for name in names]
    need(not any(v is NEEDED for v in result), f"{short(call.spelling)} lacks an argument")
    return result


def exact(x):
    """A number that the line writes, None where it is not rational."""
    if type(x) in (int, Fraction):
        return Fraction(x)
    return getattr(x, "exact", None)


def same(x, stated):
    """Whether a rational number is the one that a line means, or the float64 nearest to it."""
    q = exact(x)
    return q is not None and (stated == q or abs(q) < 1 << 1000 and stated == Fraction(float(q)))


def same_epsilon(x, value):
    stated = parameter(value, "eps")
    if hasattr(x, "parameter"):
        return (stated.base, stated.times) == (x.parameter.base, x.parameter.times)
    return stated.base is None and same(x, stated.times)


def same_vector(x, values):
    if x is None or values is None:
        return x is values is None
    return isinstance(x, list) and len(x) == len(values) and all(same(v, number(w, "an entry")) for v, w in zip(x, values))


def gaussian_sigma(call, maker, statement):
    eps, delta, sensitivity = arguments(call, "eps delta", s2=1)
    if statement["kind"] != "gaussian sigma":
        return "its kind"
    if not same_epsilon(eps, statement["eps"]):
        return "eps"
    if not same(delta, number(statement["delta"], "delta")):
        return "delta"
    return "" if same(sensitivity, number(statement["sensitivity"], "sensitivity")) else "sensitivity"


def near(stated, bits_of):
    """Whether a number is next to a real one, an enclosure of which bits_of gives."""
    def beyond(bits):
        meant = bits_of(bits)
        apart = Interval.of(stated, bits) - meant
        return apart * apart - meant * meant * Interval.of(NEAR**2, bits)

    return decide(beyond) <= 0


def allocated(maker, law):
    """Whether a law is that of Algorithm 1: αε/(s√p) on Θ's diagonal, the rest of ε shared by all pairs of objects."""
    n, p, eps, alpha, sensitivity = arguments(maker, "n p eps alpha sensitivity")
    if law["objects"] != exact(n) or law["features"] != exact(p) or type(law["theta"]) is not str:
        return False
    s, alpha = exact(sensitivity), exact(alpha)
    if s is None or alpha is None or s <= 0 or exact(p) is None or exact(n) is None or not (exact(eps) or hasattr(eps, "parameter")):
        return False
    pairs = exact(n) * (exact(n) - 1) / 2
    shares = [alpha, (1 - alpha) / pairs if pairs else Fraction(0)]
    for share, text in zip(shares, (law["theta"], law["lambda"])):
        stated = number(text, "a parameter")
        if not share:
            if stated:
                return False
            continue

        def square(bits, share=share):  # e²share²/(s²p)
            e = Interval.of(exact(eps), bits) if exact(eps) is not None else eps.at(bits)
            return e * e * Interval.of(share**2 / (s**2 * exact(p)), bits)

        if stated <= 0 or not near(stated**2, square):
            return False
    return True


def error_rate(call, maker, statement):
    ones, complement = arguments(call, "", ones=None, complement=False)
    if statement["kind"] != "bits flips" or type(complement) is not bool:
        return "its kind"
    if not allocated(maker, statement["law"]):
        return "the law"
    if statement["count"] != ("zeros" if complement else "ones"):
        return "what is counted"
    per = exact(ones) if ones is not None else statement["law"]["objects"] * statement["law"]["features"]
    return "" if number(statement["per"], "per") == per else "per"


def bits_epsilon(call, maker, statement):
    (most,) = arguments(call, "", sensitivity=1)
    if statement["kind"] != "bits epsilon":
        return "its kind"
    if not allocated(maker, statement["law"]):
        return "the law"
    return "" if type(most) is int and statement["neighbors"] == {"bits": most} else "neighbors"


def signs(individual):
    def judge(call, maker, statement):
        if individual:
            w, eps, noise, delta, beta = arguments(maker, "w eps", noise="rr", delta=None, beta=1)
            rule = "within"
        else:
            w, eps, noise, delta, beta, smoothing = arguments(maker, "w eps", noise="rr", delta=None, beta=1, smoothing=False)
            rule = "levels" if smoothing is True else "flips"
        if statement["kind"] != "signs epsilon" or noise != "rr" or delta is not None or statement["rule"] != rule:
            return "its kind or the noise"
        public = call.of is None
        u, v = (None, None) if public else arguments(call, "u", v=None)
        if getattr(getattr(w, "of", None), "name", None) != "projection":
            return "the projection"
        p, k, kind, _ = arguments(w, "p k", kind="rademacher", seed=0)
        drawn = statement["projection"].get("signs")
        if kind != "rademacher" or drawn is None or len(drawn) != p or any(len(row) != k or "0" in row for row in drawn):
            return "the projection"
        if call.line.drawn.setdefault(w.spelling, drawn) != drawn:  # which signs were drawn, statements say
            return "the projection, which another fact has otherwise"
        if not same(beta, number(statement["beta"], "beta")) or not same_epsilon(eps, statement["eps"]):
            return "eps or beta"
        if statement.get("shared") != (None if individual else k):
            return "shared"
        return "" if same_vector(u, statement.get("u")) and same_vector(v, statement.get("v")) else "the data"

    return judge


FORMS = {
    "gaussian_sigma": gaussian_sigma,
    "xor_allocation.error_rate": error_rate,
    "xor_allocation.smallest_epsilon": bits_epsilon,
    "idp_signrp.smallest_epsilon": signs(True),
    "dp_signrp.smallest_epsilon": signs(False),
    "dp_signrp.public_epsilon": signs(False),
}
