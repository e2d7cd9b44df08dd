//! Data sets that are made from a seed: their shapes, where their points lie, and what they refuse.

use crate::common::lab;

const SETS: &str = r#"
import math
import torch
from glowgrad.datasets import make_addition, make_blobs, make_moons, make_spirals


def seeded():
    return torch.Generator().manual_seed(0)


points, labels = make_moons(201, noise=0.0, generator=seeded())
assert points.shape == (201, 2) and labels.shape == (201,)
assert torch.bincount(labels).tolist() == [101, 100]
outer, inner = points[labels == 0], points[labels == 1]
assert torch.allclose(outer.norm(dim=1), torch.ones(101))
assert torch.allclose((inner - torch.tensor([1.0, 0.5])).norm(dim=1), torch.ones(100))
assert torch.equal(make_moons(201, noise=0.0, generator=seeded())[0], points)
spread = make_moons(5000, noise=0.1, generator=seeded())[0][:, 1].std()
assert spread > make_moons(5000, noise=0.0)[0][:, 1].std()

points, labels = make_spirals(300, classes=3, noise=0.0, turns=0.5)
assert torch.bincount(labels).tolist() == [100] * 3
assert points.norm(dim=1).max() <= 1.0 + 1e-6
end = points[points.norm(dim=1).argmax()]
assert abs(end.norm() - 1) < 1e-6

centers = torch.tensor([[0.0, 0.0], [100.0, 0.0]])
points, labels = make_blobs(1000, centers, spread=2.0, generator=seeded())
for i, center in enumerate(centers):
    cloud = points[labels == i]
    assert (cloud.mean(0) - center).norm() < 0.5
    assert (cloud - center).std(0).sub(2).abs().max() < 0.2
assert make_blobs(10, 4, box=0.0, spread=0.0)[0].abs().max() == 0

questions, answers = make_addition(500, digits=3, generator=seeded())
assert questions.shape == (500, 8) and answers.shape == (500, 4)
for question, answer in zip(questions.tolist(), answers.tolist()):
    assert question[3] == 10 and question[7] == 11
    number = lambda digits: int("".join(map(str, digits)))
    assert number(question[:3]) + number(question[4:7]) == number(answer)

for wrong in (
    lambda: make_moons(0), lambda: make_moons(5, noise=-1), lambda: make_spirals(9, classes=0),
    lambda: make_addition(3, digits=18), lambda: make_blobs(5, spread=-1),
):
    try:
        wrong()
    except ValueError as error:
        print(error)
try:
    torch.datasets.make_circles
except AttributeError as error:
    print(error)
"#;

#[test]
fn made_sets_are_what_they_say() {
    lab(|lab| {
        let printed = lab.output(SETS);
        let expected = "\
n_samples is 1 or more, not 0
noise is 0 or more, not -1
classes is 1 or more, not 0
digits is from 1 to 17, not 18
spread is 0 or more, not -1
module 'glowgrad.datasets' has no attribute 'make_circles'
";
        let lines: Vec<&str> = printed
            .lines()
            .filter(|line| !line.starts_with("torch is"))
            .collect();
        assert_eq!(lines.join("\n") + "\n", expected);
    });
}
