"""The training job: it runs a step on each batch of each epoch, and keeps what it needs to go on later.

Invariant: a run that was interrupted and goes on from its checkpoint computes the bits of one that was not. The batches
of an epoch are drawn again from the random numbers that it began with, and those before the checkpoint are passed by.
"""

import os
import random
import time
from itertools import chain, islice

import glowgrad as torch
from glowgrad import lab
from glowgrad.training.checkpoint import load_checkpoint, save_checkpoint
from glowgrad.training.history import History


class Trainer:
    """Trains `model` with `optimizer` on batches, whose last tensor is the target of `loss(output, target)`.

    `scheduler` is stepped after each step, or after each epoch with `schedule="epoch"`. `metrics` are functions of
    output and target by name, whose means over the validation data are recorded. `clip` bounds the norm of all
    gradients. With `checkpoint`, the path of a file, the run is kept there after each `every` steps and each epoch;
    `norms` records the norms of the gradients, layer by layer, as often.

    >>> from glowgrad.training import Trainer
    >>> model = torch.nn.Linear(2, 1)
    >>> data = [(torch.randn(8, 2), torch.randn(8, 1)) for _ in range(4)]
    >>> trainer = Trainer(model, torch.optim.Adam(model.parameters()), torch.nn.functional.mse_loss, progress=False)
    >>> trainer.fit(data, epochs=2)[0]["epoch"]
    """

    def __init__(self, model, optimizer, loss, *, scheduler=None, schedule="step", metrics=None, clip=None,
                 checkpoint=None, every=100, norms=False, progress=True):
        if schedule not in ("step", "epoch"):
            raise ValueError(f"schedule is 'step' or 'epoch', not {schedule!r}")
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise ValueError(f"every is a number of steps, 1 or more, not {every!r}")
        self.model, self.optimizer, self.loss = model, optimizer, loss
        self.scheduler, self.schedule, self.metrics = scheduler, schedule, dict(metrics or {})
        self.clip, self.checkpoint, self.every = clip, checkpoint, every
        self.norms, self.progress = norms, progress
        self.history = History()
        # Epochs that have ended, and steps of the epoch that is under way.
        self.epoch, self.step_in_epoch = 0, 0
        self._epoch_random, self._is_interrupted = None, False

    @property
    def step(self):
        """Steps of all epochs so far."""
        return len(self.history.losses)

    def fit(self, batches, epochs, validate=None, resume=True):
        """Trains until `epochs` have ended, and gives the history.

        `batches` is iterated once for each epoch, such as a `DataLoader`; so is `validate`. Where the checkpoint's
        file is there, the run goes on from it, unless `resume` is False. A run that was stopped goes on when `fit` is
        called again: from its checkpoint, or without one where it stands.

        >>> glowgrad.training.Trainer.fit
        """
        if resume and self.checkpoint is not None and (self.step == 0 or self._is_interrupted):
            self._resume()
        elif not resume and self.step == 0 and self.checkpoint is not None and os.path.exists(self.checkpoint):
            os.remove(self.checkpoint)
        self._is_interrupted = True
        self.model.train()
        while self.epoch < epochs:
            self._run_epoch(batches, epochs, validate)
        self._is_interrupted = False
        return self.history

    def evaluate(self, batches):
        """The mean loss and metrics over all batches, each weighed by its size, without training.

        >>> from glowgrad.training import Trainer
        >>> model = torch.nn.Linear(2, 1)
        >>> trainer = Trainer(model, None, torch.nn.functional.mse_loss)
        >>> list(trainer.evaluate([(torch.ones(4, 2), torch.ones(4, 1))]))
        """
        totals, count = {}, 0
        was_training = self.model.training
        self.model.eval()
        with torch.no_grad():
            for batch in batches:
                *inputs, target = batch
                output = self.model(*inputs)
                n = len(target)
                for name, function in [("loss", self.loss), *self.metrics.items()]:
                    value = function(output, target)
                    value = value.item() if isinstance(value, torch.Tensor) else value
                    totals[name] = totals.get(name, 0.0) + value * n
                count += n
        self.model.train(was_training)
        if count == 0:
            raise ValueError("there is no batch to evaluate on")
        return {name: total / count for name, total in totals.items()}

    def save(self, path=None):
        """Writes the run to a file, that of the checkpoint if none is named. >>> glowgrad.training.Trainer.save"""
        path = self.checkpoint if path is None else path
        if path is None:
            raise ValueError("no path: give one, or make the Trainer with checkpoint=")
        progress = {"epoch": self.epoch, "step_in_epoch": self.step_in_epoch, "step": self.step}
        save_checkpoint(
            path, self.model, self.optimizer, self.scheduler, progress=progress, history=self.history,
            epoch_random=self._epoch_random,
        )

    def _resume(self):
        if not os.path.exists(self.checkpoint):
            return
        found = load_checkpoint(self.checkpoint, self.model, self.optimizer, self.scheduler)
        progress = found.texts["progress"]
        self.epoch, self.step_in_epoch = progress["epoch"], progress["step_in_epoch"]
        self.history = found.history()
        self._epoch_random = found.tensors.get("random.epoch")
        if self.progress:
            print(f"goes on at step {self.step}, in epoch {self.epoch + 1}, from {self.checkpoint}")

    def _run_epoch(self, batches, epochs, validate):
        began = time.perf_counter()
        remaining = iter(self._remaining(batches))
        total = len(batches) if hasattr(batches, "__len__") else None
        bar, step = self._bar(total, epochs), self._made_step()
        while True:
            # A batch is drawn just before its step, as in a loop.
            part = islice(remaining, self.every - self.step % self.every)
            first = next(part, None)
            if first is None:
                break
            part = chain([first], part)
            if _are_tensors(first):
                losses = lab.train(step, part)
            else:
                losses = [step(*batch).item() for batch in part]
            self.step_in_epoch += len(losses)
            self.history.losses += losses
            self._look(losses)
            if bar is not None:
                bar.update(len(losses))
                bar.set_postfix(loss=f"{losses[-1]:.4f}")
            if self.checkpoint is not None and self.step % self.every == 0:
                self.save()
        if bar is not None:
            bar.close()
        if self.step_in_epoch == 0:
            raise ValueError(
                "the data gave no batch; an iterator is used up after one epoch: pass a list or a DataLoader"
            )
        self._end_epoch(time.perf_counter() - began, validate, epochs)

    def _remaining(self, batches):
        """The batches of the epoch from where it stands."""
        if self.step_in_epoch == 0:
            self._epoch_random = torch.get_rng_state()
            return batches
        now, python_now = torch.get_rng_state(), random.getstate()
        torch.set_rng_state(self._epoch_random)
        iterator = iter(batches)
        passed = sum(1 for _ in islice(iterator, self.step_in_epoch))
        if passed < self.step_in_epoch:
            raise ValueError(
                f"the run stands at step {self.step_in_epoch} of the epoch, and the data gives {passed} batches; go on "
                "with the data that it began with"
            )
        torch.set_rng_state(now)
        random.setstate(python_now)
        return iterator

    def _made_step(self):
        """The step as a function that remembers nothing of the run, so that `lab.train` can run it by itself."""
        model, optimizer, loss_function, clip = self.model, self.optimizer, self.loss, self.clip
        scheduler = self.scheduler if self.schedule == "step" else None

        def step(*batch):
            *inputs, target = batch
            optimizer.zero_grad()
            loss = loss_function(model(*inputs), target)
            loss.backward()
            if clip is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            if scheduler is not None:
                scheduler.step()
            return loss

        return step

    def _look(self, losses):
        """Draws the losses of some steps, and looks at the gradients of the last one."""
        for loss in losses:
            lab.plot(loss=loss)
        if self.norms:
            norms = {
                name: parameter.grad.norm().item()
                for name, parameter in self.model.named_parameters() if parameter.grad is not None
            }
            self.history.norms.append({"step": self.step, **norms})
            lab.plot(**{f"gradient of {name}": norm for name, norm in norms.items()})

    def _end_epoch(self, seconds, validate, epochs):
        self.epoch += 1
        losses = self.history.losses[-self.step_in_epoch:]
        row = {"epoch": self.epoch, "step": self.step, "loss": sum(losses) / len(losses)}
        row["lr"] = self.optimizer.param_groups[0]["lr"]
        if validate is not None:
            row.update({f"validation {name}": value for name, value in self.evaluate(validate).items()})
        if self.scheduler is not None and self.schedule == "epoch":
            self.scheduler.step()
        row["seconds"] = seconds
        self.history.append(row)
        self.step_in_epoch = 0
        if self.checkpoint is not None:
            self.save()
        lab.plot(**{name: value for name, value in row.items() if name.startswith("validation")})
        if self.progress:
            said = [f"{name} {value:.4f}" for name, value in row.items() if name not in _UNSAID]
            print(f"epoch {self.epoch} of {epochs}: {', '.join(said)}, {seconds:.1f} s")

    def _bar(self, total, epochs):
        if not self.progress:
            return None
        from tqdm import tqdm

        return tqdm(total=total, initial=self.step_in_epoch, desc=f"epoch {self.epoch + 1} of {epochs}", leave=False)


# What stands in an epoch's row and not in its line.
_UNSAID = ("epoch", "step", "lr", "seconds")


def _are_tensors(batch):
    return isinstance(batch, (tuple, list)) and all(isinstance(each, torch.Tensor) for each in batch)
