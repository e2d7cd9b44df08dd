"""Bars of tqdm: what they go through, how they count and what they are written from."""
import tqdm as package
from tqdm import tqdm, trange
from tqdm.auto import tqdm as auto

print(list(tqdm([1, 2, 3], leave=False)), list(trange(3, disable=True)), list(auto("ab", disable=True)), len(tqdm([1, 2], disable=True)), package.tqdm is tqdm)
with tqdm(total=10, disable=True) as bar:
    bar.update(3)
    bar.set_description("epoch 1")
    bar.set_postfix(loss=0.123456, acc="90%", n=3)
    print(bar.total, bar.desc if not bar.disable else "", bar.disable)
for i in (bar := trange(4, leave=False, desc="steps")):
    bar.set_description(f"step {i}")
    bar.set_postfix({"loss": 1 / (i + 1)}, refresh=False)
    print(i, bar.desc, bar.postfix)
print(bar.n, bar.total, bool(tqdm([1], disable=True)), tqdm(range(5), initial=2, leave=False).n)
print(tqdm.format_interval(75), tqdm.format_interval(3675), tqdm.format_num(0.123456), tqdm.format_num(1234567), tqdm.format_num(12), tqdm.format_sizeof(12345), tqdm.format_sizeof(999), tqdm.format_sizeof(1234567, "B"))
for line in (
    tqdm.format_meter(5, 10, 1.0), tqdm.format_meter(0, 10, 0), tqdm.format_meter(10, 10, 4.0, prefix="a: "), tqdm.format_meter(5, 10, 20.0, postfix="loss=1"), tqdm.format_meter(5, None, 2.0), tqdm.format_meter(3, 7, 1.5, ascii=True), tqdm.format_meter(3000, 7000, 1.5, unit="B", unit_scale=True), tqdm.format_meter(1, 3, 1.0, bar_format="{desc}{percentage:3.0f}%|{n_fmt}/{total_fmt}"), tqdm.format_meter(12, 10, 1.0),
):
    print(line)
tqdm.write("beside the bars")
try:
    tqdm([1], foo=3)
except KeyError as e:
    print(type(e).__name__, e)
