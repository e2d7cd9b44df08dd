"""Convolutions, pools, resizing, and the rearrangements that go with images.

Maxima have no ties but in the cases that name them. Sizes stay tiny: the arguments are what varies.
"""

import torch.nn.functional as F

from .record import F32, F64, I64, INF, NAN, Samples, Tensor, rows


def convolutions():
    for n, op, function in [(1, "conv1d", F.conv1d), (2, "conv2d", F.conv2d), (3, "conv3d", F.conv3d)]:
        s = Samples(op)
        image = {1: [6], 2: [4, 3], 3: [2, 3, 2]}[n]
        kernel = {1: [3], 2: [2, 2], 3: [2, 2, 1]}[n]
        unit = [1] * n

        def of(batch, c_in, c_out, image=image, kernel=kernel, groups=1, bias=True, **more):
            layout = more.pop("layout", "")
            x = s.tensor(*([batch] if batch is not None else []), c_in, *image, layout=layout, **more)
            weight = s.tensor(c_out, c_in // groups, *kernel, **more)
            return [x, weight, s.tensor(c_out, **more)] if bias else [x, weight]

        yield from rows(
            op,
            function,
            [
                ("with bias", of(1, 2, 2)),
                ("without bias", of(2, 1, 2, bias=False)),
                ("without batch", of(None, 2, 1)),
                ("stride", of(1, 1, 2), {"stride": 2}),
                ("padding", of(1, 1, 1), {"padding": 1}),
                ("stride and padding", of(1, 2, 1), {"stride": 2, "padding": 1}),
                ("one by one kernel", of(1, 2, 3, kernel=unit)),
                ("groups", of(1, 4, 2, groups=2), {"groups": 2}),
                ("depthwise", of(1, 2, 4, groups=2), {"groups": 2}),
                ("same", of(1, 1, 1), {"padding": "same"}),
                ("valid", of(1, 1, 1), {"padding": "valid"}),
                ("float64", of(1, 2, 1, dtype=F64)),
                ("float64, stride and padding", of(1, 1, 1, dtype=F64), {"stride": 2, "padding": 1}),
                ("no samples", of(0, 1, 2)),
                (
                    "transposed" if n > 1 else "sliced",
                    of(1, 1, 1, layout="transposed" if n > 1 else "sliced"),
                ),
                ("int64", of(1, 1, 1, dtype=I64)),
            ]
            + {
                1: [
                    ("dilation", of(1, 1, 1, kernel=[2]), {"dilation": 3}),
                    (
                        "same, even kernel, dilation",
                        of(1, 1, 1, kernel=[2]),
                        {"padding": "same", "dilation": 3},
                    ),
                    ("kernel as wide as the signal", of(2, 1, 2, kernel=[6])),
                    ("longer than a SIMD vector", of(1, 1, 1, image=[21], kernel=[3])),
                ],
                2: [
                    ("dilation", of(1, 1, 1, kernel=[2, 2]), {"dilation": 2}),
                    ("stride per dim", of(1, 1, 1), {"stride": [2, 1], "padding": [0, 1]}),
                    ("dilation per dim", of(1, 1, 1), {"dilation": [3, 1]}),
                    ("tall kernel", of(1, 2, 1, kernel=[3, 1])),
                    ("same, even kernel", of(1, 1, 1, kernel=[2, 3]), {"padding": "same"}),
                    ("edges", edges(), {"padding": 1}),
                ],
                3: [("stride per dim", of(1, 1, 1), {"stride": [1, 2, 1], "padding": [0, 1, 1]})],
            }[n],
        )
    for n, op, function in [
        (1, "conv_transpose1d", F.conv_transpose1d),
        (2, "conv_transpose2d", F.conv_transpose2d),
    ]:
        s = Samples(op)
        image, kernel = ([4], [3]) if n == 1 else ([2, 3], [2, 2])

        def turned(batch, c_in, c_out, groups=1, bias=True, image=image, kernel=kernel, **more):
            layout = more.pop("layout", "")
            x = s.tensor(*([batch] if batch is not None else []), c_in, *image, layout=layout, **more)
            weight = s.tensor(c_in, c_out // groups, *kernel, **more)
            return [x, weight, s.tensor(c_out, **more)] if bias else [x, weight]

        yield from rows(
            op,
            function,
            [
                ("with bias", turned(1, 2, 2)),
                ("without bias", turned(2, 1, 2, bias=False)),
                ("without batch", turned(None, 2, 1)),
                ("stride", turned(1, 1, 1), {"stride": 2}),
                ("padding", turned(1, 1, 1), {"padding": 1}),
                (
                    "stride and output padding",
                    turned(1, 1, 1),
                    {"stride": 2, "padding": 1, "output_padding": 1},
                ),
                ("groups", turned(1, 2, 4, groups=2), {"groups": 2}),
                ("dilation", turned(1, 1, 1), {"dilation": 2}),
                ("float64", turned(1, 2, 1, dtype=F64), {"stride": 2}),
                ("no samples", turned(0, 1, 1)),
                (
                    "transposed" if n > 1 else "sliced",
                    turned(1, 1, 1, layout="transposed" if n > 1 else "sliced"),
                ),
            ],
        )


def edges():
    x = Tensor(F32, [1, 1, 3, 3], [NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, INF])
    return [x, Tensor(F32, [1, 1, 2, 2], [1.0, 2.0, 3.0, 4.0])]


def pools():
    for n in [1, 2]:
        image = [6] if n == 1 else [4, 4]
        odd = [7] if n == 1 else [3, 5]
        layout = "sliced" if n == 1 else "transposed"
        hard = (
            [NAN, 1.0, -INF, -INF, INF, 2.0]
            if n == 1
            else [NAN, 1.0, -INF, -INF] * 2 + [INF, 2.0, -INF, -INF] * 2
        )
        ties = [1.0, 1.0, 2.0, 2.0, 2.0, 0.0] if n == 1 else [1.0, 1.0, 2.0, 2.0] * 4
        for kind in ["max", "avg"]:
            op = f"{kind}_pool{n}d"
            function = getattr(F, op)
            s = Samples(op)
            x = lambda batch, c, sizes=image, **more: s.tensor(
                *([batch] if batch is not None else []), c, *sizes, **more
            )
            table = [
                ("two", x(1, 2), {"kernel_size": 2}),
                ("without batch", x(None, 2), {"kernel_size": 2}),
                ("overlapping", x(1, 1), {"kernel_size": 3, "stride": 1}),
                ("gaps", x(1, 1), {"kernel_size": 1, "stride": 2}),
                ("padding", x(1, 1), {"kernel_size": 2, "padding": 1}),
                ("leftover is dropped", x(1, 1, odd), {"kernel_size": 2}),
                ("ceil mode", x(1, 1, odd), {"kernel_size": 2, "ceil_mode": True}),
                (
                    "ceil mode and padding",
                    x(1, 1, odd),
                    {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
                ),
                ("float64", x(1, 1, dtype=F64), {"kernel_size": 2}),
                ("no samples", x(0, 1), {"kernel_size": 2}),
                (layout, x(1, 1, layout=layout), {"kernel_size": 2}),
                ("edges", Tensor(F32, [1, 1, *image], hard), {"kernel_size": 2}),
            ]
            if n == 2:
                table += [("per dim", x(1, 1), {"kernel_size": [2, 1], "stride": [1, 2]})]
            if kind == "max":
                table += [
                    ("dilation", x(1, 1), {"kernel_size": 2, "stride": 1, "dilation": 2}),
                    ("ties take the first", Tensor(F32, [1, 1, *image], ties), {"kernel_size": 2}),
                    ("indices", x(1, 1), {"kernel_size": 2, "return_indices": True}),
                ]
            else:
                table += [
                    (
                        "padding not counted",
                        x(1, 1),
                        {"kernel_size": 2, "padding": 1, "count_include_pad": False},
                    )
                ]
                if n == 2:
                    table += [("divisor", x(1, 1), {"kernel_size": 2, "divisor_override": 3})]
            yield from rows(op, function, table)
        for kind in ["avg", "max"]:
            op = f"adaptive_{kind}_pool{n}d"
            s = Samples(op)
            x = lambda batch, c, sizes=image, **more: s.tensor(
                *([batch] if batch is not None else []), c, *sizes, **more
            )
            size = lambda k: k if n == 1 else [k, k]
            table = [
                ("divides", x(1, 2), {"output_size": size(2)}),
                ("does not divide", x(1, 1, odd), {"output_size": size(3)}),
                ("to one", x(2, 2), {"output_size": 1}),
                ("to the same", x(1, 1), {"output_size": image if n == 2 else 6}),
                ("to more", x(1, 1, [3] if n == 1 else [2, 3]), {"output_size": size(5)}),
                ("without batch", x(None, 2), {"output_size": size(2)}),
                ("float64", x(1, 1, dtype=F64), {"output_size": size(3)}),
                ("no samples", x(0, 1), {"output_size": size(2)}),
                (layout, x(1, 1, layout=layout), {"output_size": size(2)}),
                ("edges", Tensor(F32, [1, 1, *image], hard), {"output_size": size(3)}),
            ]
            if n == 2:
                table += [("open dim", x(1, 1, [3, 2]), {"output_size": [2, None]})]
            yield from rows(op, getattr(F, op), table)


def resizing():
    s = Samples("interpolate")
    line, plane = (lambda **m: s.tensor(1, 2, 3, **m)), (lambda **m: s.tensor(1, 1, 2, 3, **m))
    table = [
        ("nearest, factor", line(), {"scale_factor": 2}),
        ("nearest, size", line(), {"size": 5}),
        ("nearest, smaller", line(), {"size": 2}),
        ("nearest, plane", plane(), {"scale_factor": 2}),
        ("nearest, factors", plane(), {"scale_factor": [1.5, 2.0]}),
        ("nearest, float64", plane(dtype=F64), {"size": [3, 4]}),
        ("nearest, no samples", s.tensor(0, 1, 2, 2), {"scale_factor": 2}),
        ("nearest, transposed", plane(layout="transposed"), {"size": [4, 5]}),
        ("nearest, volume", s.tensor(1, 1, 1, 2, 2), {"scale_factor": 2}),
        ("nearest-exact", line(), {"size": 5, "mode": "nearest-exact"}),
        ("linear", line(), {"size": 5, "mode": "linear"}),
        ("linear, corners", line(), {"size": 5, "mode": "linear", "align_corners": True}),
    ]
    for corners in [False, True]:
        more = {"mode": "bilinear", "align_corners": corners}
        note = "bilinear, corners" if corners else "bilinear"
        table += [
            (f"{note}, factor", plane(), {"scale_factor": 2, **more}),
            (f"{note}, size", plane(), {"size": [3, 5], **more}),
            (f"{note}, smaller", s.tensor(1, 1, 4, 5), {"size": [2, 3], **more}),
            (f"{note}, to one", plane(), {"size": [1, 1], **more}),
            (f"{note}, float64", plane(dtype=F64), {"size": [3, 4], **more}),
            (f"{note}, transposed", plane(layout="transposed"), {"size": [3, 4], **more}),
        ]
    table += [("bilinear, fractional factor", plane(), {"scale_factor": 1.7, "mode": "bilinear"})]
    yield from rows("interpolate", F.interpolate, table)
    for op, sizes in {"pixel_shuffle": [4, 2, 3], "pixel_unshuffle": [1, 4, 2]}.items():
        s = Samples(op)
        key = "upscale_factor" if op == "pixel_shuffle" else "downscale_factor"
        yield from rows(
            op,
            getattr(F, op),
            [
                ("two", s.tensor(1, *sizes), {key: 2}),
                ("without batch", s.tensor(*sizes), {key: 2}),
                ("two samples", s.tensor(2, *([4, 1, 2] if op == "pixel_shuffle" else [1, 2, 2])), {key: 2}),
                ("one", s.tensor(1, *sizes), {key: 1}),
                ("float64", s.tensor(1, *sizes, dtype=F64), {key: 2}),
                ("int64", s.tensor(1, *sizes, dtype=I64), {key: 2}),
                # PyTorch 2.15 fails in the gradient of nothing.
                ("no samples", s.tensor(0, *sizes, requires_grad=False), {key: 2}),
                ("transposed", s.tensor(1, *sizes, layout="transposed"), {key: 2}),
            ],
        )


def patches():
    s = Samples("unfold")
    x = lambda *sizes, **more: s.tensor(*(sizes or (1, 1, 3, 3)), **more)
    yield from rows(
        "unfold",
        F.unfold,
        [
            ("two", x(), {"kernel_size": 2}),
            ("channels", x(1, 2, 2, 3), {"kernel_size": 2}),
            ("without batch", x(2, 3, 2), {"kernel_size": 2}),
            ("stride", x(1, 1, 4, 4), {"kernel_size": 2, "stride": 2}),
            ("padding", x(1, 1, 2, 2), {"kernel_size": 2, "padding": 1}),
            ("dilation", x(), {"kernel_size": 2, "dilation": 2}),
            ("per dim", x(1, 1, 3, 4), {"kernel_size": [2, 3], "stride": [1, 1], "padding": [1, 0]}),
            ("float64", x(1, 1, 3, 2, dtype=F64), {"kernel_size": 2}),
            ("no samples", x(0, 1, 3, 3), {"kernel_size": 2}),
            ("transposed", x(1, 1, 3, 4, layout="transposed"), {"kernel_size": 2}),
        ],
    )
    s = Samples("fold")
    x = lambda *sizes, **more: s.tensor(*sizes, **more)
    yield from rows(
        "fold",
        F.fold,
        [
            ("overlap adds up", x(1, 4, 4), {"output_size": [3, 3], "kernel_size": 2}),
            ("stride", x(1, 4, 4), {"output_size": [4, 4], "kernel_size": 2, "stride": 2}),
            ("channels", x(1, 8, 2), {"output_size": [2, 3], "kernel_size": 2}),
            ("without batch", x(4, 2), {"output_size": [2, 3], "kernel_size": 2}),
            ("padding", x(1, 4, 6), {"output_size": [2, 1], "kernel_size": 2, "padding": 1}),
            ("dilation", x(1, 4, 1), {"output_size": [3, 3], "kernel_size": 2, "dilation": 2}),
            ("float64", x(1, 4, 2, dtype=F64), {"output_size": [3, 2], "kernel_size": 2}),
            ("no samples", x(0, 4, 4), {"output_size": [3, 3], "kernel_size": 2}),
            ("transposed", x(1, 4, 4, layout="transposed"), {"output_size": [3, 3], "kernel_size": 2}),
        ],
    )


FAMILIES = {"conv": [convolutions], "pool": [pools, resizing], "fold": [patches]}
