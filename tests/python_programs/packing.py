import zlib, gzip, hashlib, unicodedata, io
d=b"hello world "*1000
for w in (15,-15,31):
    c=zlib.compress(d,6,w); print(len(c)<200, zlib.decompress(c,w)==d)
o=zlib.decompressobj(); c=zlib.compress(d)
out=o.decompress(c[:10]); out+=o.decompress(c[10:]); print(out==d,o.eof)
print(zlib.crc32(b"abc"), zlib.adler32(b"abc"), hashlib.sha256(b"a").hexdigest(), hashlib.md5(b"").hexdigest())
f=io.BytesIO()
with gzip.open(f,"wt") as g: g.write("line\n"*3)
print(gzip.decompress(f.getvalue()))
f.seek(0)
with gzip.open(f,"rt") as g: print(g.readlines())
print("".join(c for c in unicodedata.normalize("NFD","Ślusàrski") if unicodedata.category(c)!="Mn"), unicodedata.category("a"), unicodedata.combining("\u0301"))
try: zlib.decompress(b"abc")
except zlib.error as e: print("error", str(e)[:30])
try: gzip.decompress(b"abc")
except OSError as e: print(type(e).__name__, e)
