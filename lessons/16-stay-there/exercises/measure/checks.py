import glowgrad as torch
import glowgrad.nn as nn

SCORES = torch.tensor([[11.0, 0.0], [12.0, 0.0], [10.0, 1.0], [10.0, 2.0]])


def normed():
    """Batch norm that subtracts 10 from the first score in eval mode, so that it guesses 0, 0, 1, 1."""
    norm = nn.BatchNorm1d(2)
    with torch.no_grad():
        norm.running_mean.copy_(torch.tensor([10.0, 0.0]))
    return nn.Sequential(norm)


def share(model, labels, size):
    return accuracy(model, SCORES, torch.tensor(labels), size)


def check_share():
    """Three right of four are 0.75."""
    expect(share(nn.Sequential(), [0, 0, 0, 1], 4), 0.75, given="no norm, three of four images right, 4 at once")


def check_smaller_batch():
    """Every image counts the same, in a smaller last batch too."""
    expect(share(nn.Sequential(), [0, 0, 1, 0], 3), 0.75, given="no norm, three of four images right, 3 at once")


def check_size():
    """With batch norm the answer does not depend on size."""
    for size in (4, 2, 1):
        got = share(normed(), [0, 0, 1, 1], size)
        expect(got, 1.0, given="batch norm, four of four images right in eval mode, %d at once" % size)


def check_running():
    """Measuring moves no running number."""
    model = normed()
    share(model, [0, 0, 1, 1], 2)
    expect(model[0].running_mean.clone(), torch.tensor([10.0, 0.0]), given="a running mean of 10 and 0 before")


def check_train_mode():
    """A model that was in train mode is in train mode again."""
    model = normed()
    share(model, [0, 0, 1, 1], 2)
    expect((model.training, model[0].training), (True, True), given="a model in train mode: the mode of it and of its norm")


def check_eval_mode():
    """A model that was in eval mode is in eval mode still."""
    model = normed()
    model.eval()
    share(model, [0, 0, 1, 1], 2)
    given = "a model in eval mode: whether it and its norm are in train mode"
    expect((model.training, model[0].training), (False, False), given=given)
