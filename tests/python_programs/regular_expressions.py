import re

print(re.findall(r"\w+", "it's a test, isn't it?"))
print(re.split(r"[,;]\s*", "a, b;c ,d"))
print(re.sub(r"(\d+)", lambda m: str(int(m[1]) * 2), "1 and 22 and 333"))
m = re.match(r"(?P<year>\d{4})-(?P<month>\d\d)", "2024-05-17")
print(m.group(0), m["year"], m.groupdict(), m.span("month"), m.lastgroup)
print(m)
pattern = re.compile(r"^\s*(\w+)\s*=\s*(.*?)\s*$", re.MULTILINE)
print(pattern.findall("a = 1\n b=two words \n"))
print(pattern.pattern, pattern.groups, pattern.flags == re.MULTILINE | re.UNICODE)
print(re.compile("a|b").fullmatch("ab"), re.search("b", "abc").start())
print(re.escape("a.b*c"), re.I, re.IGNORECASE == re.I)
print([w.group() for w in re.finditer(r"(?i)the\b", "The other the")])
print(re.sub(r"(?<=a)b", "-", "abab"), re.subn("a", "b", "banana"))
print(re.split(r"(\W)", "a-b c"))
print(re.sub(r"\s+", " ", "a  b\n\tc"))
try:
    re.compile("(")
except re.error as e:
    print(e)
tokens = re.compile(r"""
    (?P<number>\d+(\.\d*)?) |
    (?P<name>[A-Za-z_]\w*)  |
    (?P<op>[-+*/=()])
""", re.VERBOSE)
print([(t.lastgroup, t.group()) for t in tokens.finditer("x = 3.5 * (y + 2)")])
print(re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world"), re.sub(r"(?P<a>x)", r"<\g<a>>", "axb"))
print(re.findall(r"(a)(b)?", "ab a"), re.match("(a)|(b)", "b").groups(default="-"))
print(re.search(r"\bclass\b", "subclass class").span(), bool(re.match(b"a+", b"aaa")))
