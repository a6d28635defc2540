"""Checks the form of a Coq file, as docs/certificates.md defines it: data, one theorem, its proof, and nothing else.

Blanks and comments aside, every sentence of a file must match one of the patterns below. So a file cannot add a
notation, an import, an option, a command or a definition other than of data, and the words of its theorem mean what
coq/Mechanism.v says.
"""

import re
import unicodedata
from fractions import Fraction
from math import gcd

from written import need, short

MAX_PLACES = 1 << 14  # datasets times values, and ordered pairs of neighbors

M, C, L = r"Workbench\.Mechanism\.", r"Workbench\.Checks\.", r"Workbench\.Layers\."
NAT = r"(?:0|[1-9][0-9]{0,5})"
WHOLE = r"(?:0|-?[1-9][0-9]*)"
RATIONAL = r"(?:0|[1-9][0-9]*|\(-[1-9][0-9]*\)|\(-?[1-9][0-9]* # [1-9][0-9]*\))"


def listed(entry):
    return rf"\[ ?(?:{entry}(?:; {entry})*)?\]"


def defined(name, kind, text):
    return rf"Definition (?P<name>{name}) : {kind} := {text}"


ROW = rf"{M}row [1-9][0-9]* {listed(WHOLE)}"
PAIRS = rf"{listed(rf'[(]{NAT}, {NAT}[)]')}%nat"
LEVELS = rf"(?:{L}all_reached {listed(listed(NAT))}|{listed(listed(f'(?:None|Some {NAT})'))})%nat"
HEAD = [
    "From Coq Require Import List QArith",
    "From Workbench Require Mechanism Checks Layers",
    "Import ListNotations",
    "Open Scope Q_scope",
]
NUMERIC = defined("q", f"{M}query", rf"{M}numeric ({listed(RATIONAL)}) ({listed(RATIONAL)}) ({PAIRS})")
NAMED = defined("q", f"{M}query", rf"{M}named ({listed(NAT)})%nat ({listed(listed(RATIONAL))}) ({PAIRS})")
TABLE = defined("m", f"{M}mechanism", rf"{M}table ({listed(ROW)})%Z")
DATA = [  # the definitions in their order, each at most once
    defined("levels_of_m", f"{L}levels", LEVELS),
    defined("initial", r"list \(nat \* nat \* nat\)", rf"{listed(rf'[(]{NAT}, {NAT}, {NAT}[)]')}%nat"),
    defined("widths", r"list \(list Q\)", listed(listed(RATIONAL))),
    defined("prices", f"list {C}price", rf"{listed(rf'{C}Price {NAT} {NAT} [(]{ROW}[)]')}%Z"),
    defined("prior|weights", "nat -> Q", rf"{M}listed \({ROW}\)%Z"),
]
NAMES = "levels_of_m|initial|widths|prices|prior|weights"
PRIOR = rf"(?:prior|\({M}uniform q\))"
RULE = rf"{M}(?:purest q {RATIONAL}|ladder q {RATIONAL}|layered q {RATIONAL} initial) m"
CLAIMS = [
    rf"{M}least_w q {RATIONAL} m",
    rf"forall w, ~ {M}dp q w m",
    rf"{M}least_delta q {RATIONAL} {RATIONAL} m",
    rf"(?:~ )?{M}dp q {RATIONAL} m",
    rf"(?:~ )?{M}dp_delta q {RATIONAL} {RATIONAL} m",
    rf"{M}distortion q m (?P<at>{NAT}) == {RATIONAL}",
    rf"{M}mean q {PRIOR} m == {RATIONAL}",
]
PRIVATE = rf"\({M}(?:dp q {RATIONAL}|dp_delta q {RATIONAL} {RATIONAL})\)"
OPTIMUM = rf"{M}optimum q {PRIVATE} \({M}(?:mean q {PRIOR}|worst q)\) {RATIONAL}"
THEOREM = rf"Theorem statement : ({M}law q m /\\ (?:{RULE} /\\ )?(?:{'|'.join(CLAIMS)})|{OPTIMUM})"
GIVEN = [
    rf"(?:x|y|r|last) := {NAT}%nat",
    rf"S := {listed(NAT)}%nat",
    "l := levels_of_m|m := m|widths := widths|weights := weights|prices := prices",
]
CHECKED = rf"apply Workbench\.(?:Checks|Layers)\.[a-z_]+(?: with(?: \((?:{'|'.join(GIVEN)})\))+)?; vm_compute; reflexivity"


