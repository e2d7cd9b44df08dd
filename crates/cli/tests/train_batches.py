"""`lab.train` beside a loop: steps that pick their own batches, and code beside the step that makes them."""

import itertools
import random

import glowgrad as torch
from glowgrad import lab, nn, optim
from glowgrad.optim import lr_scheduler
from glowgrad.utils.data import DataLoader, TensorDataset
from train_harness import called, refused, same


def picked(device, X, Y):
    """Steps that pick their own batches, and code outside of them that does."""
    data = torch.randint(0, 3, (60,)).to(device)
    table = torch.randn(3, 6).to(device)
    T = 5

    def made(step_of, batches=40):
        def make():
            model = nn.Linear(6, 3).to(device)
            descent = optim.SGD(model.parameters(), lr=0.1)

            def on(x, y):
                descent.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                descent.step()
                return loss

            step = step_of(on)
            given = batches(step) if callable(batches) else batches
            return step, given, lambda: list(model.parameters())

        return make

    def window(on):
        def step():
            places = torch.randint(len(data) - T, (4,), device=device)
            x = torch.stack([data[i:i + T] for i in places])
            y = torch.stack([data[i + 1:i + 1 + T] for i in places])
            return on(table[x].reshape(-1, 6), y.reshape(-1))

        return step

    def gathered(on):
        def step():
            places = torch.randint(len(data) - T, (4, 1), device=device) + torch.arange(T, device=device)
            return on(table[data[places]].reshape(-1, 6), data[places + 1].reshape(-1))

        return step

    def shuffled(on):
        def step():
            rows = torch.randperm(100, device=device)[:20]
            return on(X[rows], Y[rows])

        return step

    for step_of in (window, gathered, shuffled):
        same(made(step_of))

    # A slice may be shorter at the end, where its place is drawn from all.
    def to_the_end(on):
        def step():
            i = torch.randint(len(data), (), device=device)
            return on(table[data[i:i + T]], data[i:i + T])

        return step

    called(made(to_the_end), "it looks at a value")

    def written_on(on):
        def step():
            i = torch.randint(len(data) - T, (), device=device)
            x = X[i:i + T]
            x.mul_(0.5)
            return on(x, Y[:T])

        return step

    step, _, _ = made(written_on)()
    kept = X.clone()
    refused(lambda: lab.train(step, 40), RuntimeError, "write on data[i:i + n].clone()")
    X.copy_(kept)

    rows = [(X[i:i + 20], Y[i:i + 20]) for i in range(0, 100, 20)]

    def counted(on):
        state = {"i": 0}

        def step():
            x, y = rows[state["i"] % 5]
            state["i"] += 1
            return on(x, y)

        return step

    def by_python(on):
        return lambda: on(*rows[random.randrange(5)])

    def from_iterator(on):
        turns = itertools.cycle(rows)
        return lambda: on(*next(turns))

    def from_loader(on):
        loader = DataLoader(TensorDataset(X, Y), batch_size=50, shuffle=True)
        return lambda: sum(on(x, y).detach() for x, y in loader)

    called(made(counted), "`state['i']` changes from step to step")
    called(made(by_python), "Python's random numbers changes")
    called(made(from_iterator), "`turns` is a cycle, which goes on in each step")
    called(made(from_loader), "a DataLoader would not be used again")

    # As the sentences advise: outside of the step.
    outside = lambda on: on
    same(made(outside, lambda _: (rows[i % 5] for i in range(40))))
    same(made(outside, lambda _: itertools.islice(itertools.cycle(rows), 40)))

    def drawn(_):
        for _ in range(40):
            places = torch.randint(len(data) - T, (4,))
            yield table[torch.stack([data[i:i + T] for i in places])].reshape(-1, 6), Y[:20]

    same(made(outside, drawn))

    # What the code outside changes in between is seen.
    def watching():
        state = {"factor": 1.0}

        def batches(_):
            for i in range(40):
                state["factor"] = 1.0 if i < 25 else 0.5
                yield rows[i % 5]

        def step_of(on):
            return lambda x, y: on(x * state["factor"], y)

        return made(step_of, batches)()

    same(watching, most_calls=10)

    def with_epochs():
        model = nn.Linear(6, 3).to(device)
        descent = optim.SGD(model.parameters(), lr=0.1)
        schedule = lr_scheduler.ExponentialLR(descent, 0.5)

        def batches():
            for _ in range(5):
                yield from rows * 2
                schedule.step()

        def step(x, y):
            descent.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            descent.step()
            return loss

        return step, batches(), lambda: list(model.parameters())

    same(with_epochs, most_calls=25)
