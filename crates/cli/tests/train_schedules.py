"""`lab.train` beside a loop: schedules with each optimizer, clipping, averages, scaling, checkpoints, accumulation."""

import glowgrad as torch
from glowgrad import nn, optim
from glowgrad.optim import lr_scheduler, swa_utils
from glowgrad.utils.checkpoint import checkpoint
from train_harness import called, same


def scheduled(device, X, Y):
    """Schedules that step inside, clipping, averages, scaling, checkpoints, accumulation: with each optimizer."""
    exact, n_steps = (0.0, 40) if device == "cpu" else (1e-4, 12)

    def made(name, options, around, n=n_steps):
        def make():
            model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)).to(device)
            matrices = [p for p in model.parameters() if p.ndim == 2 or name != "Muon"]
            descent = getattr(optim, name)(matrices, lr=0.01, **options)

            def forward():
                return nn.functional.cross_entropy(model(X), Y)

            step, left = around(model, descent, forward)
            rates = lambda: [group["lr"] for group in descent.param_groups]
            return step, n, lambda: [*model.parameters(), *left(), *rates()]

        return make

    def stepping(schedule, before=False):
        def around(model, descent, forward):
            rate = schedule(descent)

            def step():
                descent.zero_grad()
                loss = forward()
                loss.backward()
                if before:
                    rate.step()
                descent.step()
                if not before:
                    rate.step()
                return loss

            return step, lambda: [getattr(rate, "last_epoch", None), rate.get_last_lr()]

        return around

    warm = lambda o: lr_scheduler.LinearLR(o, 0.1, 1.0, 12)
    # A GPU in software compiles each kernel for seconds: it gets a choice.
    every = "SGD Adam AdamW Adamax NAdam RAdam Adagrad Adadelta RMSprop Rprop ASGD Adafactor Muon Lion"
    for name in (every if device == "cpu" else "SGD Adam ASGD Muon").split():
        same(made(name, {}, stepping(warm)), tolerance=exact)
    schedules = (
        lambda o: lr_scheduler.OneCycleLR(o, 0.1, total_steps=60),
        lambda o: lr_scheduler.StepLR(o, 10, 0.5),
        lambda o: lr_scheduler.MultiStepLR(o, [15, 30]),
        lambda o: lr_scheduler.LambdaLR(o, lambda i: 1 / (1 + i)),
        lambda o: lr_scheduler.ExponentialLR(o, 0.9),
        lambda o: lr_scheduler.CosineAnnealingLR(o, 30),
        lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 7),
        lambda o: lr_scheduler.PolynomialLR(o, 30),
        lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, step_size_up=5),
        lambda o: lr_scheduler.SequentialLR(o, [warm(o), lr_scheduler.StepLR(o, 5)], [8]),
        lambda o: lr_scheduler.ChainedScheduler([warm(o), lr_scheduler.ExponentialLR(o, 0.9)]),
        lambda o: swa_utils.SWALR(o, 0.05),
    )
    for schedule in schedules if device == "cpu" else schedules[:2]:
        same(made("SGD", dict(momentum=0.9, nesterov=True), stepping(schedule)), tolerance=exact)
    same(made("Adam", {}, stepping(warm, before=True)), tolerance=exact)
    one_cycle = lambda o: lr_scheduler.OneCycleLR(o, 0.1, total_steps=60)
    for name in ("Adam", "AdamW"):
        same(made(name, {}, stepping(one_cycle)), tolerance=exact)
    called(made("Adamax", {}, stepping(one_cycle)), "['betas'][0]` changes", tolerance=exact)

    def plain(between=lambda model: None, after=lambda model: None, forward=None):
        def around(model, descent, loss_of):
            def step():
                descent.zero_grad()
                loss = loss_of() if forward is None else forward(model)
                loss.backward()
                between(model)
                descent.step()
                after(model)
                return loss

            return step, lambda: []

        return around

    norm = lambda model: nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    value = lambda model: nn.utils.clip_grad_value_(model.parameters(), 0.01)
    kept = lambda model: nn.functional.cross_entropy(checkpoint(model, X, use_reentrant=False), Y)
    for around in (plain(norm), plain(value), plain(forward=kept)):
        same(made("SGD", {}, around))

    def averaged(options):
        def around(model, descent, forward):
            average = swa_utils.AveragedModel(model, **options)
            step, _ = plain(after=average.update_parameters)(model, descent, forward)
            return step, lambda: list(average.parameters())

        return around

    same(made("SGD", {}, averaged(dict(multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.9)))), tolerance=exact)
    same(made("SGD", {}, averaged({})), tolerance=exact)

    def together(model, descent, forward):
        def step():
            descent.zero_grad()
            total = 0
            for _ in range(4):
                loss = forward() / 4
                loss.backward()
                total = total + loss.detach()
            descent.step()
            return total

        return step, lambda: []

    same(made("SGD", {}, together))

    def in_turn(model, descent, forward):
        state = {"i": 0}

        def step():
            loss = forward() / 4
            loss.backward()
            state["i"] += 1
            if state["i"] % 4 == 0:
                descent.step()
                descent.zero_grad()
            return loss

        return step, lambda: []

    called(made("SGD", {}, in_turn), "`state['i']` changes")

    def by_hand(model, descent, forward):
        step, _ = plain()(model, descent, forward)
        state = {"i": 0}

        def whole():
            state["i"] += 1
            for group in descent.param_groups:
                group["lr"] = 0.1 if state["i"] < 20 else 0.01
            return step()

        return whole, lambda: []

    called(made("SGD", {}, by_hand), "`state['i']` changes")

    def told(model, descent, forward):
        schedule = lr_scheduler.StepLR(descent, 15)
        step, _ = plain()(model, descent, forward)

        def whole():
            loss = step()
            schedule.step()
            return loss * schedule.get_last_lr()[0]

        return whole, lambda: []

    called(made("SGD", {}, told), "its code reads the rate too")

    def on_plateaus(model, descent, forward):
        schedule = lr_scheduler.ReduceLROnPlateau(descent, patience=1, threshold=0.1)
        step, _ = plain()(model, descent, forward)

        def whole():
            loss = step()
            schedule.step(loss)
            return loss

        return whole, lambda: []

    called(made("SGD", {}, on_plateaus), "is given a number of this step")

    if device == "cpu":
        def scaled(model, descent, forward):
            scaler = torch.amp.GradScaler("cpu", growth_interval=5)

            def step():
                descent.zero_grad()
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    loss = forward()
                scaler.scale(loss).backward()
                scaler.step(descent)
                scaler.update()
                return loss

            return step, lambda: [scaler.get_scale()]

        called(made("SGD", {}, scaled), "it looks at a value")

    def searched(model, descent, forward):
        def closure():
            descent.zero_grad()
            loss = forward()
            loss.backward()
            return loss

        return (lambda: descent.step(closure)), lambda: []

    called(made("LBFGS", dict(max_iter=3), searched, n=8), "it looks at a value")
    same(made("SGD", {}, searched))
