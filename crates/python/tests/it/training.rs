//! `glowgrad.training`: a run that was interrupted and goes on computes the bits of one that was not.

use crate::common::lab;

/// A run of three epochs with all that draws random numbers or remembers something; `build()` makes it anew.
const BUILD: &str = r#"
import os
import random
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from glowgrad.training import Trainer, accuracy, load_checkpoint, save_checkpoint

torch.manual_seed(1)
points = torch.randn(60, 4)
labels = (points[:, 0] * points[:, 1] > 0).long()


class Noisy(TensorDataset):
    def __getitem__(self, index):
        x, y = super().__getitem__(index)
        return x + 0.1 * torch.randn(4) + random.random(), y


def build(path, optimizer, dataset=TensorDataset):
    torch.manual_seed(2)
    random.seed(2)
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 2))
    made = optimizer(model.parameters())
    trainer = Trainer(
        model, made, nn.functional.cross_entropy, metrics={"accuracy": accuracy}, clip=1.0, norms=True,
        scheduler=torch.optim.lr_scheduler.OneCycleLR(made, 0.05, total_steps=24), checkpoint=path, every=3,
        progress=False,
    )
    return trainer, DataLoader(dataset(points, labels), batch_size=8, shuffle=True)


def bits(trainer):
    state = [tensor for tensor in trainer.model.state_dict().values()]
    state += [value for each in trainer.optimizer.state.values() for _, value in sorted(each.items()) if torch.is_tensor(value)]
    rows = [{name: value for name, value in row.items() if name != "seconds"} for row in trainer.history]
    return [tensor.tolist() for tensor in state], rows, trainer.history.losses, trainer.history.norms


class Stopped(Exception):
    pass


def until(step, loss):
    """The loss, which raises at a step: as a crash would."""
    count = [0]

    def counted(output, target):
        count[0] += torch.is_grad_enabled()
        if count[0] > step:
            raise Stopped
        return loss(output, target)

    return counted
"#;

const SAME_BITS: &str = r#"
optimizers = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01, amsgrad=True),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
}
for name, optimizer in optimizers.items():
    for dataset in (TensorDataset, Noisy) if name == "sgd" else (TensorDataset,):
        whole, data = build(None, optimizer, dataset)
        whole.fit(data, epochs=3, validate=[(points, labels)])
        assert len(whole.history) == 3 and len(whole.history.losses) == 24
        for stop in (1, 3, 8, 9, 20):
            path = f"runs/{name}.safetensors"
            if os.path.exists(path):
                os.remove(path)
            first, data = build(path, optimizer, dataset)
            first.loss = until(stop, first.loss)
            try:
                first.fit(data, epochs=3, validate=[(points, labels)])
                raise AssertionError("it went on")
            except Stopped:
                pass
            second, data = build(path, optimizer, dataset)
            second.fit(data, epochs=3, validate=[(points, labels)])
            assert bits(second) == bits(whole), (name, dataset, stop)
print("same bits")
"#;

const WORDS: &str = r#"
import time
time.perf_counter = lambda: 0.0
trainer, data = build("runs/a.safetensors", torch.optim.Adam)
trainer.progress = True
history = trainer.fit(data, epochs=1, validate=data)
print(sorted(history[0]), history.best("validation loss")["epoch"], os.listdir("runs"))
again, data = build("runs/a.safetensors", torch.optim.Adam)
again.progress = True
again.fit(data, epochs=2)
print(again.step, len(again.history))
fresh, data = build("runs/a.safetensors", torch.optim.Adam)
fresh.fit(data, epochs=1, resume=False)
print(fresh.step, len(fresh.history.norms), sorted(fresh.history.norms[0])[:3])

torch.save({}, "other.pt")
from safetensors.torch import save_file
save_file({"x": torch.ones(1)}, "plain.safetensors")
save_checkpoint("alone.safetensors", trainer.model)
with open("runs/a.safetensors", "rb") as file:
    data_ = file.read()
with open("cut.safetensors", "wb") as file:
    file.write(data_[:-9])
for wrong in (
    lambda: load_checkpoint("other.pt", trainer.model),
    lambda: load_checkpoint("plain.safetensors", trainer.model),
    lambda: load_checkpoint("cut.safetensors", trainer.model),
    lambda: load_checkpoint("alone.safetensors", trainer.model, trainer.optimizer),
    lambda: load_checkpoint("runs/a.safetensors", nn.Linear(4, 2)),
    lambda: load_checkpoint("none.safetensors", trainer.model),
    lambda: Trainer(trainer.model, None, None, every=0),
    lambda: Trainer(trainer.model, None, None, schedule="week"),
    lambda: trainer.evaluate([]),
    lambda: Trainer(trainer.model, trainer.optimizer, None, progress=False).fit(iter([]), 1),
    lambda: Trainer(trainer.model, trainer.optimizer, None).save(),
):
    try:
        wrong()
        print("went on")
    except Exception as error:
        print(f"{type(error).__name__}: {str(error)[:90]}")
"#;

#[test]
fn an_interrupted_run_goes_on_with_the_same_bits() {
    lab(|lab| assert_eq!(lab.output(&format!("{BUILD}{SAME_BITS}")), "same bits\n"));
}

#[test]
fn a_run_says_what_it_does_and_what_does_not_fit() {
    lab(|lab| {
        let printed = lab.output(&format!("{BUILD}{WORDS}"));
        assert_eq!(printed, include_str!("../golden/training.txt"));
    });
}
