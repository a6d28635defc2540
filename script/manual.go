package script

import "strings"

// languageManual documents what Starlark itself brings: name, parameters
// ("-" for what is not called), meaning, example. A dot parts type and method.
const languageManual = `
all|items|True if every element is true.|all([1, 2])
any|items|True if some element is true.|any([0, 2])
bool|x=False|The truth of a value: False for None, 0, "" and empty containers.|bool([])
bytes|x|Bytes of a string, or from a list of numbers below 256.|bytes("abc")
chr|i|The character of a Unicode number.|chr(949)
dict|pairs=[], **entries|A dict from pairs and keywords.|dict([("a", 1)], b=2)
dir|x|The names of a value's attributes.|dir("")
enumerate|items, start=0|Pairs of index and element.|enumerate(["a", "b"])
fail|*args, sep=" "|Ends the script with an error.|fail("no data")
getattr|x, name, default=None|The named attribute of a value.|getattr(ln(3), "value")
hasattr|x, name|True if the value has the named attribute.|hasattr(ln(3), "value")
hash|x|A whole number that depends on a string alone.|hash("a")
len|x|Number of elements.|len([1, 2])
list|items=[]|A list of the elements.|list(range(3))
ord|s|The Unicode number of a character.|ord("a")
print|*args, sep=" "|Prints the values and a new line. A notebook shows a table or a picture that is printed alone as it is.|print(1, "a")
range|start_or_stop, stop=None, step=1|Whole numbers from start up to, not including, stop.|range(2, 10, 3)
repr|x|The value as it is written in a script.|repr("a")
reversed|items|The elements in reverse, a list.|reversed([1, 2])
set|items=[]|A set of the elements.|set([1, 1, 2])
sorted|items, reverse=False, key=None|The elements in order, a list.|sorted([3, 1, 2], key=lambda x: -x)
str|x|The value as print shows it.|str(ln(3))
tuple|items=()|A tuple of the elements.|tuple([1, 2])
type|x|The name of a value's type, a string.|type(ln(3))
zip|*lists|Tuples of the elements at equal positions.|zip([1, 2], [3, 4])
True|-|The true truth value.|not True
False|-|The false truth value.|not False
None|-|No value.|None == None
math|-|Functions and constants of mathematics: math.exp, math.sqrt, math.log, math.pi, …; they accept evidence.|math.sqrt(2)
math.e|-|The base of natural logarithms, a float.|math.e
math.pi|-|Circumference over diameter, a float.|math.pi
json|-|Reading and writing JSON: json.encode, json.decode, json.indent.|json.encode([1])
args|-|The values given with --set name=value on the command line, a dict from names to values.|args.get("quick", 0)
bytes.elems|self|The bytes as numbers.|list(b"ab".elems())
dict.clear|self|Removes every entry.|{1: 2}.clear()
dict.get|self, key, default=None|The value of a key, or the default.|{1: 2}.get(3, 0)
dict.items|self|The (key, value) pairs, in order of insertion.|{1: 2}.items()
dict.keys|self|The keys, in order of insertion.|{1: 2}.keys()
dict.pop|self, key, default=None|Removes a key and returns its value.|{1: 2}.pop(1)
dict.popitem|self|Removes and returns the first (key, value) pair.|{1: 2}.popitem()
dict.setdefault|self, key, default=None|The value of a key, which is set to the default where it is absent.|{}.setdefault(1, 2)
dict.update|self, pairs=[], **entries|Adds entries.|{}.update([(1, 2)])
dict.values|self|The values, in order of insertion.|{1: 2}.values()
list.append|self, x|Adds an element at the end.|[1].append(2)
list.clear|self|Removes every element.|[1].clear()
list.extend|self, items|Adds elements at the end.|[1].extend([2, 3])
list.index|self, x, start=0, end=None|The position of the first element equal to x.|[1, 2].index(2)
list.insert|self, i, x|Puts an element before position i.|[1].insert(0, 2)
list.pop|self, i=-1|Removes and returns the element at position i.|[1, 2].pop()
list.remove|self, x|Removes the first element equal to x.|[1, 2].remove(1)
set.add|self, x|Adds an element.|set([1]).add(2)
set.clear|self|Removes every element.|set([1]).clear()
set.difference|self, *others|The elements in none of the others.|set([1, 2]).difference([1])
set.difference_update|self, *others|Removes the elements of the others.|set([1, 2]).difference_update([1])
set.discard|self, x|Removes an element if it is there.|set([1]).discard(2)
set.intersection|self, *others|The elements in all of them.|set([1, 2]).intersection([1])
set.intersection_update|self, *others|Keeps the elements in all of them.|set([1, 2]).intersection_update([1])
set.isdisjoint|self, other|True if the other shares no element.|set([1]).isdisjoint([2])
set.issubset|self, other|True if the other holds every element.|set([1]).issubset([1, 2])
set.issuperset|self, other|True if it holds every element of the other.|set([1, 2]).issuperset([1])
set.pop|self|Removes and returns the first element.|set([1]).pop()
set.remove|self, x|Removes an element, which must be there.|set([1]).remove(1)
set.symmetric_difference|self, other|The elements in exactly one of the two.|set([1]).symmetric_difference([2])
set.symmetric_difference_update|self, other|Keeps the elements in exactly one of the two.|set([1]).symmetric_difference_update([2])
set.union|self, *others|The elements of all of them.|set([1]).union([2])
set.update|self, *others|Adds the elements of the others.|set([1]).update([2])
string.capitalize|self|The first letter large, the rest small.|"ab".capitalize()
string.codepoint_ords|self|The characters as Unicode numbers.|list("ab".codepoint_ords())
string.codepoints|self|The characters, one by one.|list("ab".codepoints())
string.count|self, sub, start=0, end=None|Number of occurrences.|"aba".count("a")
string.elem_ords|self|The bytes as numbers.|list("ab".elem_ords())
string.elems|self|The bytes as strings.|list("ab".elems())
string.endswith|self, suffix, start=0, end=None|True if the string ends so; the suffix may be a tuple.|"ab".endswith("b")
string.find|self, sub, start=0, end=None|The first position of a part, -1 where it is absent.|"ab".find("b")
string.format|self, *args, **kwargs|Fills in {} and {name}. Digits are asked for with fmt.|"{} of {n}".format(1, n=2)
string.index|self, sub, start=0, end=None|The first position of a part, which must be there.|"ab".index("b")
string.isalnum|self|True if all are letters or digits.|"a1".isalnum()
string.isalpha|self|True if all are letters.|"ab".isalpha()
string.isdigit|self|True if all are digits.|"12".isdigit()
string.islower|self|True if no letter is large.|"ab".islower()
string.isspace|self|True if all are blanks.|" ".isspace()
string.istitle|self|True if each word starts large.|"Ab".istitle()
string.isupper|self|True if no letter is small.|"AB".isupper()
string.join|self, strings|The strings with this one between them.|", ".join(["a", "b"])
string.lower|self|All letters small.|"AB".lower()
string.lstrip|self, chars=None|Without blanks (or the characters) at the start.|" a".lstrip()
string.partition|self, sep|What is before, the separator, what is after.|"a=b".partition("=")
string.removeprefix|self, prefix|Without the prefix, if it is there.|"ab".removeprefix("a")
string.removesuffix|self, suffix|Without the suffix, if it is there.|"ab".removesuffix("b")
string.replace|self, old, new, count=-1|With occurrences of old replaced.|"aba".replace("a", "c")
string.rfind|self, sub, start=0, end=None|The last position of a part, -1 where it is absent.|"aba".rfind("a")
string.rindex|self, sub, start=0, end=None|The last position of a part, which must be there.|"aba".rindex("a")
string.rpartition|self, sep|As partition, at the last separator.|"a=b=c".rpartition("=")
string.rsplit|self, sep=None, maxsplit=-1|As split, from the end.|"a b c".rsplit(" ", 1)
string.rstrip|self, chars=None|Without blanks (or the characters) at the end.|"a ".rstrip()
string.split|self, sep=None, maxsplit=-1|The parts between separators (blanks by default).|"a b".split()
string.splitlines|self, keepends=False|The lines.|"a\nb".splitlines()
string.startswith|self, prefix, start=0, end=None|True if the string starts so; the prefix may be a tuple.|"ab".startswith("a")
string.strip|self, chars=None|Without blanks (or the characters) at both ends.|" a ".strip()
string.title|self|Each word starts large.|"ab cd".title()
string.upper|self|All letters large.|"ab".upper()
`

// languageDocs returns the entries of languageManual by name.
func languageDocs() map[string]*Doc {
	docs := make(map[string]*Doc)
	for line := range strings.Lines(strings.TrimSpace(languageManual)) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 4)
		d := &Doc{Name: f[0], Help: f[2], Example: f[3], text: f[0]}
		if f[1] != "-" {
			d.text += "(" + strings.TrimPrefix(strings.TrimPrefix(f[1], "self"), ", ") + ")"
		}
		docs[d.Name] = d
	}
	return docs
}
