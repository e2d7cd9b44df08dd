import glowgrad as torch
import glowgrad.nn as nn


class Script:
    """A model whose weight is the number of the epoch, with losses that are known beforehand."""

    def __init__(self, losses, patience):
        self.given = f"validation losses {losses}, patience {patience}"
        self.losses, self.epochs = losses, 0
        self.model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.BatchNorm1d(1))
        self.result = train_until(self.model, self.epoch, self.validate, patience)

    def epoch(self):
        if self.epochs == len(self.losses):
            raise RuntimeError(f"no stop after {self.epochs} epochs with the {self.given}")
        self.epochs += 1
        with torch.no_grad():
            self.model[0].weight.fill_(self.epochs)
            self.model[1].running_mean.fill_(self.epochs)

    def validate(self):
        return self.losses[self.epochs - 1]

    def weight(self):
        return self.model[0].weight.item()


def check_lowest():
    """The lowest validation loss is returned, and not the last one."""
    script = Script([3.0, 2.0, 4.0], 1)
    expect(script.result, 2.0, given=script.given)


def check_best_weights():
    """The model has the weights of the epoch with the lowest loss."""
    script = Script([3.0, 2.0, 4.0], 1)
    expect(script.weight(), 2.0, given=script.given + ", weights 1, 2, 3, the weight in the end")


def check_waits():
    """With patience 2, one bad epoch is not the end."""
    script = Script([3.0, 5.0, 1.0, 5.0, 5.0], 2)
    expect(script.weight(), 3.0, given=script.given + ", weights 1, 2, 3, 4, 5, the weight in the end")


def check_stops():
    """It stops as soon as the patience is at its end."""
    script = Script([3.0, 5.0, 5.0, 5.0, 5.0, 1.0], 3)
    expect(script.epochs, 4, given=script.given + ", the number of epochs")


def check_in_a_row():
    """Only epochs in a row count: a new lowest loss sets the count back."""
    script = Script([5.0, 6.0, 4.0, 6.0, 3.0, 6.0, 6.0], 2)
    expect(script.epochs, 7, given=script.given + ", the number of epochs")
    expect(script.weight(), 5.0, given=script.given + ", weights 1 to 7, the weight in the end")


def check_no_new_lowest():
    """Better than the epoch before is not enough: it has to be a new lowest loss."""
    script = Script([2.0, 5.0, 4.0, 3.0, 2.5, 2.4], 2)
    expect(script.epochs, 3, given=script.given + ", the number of epochs")


def check_equal():
    """An equal loss is no new lowest."""
    script = Script([2.0, 2.0, 2.0, 2.0], 2)
    expect(script.epochs, 3, given=script.given + ", the number of epochs")
    expect(script.weight(), 1.0, given=script.given + ", weights 1, 2, 3, the weight in the end")


def check_running():
    """The running numbers of a batch norm are put back as well."""
    script = Script([3.0, 2.0, 4.0], 1)
    got = script.model[1].running_mean.item()
    expect(got, 2.0, given=script.given + ", running means 1, 2, 3, the running mean in the end")


def check_trains_on():
    """The model can be trained on: its weights are still the same parameters."""
    torch.manual_seed(0)
    model = nn.Linear(1, 1, bias=False)
    weight = model.weight
    losses = [2.0, 1.0, 3.0]
    train_until(model, lambda: None, lambda: losses.pop(0), 1)
    expect(model.weight is weight, True, given="whether model.weight is the parameter that it was before")
