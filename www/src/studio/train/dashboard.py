"""The studio's training in slices, so that it can be paused, changed and looked at between two of them.

It runs after the network's program up to its loss, and computes what `Trainer.fit` computes there: the same batches, the
same steps, the same validation. What is asked of it are its methods, by the names at its end.
"""

import json
from itertools import chain, islice

from glowgrad import lab


# Samples that are shown, and what all of them may have.
MOST_SAMPLES, MOST_NUMBERS = 12, 100_000
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
        self.model, self.optimizer, self.loss = names["model"], names["optimizer"], names["loss"]
        self.train, self.test = names["train"], names["test"]
        self.scheduler = names.get("scheduler")
        self.is_class, self.is_copy = "accuracy" in names, names["target"] is names["x"]
        inputs, _ = self.train.dataset[:1]
        self.n_classes = self.output(inputs).shape[-1] if self.is_class else 0
        self.batches, self.check, self.missed = None, None, []
        # Right answers of the training batches since the last slice, counted where the network computes.
        self.hits = torch.zeros(())

    def about(self):
        """What there is to train, as JSON."""
        inputs, targets = self.train.dataset[:1]
        print(json.dumps({
            "parameters": [[name, parameter.numel()] for name, parameter in self.model.named_parameters()],
            "samples": len(self.train.dataset),
            "tests": len(self.test.dataset),
            "batches": len(self.train),
            "checks": len(self.test),
            "classes": self.n_classes,
            "copy": self.is_copy,
            "shape": list(inputs.shape[1:]),
            "places": targets[0].numel(),
        }))

    @torch.no_grad()
    def output(self, inputs):
        was_training = self.model.training
        self.model.eval()
        output = self.model(inputs)
        self.model.train(was_training)
        return output

    def rate(self):
        return float(self.optimizer.param_groups[0]["lr"])

    def set_rate(self, rate):
        """A schedule goes on from there: all that it knows of rates grows or shrinks as this one does."""
        factor = rate / self.rate() if self.rate() > 0 else 1.0
        for group in self.optimizer.param_groups:
            for name in ("lr", "initial_lr", "max_lr", "min_lr"):
                if name in group:
                    group[name] = rate if name == "lr" else group[name] * factor
        if self.scheduler is not None:
            self.scheduler.base_lrs = [base * factor for base in self.scheduler.base_lrs]

    def one_step(self):
        """The step as a function that remembers nothing of the run, so that `lab.train` can run it by itself."""
        model, optimizer, loss_function, scheduler = self.model, self.optimizer, self.loss, self.scheduler
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
        hits = self.hits.item()
        self.hits.zero_()
        return [before, hits, *losses]

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
                self.check.take(self.model(inputs), target, self.loss)
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
        most = min(MOST_SAMPLES, len(self.test.dataset), max(1, MOST_NUMBERS // self.test.dataset[0][0].numel()))
        return list(range(most)) + [index for index in self.missed[:most] if index >= most]

    def pictures(self, _):
        return torch.stack([self.test.dataset[index][0] for index in self.chosen()]).float()

    def guesses(self, _):
        """Of each chosen sample its place, what it is, what the network takes it for, and the probability of both."""
        rows = []
        for index in self.chosen():
            sample, target = self.test.dataset[index]
            shares = self.output(sample.unsqueeze(0))[0].softmax(-1)
            guess, target = shares.argmax().item(), int(target.item())
            rows.append([index, target, guess, shares[target].item(), shares[guess].item()])
        return rows

    def copies(self, _):
        return self.output(torch.stack([self.test.dataset[index][0] for index in self.chosen()])).float()


_dashboard = Dashboard(globals())
_about, _advance, _norms = _dashboard.about, _dashboard.advance, _dashboard.norms
_validate, _confusion = _dashboard.validate, _dashboard.confusion
_pictures, _guesses, _copies = _dashboard.pictures, _dashboard.guesses, _dashboard.copies
_about()