def bare(text):
    """Returns the text with one blank for every comment and every run of blanks. Comments nest."""
    need('"' not in text, "it has a string")
    for c in set(text) - set("\n\t"):
        need(unicodedata.category(c) not in ("Cc", "Cf"), f"it has the character {short(c)}, which a screen does not show")
    out, depth, end = [], 0, 0
    for mark in re.finditer(r"\(\*|\*\)", text):
        if depth == 0:
            out.append(text[end : mark.start()])
        depth += 1 if mark[0] == "(*" else -1
        need(depth >= 0, "a comment ends that did not begin")
        end = mark.end()
    need(depth == 0, "a comment does not end")
    out.append(text[end:])
    return re.sub(r"[ \n\t]+", " ", " ".join(out)).strip(" ")


def numbers(text):
    """Returns the rational numbers in the text of a list."""
    return [Fraction(n.strip("()").replace(" # ", "/")) for n in re.findall(RATIONAL, text)]


def matrix(text):
    return [numbers(row) for row in re.findall(r"\[([^\[\]]*)\]", text)]


def query(match):
    """Returns the numbers of datasets and places of a query.

    Checks that it is one: every answer has a place, distances are symmetric, neighbors are listed once.
    """
    answers, places, pairs = match.groups()[1:]
    if match.re.pattern == NUMERIC:
        answers, places = numbers(answers), numbers(places)
        need(len(set(places)) == len(places) and set(answers) <= set(places), "the range of q lacks a value, or has one twice")
    else:
        answers, places = numbers(answers), matrix(places)
        need(all(a < len(places) for a in answers), "an answer of q has no place")
        for i, row in enumerate(places):
            need(len(row) == len(places), "the distances of q are no square matrix")
            good = all(d == places[j][i] and d >= 0 for j, d in enumerate(row)) and row[i] == 0
            need(good, "the distances of q are negative, not symmetric, or not 0 on the diagonal")
    pairs = [(int(x), int(y)) for x, y in re.findall(r"\((\d+), (\d+)\)", pairs)]
    need(all(x < y < len(answers) for x, y in pairs) and len(set(pairs)) == len(pairs), "neighbors of q are no datasets, or come twice")
    need(max(len(answers) * len(places), 2 * len(pairs)) <= MAX_PLACES, f"more than {MAX_PLACES} probabilities or pairs of neighbors")
    return len(answers), len(places)


def theorem(text):
    """Returns what a file states, and its sentences up to the end of the proof."""
    sentences = re.split(r"\.(?: |$)", bare(text))
    need(sentences.pop() == "", "the last sentence does not end")
    at = 0

    def take(pattern, optional=False):
        nonlocal at
        match = re.fullmatch(pattern, sentences[at]) if at < len(sentences) else None
        need(match or optional, f"not what certify writes there: {short(sentences[at] if at < len(sentences) else 'the end')}")
        at += bool(match)
        return match

    for sentence in HEAD:
        take(re.escape(sentence))
    size, places = query(take(NUMERIC, optional=True) or take(NAMED))
    rows = re.findall(r"\[([^\[\]]*)\]", take(TABLE)[2])
    need(len(rows) == size and all(row.count(";") + 1 == places for row in rows), "m has not one number for each dataset and place")
    given = {match["name"] for match in [take(pattern, optional=True) for pattern in DATA] if match}
    stated = take(THEOREM)
    for over, under in re.findall(r"\((-?[0-9]+) # ([0-9]+)\)", stated[1]):
        need(int(under) > 1 and gcd(int(over), int(under)) == 1, f"({over} # {under}) is not in lowest terms")
    need(int(stated["at"] or 0) < size, f"there is no dataset {stated['at']}")
    take("Proof")
    for _ in range(stated[1].count("/\\")):
        take(rf"split; \[{CHECKED}\|\]")
    take(CHECKED)
    used = set(re.findall(rf"\b(?:{NAMES})\b", " ".join(sentences[sentences.index(stated[0]) : at])))
    need(given == used, f"defined without a use, or used without a definition: {', '.join(sorted(given ^ used))}")
    take("Qed")
    proof = sentences[:at]
    take("Print Assumptions statement")
    need(at == len(sentences), f"more than certify writes: {short(sentences[-1])}")
    return f"{stated[1]}, of {size} datasets and {places} values", proof
