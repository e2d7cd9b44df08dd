import glowgrad as torch


def check_first_call():
    """The first call gives the gradient."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    expect(fresh_gradient(lambda x: x * x, x), torch.tensor([2.0, 4.0]), given="f = x * x, x = [1, 2]")


def check_second_call():
    """The second call gives the same answer as the first."""
    x = torch.tensor([1.0], requires_grad=True)
    fresh_gradient(lambda x: x, x)
    expect(fresh_gradient(lambda x: x, x), torch.tensor([1.0]), given="f = x, x = [1], called a second time")


def check_other_function():
    """A call for one function leaves nothing over for the next."""
    x = torch.tensor([2.0, -1.0], requires_grad=True)
    fresh_gradient(lambda x: x * x * x, x)
    expect(
        fresh_gradient(lambda x: 3 * x, x),
        torch.tensor([3.0, 3.0]),
        given="f = 3 * x, x = [2, -1], after a call for x * x * x",
    )


def check_old_answer_stays():
    """An answer you handed out stays as it was when you compute the next one."""
    x = torch.tensor([2.0], requires_grad=True)
    first = fresh_gradient(lambda x: x * x, x)
    fresh_gradient(lambda x: 10 * x, x)
    expect(first, torch.tensor([4.0]), given="the answer for x * x at x = [2], after asking for 10 * x")
