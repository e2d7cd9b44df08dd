import glowgrad as torch


def both(groups, n_held):
    """The two lists of rows that `split` gives."""
    known, held = split(torch.tensor(groups), n_held)
    return [int(row) for row in known], [int(row) for row in held]


def groups_of(groups, rows):
    return sorted({groups[row] for row in rows})


def given_of(groups, n_held):
    return f"groups = {groups}, n_held = {n_held}"


def check_every_row():
    """Every row comes once, on one of the two sides."""
    torch.manual_seed(0)
    known, held = both([0, 0, 1, 1], 1)
    expect(sorted(known + held), [0, 1, 2, 3], given=given_of([0, 0, 1, 1], 1) + ", the rows of both sides, sorted")


def check_together():
    """No group is on both sides."""
    for groups in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0, 1, 2]):
        for seed in range(10):
            torch.manual_seed(seed)
            known, held = both(groups, 1)
            shared = [g for g in groups_of(groups, known) if g in groups_of(groups, held)]
            expect(shared, [], given=given_of(groups, 1) + ", the groups that are on both sides")


def check_how_many():
    """As many groups are held back as were asked for."""
    for groups in ([0, 0, 1, 1, 2, 2], [0, 1, 2, 0, 1, 2, 0, 0]):
        for n_held in (1, 2):
            for seed in range(10):
                torch.manual_seed(seed)
                _, held = both(groups, n_held)
                given = given_of(groups, n_held) + ", the number of groups held back"
                expect(len(groups_of(groups, held)), n_held, given=given)


def check_any_numbers():
    """The groups may have any numbers."""
    groups = [7, 40, 7, 3]
    for seed in range(10):
        torch.manual_seed(seed)
        known, held = both(groups, 1)
        given = given_of(groups, 1)
        expect(len(groups_of(groups, held)), 1, given=given + ", the number of groups held back")
        expect(sorted(known + held), [0, 1, 2, 3], given=given + ", the rows of both sides, sorted")


def check_same_chance():
    """Each group has the same chance, a small one too."""
    groups = [5, 5, 5, 5, 5, 5, 5, 5, 9]
    torch.manual_seed(0)
    small = 0
    for _ in range(300):
        _, held = both(groups, 1)
        small += groups_of(groups, held) == [9]
    given = given_of(groups, 1) + ", 300 calls: how often group 9 was held back"
    expect(small / 300, 0.5, given=given, tol=0.08)
