"""What a profile says of a program: its schedule, its rows' names and counts, its table's columns."""

import warnings

import torch
from torch.profiler import ProfilerAction, ProfilerActivity, profile, record_function, schedule

warnings.simplefilter("ignore")

# When it looks.
for options in (
    dict(wait=1, warmup=1, active=2),
    dict(wait=1, warmup=1, active=2, repeat=2, skip_first=1),
    dict(wait=2, warmup=0, active=1, skip_first=2, skip_first_wait=1),
):
    plan = schedule(**options)
    print([plan(step).name for step in range(12)])
print(schedule(wait=0, warmup=0, active=1)(0) is ProfilerAction.RECORD_AND_SAVE)
for wrong in (dict(wait=-1, warmup=1, active=1), dict(wait=1, warmup=1, active=0)):
    try:
        schedule(**wrong)
    except AssertionError as error:
        print(error)

# Named stretches, each once for every time.
x = torch.ones(32, 32)


@record_function("decorated")
def square(x):
    return x @ x


with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as seen:
    with record_function("outer"):
        for _ in range(3):
            with record_function("layer"):
                y = square(x).relu()
rows = {row.key: row for row in seen.key_averages()}
print([(key, rows[key].count) for key in ("outer", "layer", "decorated")])
outer, layer = rows["outer"], rows["layer"]
print(outer.cpu_time_total >= layer.cpu_time_total >= layer.self_cpu_time_total >= 0)
print(abs(layer.cpu_time * 3 - layer.cpu_time_total) < 1e-3)
print(y[0, 0].item())

# The table.
lines = seen.key_averages().table(sort_by="cpu_time_total", row_limit=1).splitlines()
print([name.strip() for name in lines[1].split("  ") if name.strip()])
print(lines[0] == lines[2] == lines[4], lines[3].split()[0], lines[3].split()[-1])
print(lines[5].split(":")[0])
by_shape = seen.key_averages(group_by_input_shape=True).table(row_limit=2).splitlines()
print(by_shape[1].split()[-2:])

# A schedule in a loop.
ready = []


def note(seen):
    steps = [row.count for row in seen.key_averages() if row.key == "ProfilerStep*"]
    ready.append((seen.step_num, steps))


with profile(schedule=schedule(wait=1, warmup=1, active=2), on_trace_ready=note) as seen:
    for _ in range(9):
        (x + 1).sum().item()
        seen.step()
print(ready)

# Without a schedule it is ready when it ends.
ready.clear()
with profile(on_trace_ready=note):
    (x + 1).sum().item()
print(ready)

# Before it has looked.
try:
    profile().key_averages()
except AssertionError as error:
    print(error)
with torch.autograd.profiler.profile(enabled=False) as nothing:
    pass
print(nothing, repr(nothing))
