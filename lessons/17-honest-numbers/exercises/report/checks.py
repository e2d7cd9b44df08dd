import glowgrad as torch


def part(index, truth, guesses, classes):
    return report(torch.tensor(truth), torch.tensor(guesses), classes)[index]


def given_of(truth, guesses, classes):
    return f"truth = {truth}, guesses = {guesses}, classes = {classes}"


def table_of(truth, guesses, classes, want):
    given = given_of(truth, guesses, classes) + ", the matrix"
    expect(part(0, truth, guesses, classes), torch.tensor(want), given=given)


def check_right():
    """A right answer stands on the diagonal."""
    table_of([1], [1], 2, [[0, 0], [0, 1]])


def check_wrong():
    """A wrong answer stands in the row of the truth and the column of the guess."""
    table_of([0], [1], 2, [[0, 1], [0, 0]])


def check_counts():
    """The same pair counts as often as it comes."""
    table_of([0, 0, 0, 1], [1, 1, 0, 1], 2, [[1, 2], [0, 1]])


def check_absent():
    """A class that does not come has a row and a column, too."""
    table_of([0, 1], [0, 0], 3, [[1, 0, 0], [1, 0, 0], [0, 0, 0]])


def check_accuracy():
    """The accuracy is the share of right answers."""
    truth, guesses = [0, 1, 2, 2], [0, 1, 2, 1]
    got = part(1, truth, guesses, 3)
    expect(got, 0.75, given=given_of(truth, guesses, 3) + ", the accuracy")


def check_error():
    """The standard error of two right answers of four is 0.25."""
    truth, guesses = [0, 0, 1, 1], [0, 1, 1, 0]
    expect(part(2, truth, guesses, 2), 0.25, given=given_of(truth, guesses, 2) + ", the standard error", tol=1e-5)


def check_error_of_many():
    """The standard error of 90 right answers of 100 is 0.03."""
    truth, guesses = [1] * 100, [1] * 90 + [0] * 10
    given = "100 answers, 90 of them right, the standard error"
    expect(part(2, truth, guesses, 2), 0.03, given=given, tol=1e-5)


def check_all_right():
    """If all answers are right, the formula gives 0."""
    expect(part(2, [0, 1], [0, 1], 2), 0.0, given=given_of([0, 1], [0, 1], 2) + ", the standard error", tol=1e-5)
