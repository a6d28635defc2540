"""What is true of the manual's examples, by routes that share no code with the workbench.

Laws are written down from the definitions, and every output of every two neighbors is
visited, in fractions or to 60 digits (mpmath). The files of truths/ say it, a room each,
with the functions that truths/tools.py begins with; a new file is found by itself.

    python3 truths.py > truths.txt

A line is an example's name, which of its numbers is meant, and what is true. The numbers
with evidence are counted apart from all others, from 0:

    3      the number with evidence: an exact one is this, the ends of another enclose it
    3^     this is the number's upper end, its lower end lies below what is true
    3?     its ends enclose this, however wide they are; of an exact one that a search found, its value is near
    3~     its ends lie within 1e-12 of this: it is said of parameters that are rounded
    ~3     the number 3 among all that are printed, those of evidence too
    ~3?    the same to 1e-9: what a difference or a search leaves of it
    ~3%    the same to the digits that are shown
    *      all numbers without evidence, in their order, to float64
    %      the same, to the digits that are shown
    of     all numbers without evidence are among these
    =      the whole text, as JSON
    -      why what is left of it has no truth

Instead of a number without evidence, a..b says that it lies between a and b.
"""
import pathlib
import sys

rooms = pathlib.Path(__file__).parent / "truths"
sys.dont_write_bytecode = True
sys.path.insert(0, str(rooms))
for room in sorted(rooms.glob("*.py")):
    __import__(room.stem)
