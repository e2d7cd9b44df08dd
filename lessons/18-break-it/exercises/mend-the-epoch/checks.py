import math

import glowgrad as torch
import glowgrad.nn as nn
import glowgrad.nn.functional as F


class Spy(nn.Module):
    """A linear layer that notes the first number of each row it is shown, batch by batch."""

    def __init__(self, weight):
        super().__init__()
        self.linear = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
        with torch.no_grad():
            self.linear.weight.copy_(weight)
        self.seen = []

    def forward(self, x):
        self.seen.append(x[:, 0].tolist())
        return self.linear(x)


def sgd(model, rate):
    return torch.optim.SGD(model.parameters(), lr=rate)


def numbers(losses):
    return [float(loss) for loss in losses]


def check_one_example():
    """The loss is the cross-entropy of the model's scores."""
    model = Spy(torch.tensor([[2.0], [0.0]]))
    losses = epoch(model, sgd(model, 0.0), torch.tensor([[1.0]]), torch.tensor([1]), 1)
    given = "one example, scores [2, 0], the truth is class 1"
    expect(numbers(losses), [math.log(1 + math.exp(2))], given=given, tol=1e-4)


def check_belong_together():
    """Each input keeps its own answer."""
    model = Spy(20.0 * torch.eye(6))
    torch.manual_seed(0)
    losses = epoch(model, sgd(model, 0.0), torch.eye(6), torch.arange(6), 2)
    given = "6 examples, each with a score of 20 for its own class, 2 at a time"
    expect(numbers(losses), [0.0, 0.0, 0.0], given=given, tol=1e-4)


def check_no_graph():
    """The losses are Python numbers."""
    model = Spy(torch.tensor([[2.0], [0.0]]))
    losses = epoch(model, sgd(model, 0.1), torch.tensor([[1.0], [2.0]]), torch.tensor([1, 0]), 1)
    kinds = [type(loss).__name__ for loss in losses]
    expect(kinds, ["float", "float"], given="2 examples, 1 at a time: the types of the losses")


def check_each_once():
    """All examples come once, also where the last batch is smaller."""
    model = Spy(torch.zeros(2, 1))
    x = torch.arange(5.0).reshape(5, 1)
    losses = epoch(model, sgd(model, 0.1), x, torch.tensor([0, 1, 0, 1, 0]), 2)
    given = "x = [[0], [1], [2], [3], [4]], 2 at a time"
    expect([len(rows) for rows in model.seen], [2, 2, 1], given=given + ": the sizes of the batches")
    expect(sorted(sum(model.seen, [])), [0.0, 1.0, 2.0, 3.0, 4.0], given=given + ": what the model was shown, sorted")
    expect(len(losses), 3, given=given + ": the number of losses")


def check_random_order():
    """Every epoch has an order of its own."""
    model = Spy(torch.zeros(2, 1))
    x, y = torch.arange(20.0).reshape(20, 1), torch.zeros(20, dtype=torch.long)
    torch.manual_seed(0)
    for _ in range(2):
        epoch(model, sgd(model, 0.1), x, y, 20)
    first, second = model.seen
    given = "20 examples, two epochs"
    expect(first == sorted(first), False, given=given + ": whether the first is in the order of the data")
    expect(first == second, False, given=given + ": whether both have the same order")


def check_data_left_alone():
    """The data itself keeps its order."""
    x, y = torch.arange(20.0).reshape(20, 1), torch.arange(20) % 2
    model = Spy(torch.zeros(2, 1))
    torch.manual_seed(0)
    epoch(model, sgd(model, 0.0), x, y, 20)
    expect(x.flatten().tolist(), [float(i) for i in range(20)], given="x = [[0], …, [19]], what stands in x afterwards")
    expect(y.tolist(), [0, 1] * 10, given="y = [0, 1, 0, 1, …], what stands in y afterwards")


def check_steps():
    """One step for each batch, each with a gradient of its own."""
    model = Spy(torch.zeros(2, 1))
    x, y = torch.ones(2, 1), torch.tensor([0, 0])
    epoch(model, sgd(model, 1.0), x, y, 1)
    w = torch.zeros(2, 1)
    for _ in range(2):
        p = F.softmax(w[:, 0], dim=0)
        w = w - torch.tensor([[p[0].item() - 1], [p[1].item()]])
    given = "two equal examples of class 0, 1 at a time, weights 0, SGD at rate 1: the weights afterwards"
    expect(model.linear.weight.detach(), w, given=given, tol=1e-5)
