//! `glowgrad.lab` draws tensors: what is sent, how it is bounded, and what is said of a wrong call.

use glowgrad_python::FigureKind;

use crate::common::lab;

const IMPORTS: &str = "import glowgrad as torch\nfrom glowgrad import lab\n";

#[test]
fn a_histogram_counts_and_says_what_it_leaves_out() {
    lab(|lab| {
        lab.output(&format!(
            "{IMPORTS}x = torch.tensor([0., 1., 1.5, 4., float('nan'), float('inf')])\n\
             lab.histogram(x, bins=4)\nlab.histogram(x, name='part', bins=2, range=(0, 2))"
        ));
        let figures = lab.host.figures.take();
        let [all, part] = &figures[..] else {
            panic!("{} figures", figures.len());
        };
        assert_eq!(all.kind, FigureKind::Histogram);
        assert_eq!((all.name.as_str(), all.place, all.drawn), ("x", 0, 1));
        assert_eq!((all.low, all.high), (0.0, 4.0));
        assert_eq!(all.values, [1.0, 2.0, 0.0, 1.0]);
        assert_eq!((all.nan, all.outside), (1, 1));
        assert_eq!(all.mean, 6.5 / 4.0);
        assert_eq!((part.name.as_str(), part.place), ("part", 1));
        assert_eq!(part.values, [1.0, 2.0]);
        assert_eq!((part.nan, part.outside), (1, 2));
    });
}

#[test]
fn a_figure_that_is_saved_is_drawn_and_no_file_is_written() {
    lab(|lab| {
        lab.output(
            "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.savefig('loss.png')\nplt.show()",
        );
        let charts = lab.host.charts.take();
        let places: Vec<usize> = charts.iter().map(|chart| chart.place).collect();
        assert!(
            !places.is_empty() && places.iter().all(|&place| place == 0),
            "{places:?}"
        );
        let notices = lab.host.notices.take().join(" ");
        assert!(notices.contains("savefig: no file is written"), "{notices}");
    });
}

