"""Training that runs by itself is training in a loop: the same losses, parameters and gradients."""

import glowgrad as torch
from glowgrad import _train, lab, nn
from glowgrad.utils.data import DataLoader, TensorDataset
from train_batches import picked
from train_harness import called, refused, same
from train_schedules import scheduled


def suite(device):
    torch.manual_seed(1)
    X, Y = torch.randn(100, 6).to(device), torch.randint(0, 3, (100,)).to(device)
    # A GPU in software takes long for a step: it runs fewer of them, and of the optimizers those that differ most.
    is_cpu = device == "cpu"
    n_steps = 40 if is_cpu else 12
    batches = list(DataLoader(TensorDataset(X, Y), batch_size=20)) * (6 if is_cpu else 3)

    def network(*layers, optimizer=lambda p: torch.optim.SGD(p, lr=0.1), batches=n_steps, change=None):
        def make():
            model = nn.Sequential(nn.Linear(6, 16), *(layer() for layer in layers), nn.Linear(16, 3)).to(device)
            descent = optimizer(model.parameters())

            def step(x=X, y=Y):
                descent.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                loss.backward()
                descent.step()
                return loss

            left = lambda: [*model.parameters(), *(p.grad for p in model.parameters()), *model.buffers()]
            return (step, batches, left) if change is None else change(step, batches, left)

        return make

    same(network(nn.ReLU))
    same(network(nn.Tanh, optimizer=lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True)))
    same(network(lambda: nn.LayerNorm(16), nn.GELU))
    same(network(lambda: nn.BatchNorm1d(16), nn.ReLU))
    same(network(nn.ReLU, lambda: nn.Dropout(0.3)))
    for decay, kind in ((0.0, torch.optim.Adam), (0.1, torch.optim.AdamW)):
        same(
            network(nn.ReLU, optimizer=lambda p: kind(p, lr=0.01, weight_decay=decay)),
            tolerance=1e-5,
        )

    # The other optimizers: the number of the step, and what hangs on it, is a tensor meanwhile.
    for name, options in {
        "Adam": dict(amsgrad=True), "Adamax": {}, "NAdam": {}, "RAdam": {}, "Adagrad": dict(lr_decay=0.1),
        "Adadelta": {}, "RMSprop": dict(centered=True, momentum=0.9), "Rprop": {}, "ASGD": dict(t0=4),
        "Adafactor": {}, "Muon": {}, "Lion": {},
    }.items():
        if not is_cpu and name not in ("Adam", "NAdam", "Rprop", "Muon"):
            continue

        def made(parameters):
            matrices = [p for p in parameters if p.ndim == 2 or name != "Muon"]
            return getattr(torch.optim, name)(matrices, lr=0.01, **options)

        same(network(nn.Tanh, optimizer=made, batches=14), tolerance=1e-4)

    # Batches, those that a step writes on, and one of another size now and then.
    same(network(nn.ReLU, batches=batches))

    def written_on(step, batches, left):
        def whole(x, y):
            x.mul_(0.5)
            x[:, 0] = 1.0
            return step(x, y)

        return whole, [(x.clone(), y) for x, y in batches], left

    same(network(nn.ReLU, batches=batches, change=written_on))
    uneven = list(DataLoader(TensorDataset(X, Y), batch_size=7)) * 2
    same(network(nn.ReLU, batches=uneven), most_calls=11)

    # What a step hands to the next one: gradients that add up, tensors that change places, averages.
    def accumulated():
        w = torch.zeros(6, 3, device=device, requires_grad=True)

        def step():
            loss = nn.functional.cross_entropy(X @ w, Y)
            loss.backward()
            with torch.no_grad():
                w.sub_(0.01 * w.grad)
            return loss

        return step, 2 * n_steps, lambda: [w, w.grad]

    same(accumulated)

    def in_a_row():
        state = {"a": torch.ones(3, device=device), "b": torch.arange(3.0, device=device)}

        def step():
            a, b = state["a"], state["b"]
            state["a"], state["b"] = b, (a * 0.5 + b * 0.75).sin()
            return state["b"].sum()

        return step, n_steps, lambda: [state["a"], state["b"]]

    same(in_a_row)

    def by_products():
        state = {"turned": torch.eye(3, device=device), "count": torch.zeros(2, dtype=torch.int64, device=device)}
        turn = torch.tensor([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]], device=device)

        def step():
            state["turned"] = state["turned"] @ turn
            state["count"] = state["count"] + 1
            return state["turned"][0, 0] + state["count"].sum()

        return step, n_steps, lambda: [state["turned"], state["count"]]

    same(by_products)

    # What is held and not read: the numbers drawn in a step, its batch, and the value before the last.
    def held_draw():
        state = {"z": torch.zeros(3, device=device)}

        def step():
            z = torch.randn(3, device=device)
            loss = (z * (state["z"] + 1)).sum()
            state["z"] = z
            return loss

        return step, n_steps, lambda: [state["z"]]

    same(held_draw)

    def held_batch():
        state = {"before": torch.zeros(3, device=device)}

        def step(x):
            loss = (x * state["before"]).sum()
            state["before"] = x
            return loss

        return step, [((torch.arange(3.0) + i).to(device),) for i in range(n_steps)], lambda: [state["before"]]

    same(held_batch)

    def held_twice():
        w = torch.ones(3, device=device)
        state = {"last": w.sum(), "before": w.sum()}

        def step():
            w.mul_(0.9)
            state["before"], state["last"] = state["last"], w.sum()
            return state["last"] * 1

        return step, n_steps, lambda: [w, state["last"], state["before"]]

    same(held_twice, most_calls=7)

    def averaged(step, batches, left):
        state = {"average": torch.zeros(1, device=device)}

        def whole():
            loss = step()
            state["average"] = 0.9 * state["average"] + 0.1 * loss.detach()
            return loss

        return whole, batches, lambda: [state["average"], *left()]

    same(network(nn.ReLU, change=averaged))

    # Constants made in a step, one of them written on; random numbers; rows chosen by chance.
    def with_constants(step, batches, left):
        def whole():
            written = torch.tensor([1.0, 2.0], device=device)
            written.add_(1)
            return step() + torch.arange(5, device=device).sum() + written.sum()

        return whole, batches, left

    same(network(nn.ReLU, change=with_constants))
    same(network(nn.ReLU, change=lambda step, n, left: (
        lambda: step() + torch.randn(3, device=device).sum(), n, left)))

    def by_chance(step, batches, left):
        def whole():
            rows = torch.randperm(100, device=device)[:20]
            return step(X[rows], Y[rows])

        return whole, batches, left

    same(network(nn.ReLU, change=by_chance))

    scheduled(device, X, Y)
    picked(device, X, Y)

    # What cannot run again is called each time, says why, and leaves everything as a loop does.
    def loops(why, change, n=n_steps):
        called(network(nn.ReLU, change=change, batches=n), why)
        assert torch.ones(2, device=device).sum().item() == 2.0

    def growing(step, batches, left):
        calls = []

        def whole():
            calls.append(1)
            return step() * len(calls)

        return whole, batches, left

    def late(step, batches, left):
        state = {"i": 0}

        def whole():
            state["i"] += 1
            return step() * (2 if state["i"] > n_steps // 2 else 1)

        return whole, batches, left

    def looked_at(step, batches, left):
        return (lambda: step() * (1 if step().item() > 1 else 2)), batches, left

    def chosen(step, batches, left):
        own = torch.Generator()
        return (lambda: step() + torch.randn(1, device=device, generator=own).sum()), batches, left

    def seeded(step, batches, left):
        def whole():
            torch.manual_seed(1)
            return step()

        return whole, batches, left

    def listed(step, batches, left):
        losses = []

        def whole():
            losses.append(step().detach())
            return losses[-1] * 1

        return whole, batches, left

    def rotating(step, batches, left):
        rows = [torch.ones(3, device=device) for _ in range(6)]

        def whole():
            rows.append(rows.pop(0) * 1)
            return step() + rows[0].sum()

        return whole, batches, left

    def planned(step, batches, left):
        weight = torch.ones(3, device=device)
        plan = [None, None, None, None, lambda: weight.sum()]

        def whole():
            plan.append(plan.pop(0))
            loss = step()
            return loss if plan[0] is None else loss + plan[0]()

        return whole, batches, left

    def training(step, batches, left):
        w = torch.ones(1, device=device)

        def inner():
            w.mul_(0.5)
            return w.sum()

        return (lambda: step() + lab.train(inner, 6)[-1]), batches, left

    loops("`calls` changes from step to step", growing)
    loops("`state['i']` changes from step to step", late)
    loops("it looks at a value (item, ", looked_at)
    loops("a generator of its own would not be used again", chosen)
    loops("manual_seed would not be used again", seeded)
    loops("`losses` changes from step to step", listed)
    loops("keeps what earlier ones made", rotating)
    loops("`plan[", planned)
    loops("it looks at a value", training, n=6)

    def with_an_optimizer_of_its_own():
        w = torch.zeros(3, device=device, requires_grad=True)
        inner = torch.optim.Adam([w], lr=0.1)
        (w - 1).square().sum().backward()
        inner.step()
        return w.sum()

    losses = lab.train(with_an_optimizer_of_its_own, 30)
    assert max(abs(loss - 0.3) for loss in losses) < 1e-5, losses
    assert _train.last.n_called < 30 or _train.last.why, "it is noted to the end, and nothing says why"

    def elsewhere():
        w = torch.ones(3, device="wgpu")
        state = {"x": torch.zeros(2)}

        def step():
            w.mul_(0.5)
            before, state["x"] = state["x"], torch.tensor([1.0, 2.0])
            state["before"] = before
            return w.sum()

        return step, 20, lambda: [w, state["x"], state["before"]]

    if device == "wgpu":
        called(elsewhere, "on another device")

    out_of_range = (X[:20], torch.full((20,), 3, device=device))
    step, _, _ = network(nn.ReLU)()
    refused(lambda: lab.train(step, batches[:9] + [out_of_range]), IndexError, "out of")
    refused(lambda: lab.train(lambda a, b: a.sum(), [(X, X)] * 9), RuntimeError, "share their memory")
    refused(lambda: lab.train(lambda a: a.sum(), [X.clone().requires_grad_()] * 9), RuntimeError, "cannot require grad")

    # A wrong index is an error in the step that has it, and what the last whole step made is still there.
    for wrong in (1, 2, 3, 9):
        counts = torch.zeros(5, device=device)

        def count(rows):
            counts.index_add_(0, rows, torch.ones(2, device=device))
            return counts.sum()

        indices = [torch.tensor([i % 5, (i + 1) % 5]).to(device) for i in range(12)]
        indices[wrong] = torch.tensor([1, 5]).to(device)
        refused(lambda: lab.train(count, indices), IndexError, "index 5 is out of bounds")
        assert counts.sum().item() == 2.0 * wrong, (wrong, counts)

    # Adam counts the steps of each parameter for itself, before, while and after it trains by itself.
    a, b = (torch.ones(1, device=device, requires_grad=True) for _ in range(2))
    descent = torch.optim.Adam([a, b])

    def both():
        descent.zero_grad()
        loss = (a * a + b * b).sum()
        loss.backward()
        descent.step()
        return loss

    lab.train(both, 10)
    descent.zero_grad()
    (b * b).sum().backward()
    descent.step()
    both()
    assert [descent.state[p]["step"] for p in (a, b)] == [11, 12]

    # Writes between two trainings are seen by the second.
    torch.manual_seed(0)
    step, _, left = network(nn.ReLU)()
    weight = left()[0]
    before = weight * 1
    lab.train(step, 20)
    between = weight * 1
    shown = before.sum().item(), between.sum().item()
    lab.train(step, 20)
    assert (before.sum().item(), between.sum().item()) == shown and shown[0] != shown[1]
    with torch.no_grad():
        weight.zero_()
    assert lab.train(step, 20)[0] > 0 and weight.abs().sum().item() > 0
    lab.train(step, 20)
    live = lab.memory()["live"]
    lab.train(step, 200)
    assert lab.memory()["live"] <= live, (lab.memory(), live)


# What is given.
one = lambda: torch.ones(1).sum()
refused(lambda: lab.train(3, 5), TypeError, "'step' must be callable, not int")
refused(lambda: lab.train(one, 5, plot=1), TypeError, "'plot' must be str, not int")
refused(lambda: lab.train(one, 3.0), TypeError, "'batches' must be int or batches of tensors, not float")
refused(lambda: lab.train(one, True), TypeError, "not bool")
refused(lambda: lab.train(one, -1), ValueError, "a number of steps >= 0, got -1")
refused(lambda: lab.train(lambda: 3, 5), TypeError, "must return the loss, a tensor, but returned int")
refused(lambda: lab.train(lambda: torch.ones(2), 5), RuntimeError, "one element, got shape [2]")
refused(lambda: lab.train(lambda x: x, [3]), TypeError, "a tensor or a tuple of tensors, got int")
assert lab.train(one, 0) == [] and lab.train(one, 1) == [1.0] and lab.train(one, 70) == [1.0] * 70
assert lab.train(lambda x: x * 2, torch.arange(50.0)) == [2.0 * n for n in range(50)]

suite("cpu")
try:
    torch.ones(1, device="wgpu")
except RuntimeError as error:
    print("SKIPPED on wgpu:", error)
else:
    suite("wgpu")
print("trained")
