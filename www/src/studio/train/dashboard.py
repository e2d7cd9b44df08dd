"""The studio's training in slices, so that it can be paused, changed and looked at between two of them.

It runs after the network's program up to its loss, and computes what `Trainer.fit` computes there: the same batches, the
same steps, the same validation. What is asked of it are its methods, by the names at its end.
"""

import json
from itertools import chain, islice

from glowgrad import lab
from torch.utils.data import TensorDataset


# Samples that are shown, and what all of them may have.
MOST_SAMPLES, MOST_NUMBERS = 12, 100_000
# Samples that a network makes: pictures, and points of a plane.
MADE_PICTURES, MADE_POINTS = 12, 200
# Classes of a confusion matrix.
MOST_CLASSES = 64


class Check:
    """A validation that has begun."""

    def __init__(self, batches, n_classes):
        self.batches, self.n_classes = iter(batches), n_classes
        self.total, self.right, self.n, self.places = 0.0, 0, 0, 0
        self.missed = []
        n = n_classes if n_classes <= MOST_CLASSES else 0
        self.table = torch.zeros(n, n)

    def take(self, output, target, loss):
        if self.n_classes:
            guess = output.argmax(-1)
            is_right = guess == target
            self.right += is_right.sum().item()
            if len(self.table):
                places = (target.long() * self.n_classes + guess).flatten()
                self.table.flatten().index_add_(0, places, torch.ones(len(places)))
            if guess.dim() == 1 and len(self.missed) < MOST_SAMPLES:
                self.missed += [self.n + index for index in (~is_right).nonzero().flatten().tolist()]
        self.total += loss(output, target).item() * len(target)
        self.n += len(target)
        self.places += target.numel()


