import difflib
import fnmatch
import pprint
import shlex
import string
import textwrap

text = "The quick brown fox jumps over the lazy dog and then goes on to do other things in the field."
print(textwrap.fill(text, width=40))
print(textwrap.wrap(text, 30)[:2], textwrap.shorten(text, 30))
print(textwrap.dedent("""\
    a
      b
    c"""))
print(textwrap.indent("a\nb\n", "> "))
print(string.ascii_lowercase, string.digits, string.punctuation)
print(string.Template("$who likes ${what}").substitute(who="tim", what="kung pao"))
print(string.capwords("hello world"), string.Formatter().format("{0:>5}|{name!r}", 3, name="x"))
pprint.pprint({"a": list(range(30)), "b": {"c": ("x" * 30, "y" * 30, "z" * 30)}})
pprint.pprint([1, 2, 3])
print(pprint.pformat({"b": 1, "a": 2}, width=5))
print(shlex.split("python train.py --name 'two words' --n=3"))
print(shlex.quote("it's"))
print(fnmatch.filter(["a.py", "b.txt", "c.py"], "*.py"), fnmatch.fnmatch("x1", "x[0-9]"))
print(list(difflib.unified_diff(["a\n", "b\n"], ["a\n", "c\n"], "old", "new")))
print(difflib.get_close_matches("appel", ["ape", "apple", "peach"]))
print(round(difflib.SequenceMatcher(None, "abcd", "bcde").ratio(), 3))