#[test]
fn images_have_a_scale_by_dtype_and_every_view_has_its_own_numbers() {
    lab(|lab| {
        lab.output(&format!(
            "{IMPORTS}x = torch.arange(6.).reshape(2, 3)\n\
             lab.image(x.t())\nlab.image(x.to(torch.uint8))\nlab.image(x > 2)\n\
             lab.image(x.expand(3, 2, 3), range=(-1, 5))\nlab.heatmap(x[:, ::2])\nlab.heatmap(torch.zeros(600, 2))"
        ));
        let figures = lab.host.figures.take();
        let scale: Vec<(f64, f64)> = figures.iter().map(|f| (f.low, f.high)).collect();
        assert_eq!(
            scale,
            [
                (0.0, 1.0),
                (0.0, 255.0),
                (0.0, 1.0),
                (-1.0, 5.0),
                (0.0, 5.0),
                (0.0, 0.0)
            ]
        );
        assert_eq!(figures[0].values, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        assert_eq!(figures[0].outside, 4);
        assert_eq!(figures[3].size, [3, 2, 3]);
        assert_eq!(figures[4].values, [0.0, 2.0, 3.0, 5.0]);
        assert_eq!((figures[5].size, figures[5].every), ([1, 200, 1], 3));
    });
}

#[test]
fn a_name_replaces_and_the_last_is_always_sent() {
    lab(|lab| {
        lab.output(&format!(
            "{IMPORTS}for i in range(300):\n    lab.histogram(torch.full((2,), float(i)), name='w')"
        ));
        let figures = lab.host.figures.take();
        assert!(figures.iter().all(|figure| figure.place == 0));
        let last = figures.last().expect("one at least");
        assert_eq!((last.drawn, last.mean), (300, 299.0));
        assert!(figures.len() < 100, "{} were sent", figures.len());
        // Another run begins anew.
        lab.output("lab.histogram(torch.zeros(2), name='w')");
        assert_eq!(lab.host.figures.borrow()[0].drawn, 1);
    });
}

#[test]
fn a_run_has_thirty_two_figures() {
    lab(|lab| {
        let error = lab.error(&format!(
            "{IMPORTS}while True:\n    lab.heatmap(torch.eye(2))"
        ));
        assert_eq!(error.kind, "RuntimeError");
        assert!(
            error.message.contains("drawn 32 pictures"),
            "{}",
            error.message
        );
        assert_eq!(lab.host.figures.borrow().len(), 32);
    });
}

#[test]
fn a_wrong_call_says_what_came_and_what_to_do() {
    let wrong = [
        (
            "lab.histogram([1.0])",
            "TypeError",
            "argument 'tensor' (position 1) must be Tensor, not list",
        ),
        (
            "lab.histogram(x, bins=0)",
            "RuntimeError",
            "bins must be > 0 and at most 512, but got 0",
        ),
        (
            "lab.histogram(x, bins=10**9)",
            "RuntimeError",
            "at most 512",
        ),
        (
            "lab.histogram(x, bins=2.5)",
            "TypeError",
            "argument 'bins' must be int, not float",
        ),
        (
            "lab.histogram(x, bins=True)",
            "TypeError",
            "must be int, not bool",
        ),
        (
            "lab.histogram(x, range=(2, 1))",
            "RuntimeError",
            "max must be larger than min",
        ),
        (
            "lab.histogram(x, range=(0, float('nan')))",
            "RuntimeError",
            "is not finite",
        ),
        (
            "lab.histogram(x, range=3)",
            "TypeError",
            "must be two numbers (low, high), got 3",
        ),
        (
            "lab.histogram(x, name=3)",
            "TypeError",
            "argument 'name' must be str, not int",
        ),
        (
            "lab.histogram(torch.zeros(2049, 2048))",
            "RuntimeError",
            "give a part of it",
        ),
        ("lab.image(x)", "RuntimeError", "tensor.reshape(8, 8)"),
        (
            "lab.image(torch.zeros(4, 4, 3))",
            "RuntimeError",
            "permute(2, 0, 1)",
        ),
        (
            "lab.image(torch.zeros(2, 3, 4, 4))",
            "RuntimeError",
            "tensor[0]",
        ),
        (
            "lab.heatmap(x)",
            "RuntimeError",
            "expected a 2-D tensor, but got 1-D",
        ),
        ("lab.heatmap(None)", "TypeError", "not NoneType"),
        ("lab.bytes('x')", "TypeError", "bytes(): argument"),
    ];
    lab(move |lab| {
        lab.output(&format!("{IMPORTS}x = torch.zeros(3)"));
        for (call, kind, part) in wrong {
            let error = lab.error(call);
            assert_eq!(error.kind, kind, "{call}: {}", error.message);
            assert!(error.message.contains(part), "{call}: {}", error.message);
        }
        assert!(lab.host.figures.borrow().is_empty());
    });
}

#[test]
fn odd_tensors_are_drawn_too() {
    lab(|lab| {
        lab.output(&format!(
            "{IMPORTS}for t in (torch.zeros(0), torch.tensor(3), torch.full((2,), float('nan')),\n\
             \x20         torch.tensor([-1.7e308, 1.7e308], dtype=torch.float64), torch.tensor([2**62])):\n\
             \x20   lab.histogram(t)\n\
             lab.image(torch.zeros(0, 5))\nlab.heatmap(torch.zeros(5, 0))\nlab.heatmap(torch.full((2, 2), float('inf')))"
        ));
        let figures = lab.host.figures.take();
        assert_eq!(figures.len(), 8);
        assert_eq!((figures[1].low, figures[1].high), (2.0, 4.0));
        assert_eq!(figures[3].values.iter().sum::<f64>(), 2.0);
        assert_eq!(figures[7].outside, 4);
    });
}

#[test]
fn bytes_are_where_the_strides_say() {
    lab(|lab| {
        let text = lab.output(&format!(
            "{IMPORTS}x = torch.tensor([[1.0, 2.0], [3.0, -1.0]])\nlab.bytes(x.t()[1:])"
        ));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "shape [1, 2], strides [1, 2], offset 1, torch.float32, 8 bytes, not row by row"
        );
        assert_eq!(lines[2], "[0, 0]         4  00 00 00 40  2");
        assert_eq!(lines[3], "[0, 1]        12  00 00 80 bf  -1");
        let look = lab.host.looks.borrow();
        assert_eq!(
            (look[0].instrument.as_str(), look[0].name.as_deref()),
            ("memory", None)
        );
        drop(look);
        let text = lab.output("lab.bytes(torch.arange(40))\nlab.pin(x)");
        assert!(text.ends_with("… and 8 more elements\n"), "{text}");
        let looks = lab.host.looks.borrow();
        assert_eq!(looks[2].name.as_deref(), Some("x"));
        assert_eq!(looks[2].instrument, "graph");
    });
}