class Dashboard:
    def __init__(self, names):
        self.model, self.loss, self.train = names["model"], names["loss"], names["train"]
        # What gives the loss its results: the network, but where the objective is to predict noise.
        self.learner = names.get("learner", self.model)
        self.optimizers = [names[name] for name in ("optimizer", "discriminator_optimizer") if name in names]
        self.schedulers = [names[name] for name in ("scheduler", "discriminator_scheduler") if name in names]
        # A GAN has a step of its own, and nothing to validate.
        self.train_step, self.sample = names.get("train_step"), names.get("sample")
        self.test = names.get("test")
        self.tests = TensorDataset(self.train.dataset[:0][0]) if self.test is None else self.test.dataset
        self.is_class, self.is_copy = "accuracy" in names, names["target"] is names["x"]
        inputs = self.train.dataset[:1][0]
        self.n_classes = self.output(inputs).shape[-1] if self.is_class else 0
        self.networks = [names[name] for name in ("model", "discriminator") if name in names]
        self.batches, self.check, self.missed = None, None, []
        # Of the epoch that has begun: its first random numbers, and how many steps it has had.
        self.epoch_random, self.in_epoch = None, 0
        # Of the training batches since the last slice: right answers, or the discriminator's losses, summed where the network
        # computes.
        self.hits = names.get("discriminator_loss", torch.zeros(()))

    def about(self):
        """What there is to train, as JSON."""
        inputs, *targets = self.train.dataset[:1]
        print(json.dumps({
            "parameters": [[name, parameter.numel()] for name, parameter in self.model.named_parameters()],
            "samples": len(self.train.dataset),
            "tests": len(self.tests),
            "batches": len(self.train),
            "checks": 0 if self.test is None else len(self.test),
            "classes": self.n_classes,
            "copy": self.is_copy,
            "shape": list(inputs.shape[1:]),
            "places": targets[0][0].numel() if targets else 1,
            "made": self.sample is not None,
            "opponent": self.train_step is not None,
            "draws": self.draws(inputs),
        }))

    @torch.no_grad()
    def output(self, inputs):
        """What the network gives outside of training."""
        output = self.apart(lambda: self.model(inputs))
        # A VAE gives the sample, then its code.
        return output[0] if isinstance(output, tuple) else output

    def draws(self, inputs):
        """Whether validation draws random numbers, which the steps behind it then lack."""
        if self.test is None:
            return False
        after = []
        before = torch.get_rng_state()
        self.apart(lambda: (self.learner(inputs), after.append(torch.get_rng_state())))
        return not torch.equal(before, after[0])

    def apart(self, compute):
        """The random numbers of the training stay as they were."""
        was_training, before = self.model.training, torch.get_rng_state()
        self.model.eval()
        result = compute()
        self.model.train(was_training)
        torch.set_rng_state(before)
        return result

    def rate(self):
        return float(self.optimizers[0].param_groups[0]["lr"])

    def set_rate(self, rate):
        """A schedule goes on from there: all that it knows of rates grows or shrinks as this one does."""
        factor = rate / self.rate() if self.rate() > 0 else 1.0
        for group in [group for optimizer in self.optimizers for group in optimizer.param_groups]:
            for name in ("lr", "initial_lr", "max_lr", "min_lr"):
                if name in group:
                    group[name] = rate if name == "lr" else group[name] * factor
        for scheduler in self.schedulers:
            scheduler.base_lrs = [base * factor for base in scheduler.base_lrs]

    def one_step(self):
        """The step as a function that remembers nothing of the run, so that `lab.train` can run it by itself."""
        if self.train_step is not None:
            return self.train_step
        model, optimizer, loss_function = self.learner, self.optimizers[0], self.loss
        scheduler = self.schedulers[0] if self.schedulers else None
        hits = self.hits if self.is_class else None

        def step(inputs, target):
            optimizer.zero_grad()
            output = model(inputs)
            loss = loss_function(output, target)
            loss.backward()
            optimizer.step()
            if hits is not None:
                hits.add_((output.detach().argmax(-1) == target).sum())
            if scheduler is not None:
                scheduler.step()
            return loss

        return step

    def begin(self):
        """Begins an epoch, unless one has begun."""
        if self.batches is None:
            self.epoch_random, self.in_epoch = torch.get_rng_state(), 0
            self.batches = iter(self.train)
            self.model.train()

    def next_batches(self, most):
        """The next batches of the epoch, at most so many; at its end none, and then those of a new one."""
        self.begin()
        part = islice(self.batches, most)
        first = next(part, None)
        if first is None:
            self.batches = None
            return None
        return chain([first], part)

    def advance(self, most):
        """Trains so many steps, fewer at the end of the epoch: the rate, the right answers, and the loss of each step."""
        before = self.rate()
        part = self.next_batches(int(most.item()))
        losses = [] if part is None else lab.train(self.one_step(), part)
        self.in_epoch += len(losses)
        hits = self.hits.item()
        self.hits.zero_()
        return [before, hits, *losses]

    def keep(self, path, most):
        """Writes all that the run goes on from to a file, and prints its bytes; nothing where these are more than `most`."""
        state = {
            "networks": [network.state_dict() for network in self.networks],
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "schedulers": [scheduler.state_dict() for scheduler in self.schedulers],
            "random": torch.get_rng_state(),
            "epoch_random": None if self.batches is None else self.epoch_random,
            "in_epoch": self.in_epoch,
        }
        n = tensor_bytes(state)
        if n <= most:
            torch.save(state, path)
        print(n if n <= most else 0)

    def go_on(self, path):
        """Stands where the run stood that wrote this file: the batches of its epoch are drawn again."""
        state = torch.load(path, weights_only=True)
        for kind in ("networks", "optimizers", "schedulers"):
            for each, found in zip(getattr(self, kind), state[kind]):
                each.load_state_dict(found)
        if state["epoch_random"] is not None:
            torch.set_rng_state(state["epoch_random"])
            self.begin()
            self.in_epoch = sum(1 for _ in islice(self.batches, state["in_epoch"]))
        torch.set_rng_state(state["random"])

    def norms(self, _):
        """For each parameter the norm of its gradient and its own."""
        zero = torch.zeros(())
        with torch.no_grad():
            return torch.stack([
                torch.stack([zero if p.grad is None else p.grad.norm(), p.norm()]) for p in self.model.parameters()
            ])

    def validate(self, most):
        """Goes through so many batches of the validation data: the mean loss and the share of right answers so far, and
        how many samples that was."""
        if self.check is None:
            self.check = Check(self.test, self.n_classes)
        self.model.eval()
        with torch.no_grad():
            for inputs, target in islice(self.check.batches, int(most.item())):
                self.check.take(self.learner(inputs), target, self.loss)
        self.model.train()
        check = self.check
        return [check.total / max(1, check.n), check.right / max(1, check.places), check.n]

    def confusion(self, _):
        """Ends a validation: how often each class [row] was taken for each [column]."""
        check, self.check = self.check, None
        self.missed = check.missed
        return check.table

    def chosen(self):
        """The first samples of the validation data, and the first ones that were mistaken."""
        most = min(MOST_SAMPLES, len(self.tests), max(1, MOST_NUMBERS // self.tests[0][0].numel()))
        return list(range(most)) + [index for index in self.missed[:most] if index >= most]

    def pictures(self, _):
        return torch.stack([self.tests[index][0] for index in self.chosen()]).float()

    def guesses(self, _):
        """Of each chosen sample its place, what it is, what the network takes it for, and the probability of both."""
        rows = []
        for index in self.chosen():
            sample, target = self.tests[index]
            shares = self.output(sample.unsqueeze(0))[0].softmax(-1)
            guess, target = shares.argmax().item(), int(target.item())
            rows.append([index, target, guess, shares[target].item(), shares[guess].item()])
        return rows

    def copies(self, _):
        return self.output(torch.stack([self.tests[index][0] for index in self.chosen()])).float()


    def made(self, n_real):
        """Samples that the network makes, behind so many real ones; each time of the same noise, so that they compare."""
        real = self.train.dataset[:int(n_real.item())][0]
        is_plane = real.shape[1:] == (2,)

        def make():
            torch.manual_seed(1)
            with torch.no_grad():
                return self.sample(MADE_POINTS if is_plane else MADE_PICTURES)

        return torch.cat([real, self.apart(make)]).float()


def tensor_bytes(state):
    if isinstance(state, torch.Tensor):
        return state.nbytes
    parts = state.values() if isinstance(state, dict) else state if isinstance(state, (list, tuple)) else []
    return sum([tensor_bytes(each) for each in parts])


_dashboard = Dashboard(globals())
_about, _advance, _norms = _dashboard.about, _dashboard.advance, _dashboard.norms
_validate, _confusion = _dashboard.validate, _dashboard.confusion
_pictures, _guesses, _copies = _dashboard.pictures, _dashboard.guesses, _dashboard.copies
_made = _dashboard.made
_about()
