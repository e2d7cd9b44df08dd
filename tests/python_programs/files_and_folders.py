import glob
import io
import json
import os
import pathlib
import shutil
import tempfile

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a.txt")
    with open(path, "w") as f:
        print(f.write("one\ntwo\nthree\n"), f.name == path, f.mode, f.closed)
    print(f.closed, os.path.exists(path), os.path.getsize(path), os.path.isdir(folder), os.path.isfile(path))
    with open(path) as f:
        print(f.readline(), f.readlines(), f.read() == "")
    for line in open(path):
        print(line.rstrip(), end=" ")
    print()
    with open(path, "a") as f:
        f.writelines(["four\n", "five"])
    print(open(path).read().splitlines())
    with open(path, "rb") as f:
        print(f.read(3), f.tell(), f.seek(-4, 2), f.read())
    with open(path, "r+") as f:
        f.seek(0)
        f.write("ONE")
        f.seek(0)
        print(f.readline())
    with open(path, "wb") as f:
        print(f.write(bytes(range(5))))
    print(list(open(path, "rb").read()), open(path, "rb").read().hex())
    try:
        open(path, "x")
    except FileExistsError as e:
        print(type(e).__name__, e.errno, e.strerror, e.filename == path)
    try:
        open(os.path.join(folder, "no", "such"))
    except FileNotFoundError as e:
        print(type(e).__name__, e.errno, e.strerror)
    for call in (lambda: open(folder), lambda: os.mkdir(folder), lambda: os.rmdir(path), lambda: os.listdir(path)):
        try:
            call()
        except OSError as e:
            print(type(e).__name__, e.strerror)
    os.makedirs(os.path.join(folder, "x", "y"), exist_ok=True)
    os.makedirs(os.path.join(folder, "x", "y"), exist_ok=True)
    p = pathlib.Path(folder) / "x" / "y" / "data.json"
    p.write_text(json.dumps({"b": [1, 2, {"c": None}], "a": True}))
    print(json.load(p.open()), p.name, p.stem, p.suffix, p.parent.name, p.exists(), p.is_file())
    with open(p, "w") as f:
        json.dump([1.5, "é"], f, indent=2, ensure_ascii=False)
    print(p.read_text())
    print(sorted(os.listdir(folder)), [sorted(names) for _, _, names in os.walk(folder)])
    print(sorted(os.path.relpath(name, folder) for name in glob.glob(os.path.join(folder, "**"), recursive=True)))
    print(sorted(each.name for each in pathlib.Path(folder).rglob("*")))
    print([each.name for each in pathlib.Path(folder).glob("*.txt")])
    shutil.copy(path, os.path.join(folder, "copy.txt"))
    os.rename(os.path.join(folder, "copy.txt"), os.path.join(folder, "moved.txt"))
    print(sorted(os.listdir(folder)), os.path.basename(path), os.path.splitext(path)[1])
    os.remove(path)
    print(os.path.exists(path))
    shutil.rmtree(os.path.join(folder, "x"))
    print(sorted(os.listdir(folder)))
    with os.scandir(folder) as entries:
        print([(entry.name, entry.is_file(), entry.stat().st_size) for entry in entries])
    here = os.getcwd()
    os.chdir(folder)
    pathlib.Path("relative.txt").write_text("hi")
    print(os.path.exists(os.path.join(folder, "relative.txt")), open("relative.txt").read())
    os.chdir(here)
print(os.path.exists(folder))
print(os.path.join("a", "/b"), os.path.normpath("a/./b/../c"), os.path.split("/x/y"), os.path.dirname("/x/y/z"))
print(pathlib.PurePosixPath("/a/b/../c.tar.gz").suffixes, pathlib.PurePosixPath("a").joinpath("b", "c"))
print(pathlib.PurePosixPath("/a/b/c").relative_to("/a"), pathlib.PurePosixPath("x/y.py").with_suffix(".txt"))
s = io.StringIO()
print("into text", file=s)
print(repr(s.getvalue()), io.BytesIO(b"abc").read(2))
print(os.environ.get("NO_SUCH_VARIABLE_HERE", "default"), os.getenv("NO_SUCH_VARIABLE_HERE"), os.sep, os.linesep == "\n")
with open(os.devnull, "w") if False else io.StringIO() as f:
    print("gone", file=f)
for mode in ("q", "rw", "rbt"):
    try:
        open("x", mode)
    except ValueError as e:
        print(type(e).__name__, e)
f = io.StringIO("x")
f.close()
try:
    f.read()
except ValueError as e:
    print(e)
