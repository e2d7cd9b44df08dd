//! The standard library in the lab, compared with what CPython 3.13 prints (`golden/make.sh`).

use crate::common::lab;

#[test]
fn every_module_a_lesson_needs_imports() {
    lab(|lab| {
        for name in [
            "math",
            "random",
            "time",
            "itertools",
            "functools",
            "collections",
            "collections.abc",
            "dataclasses",
            "typing",
            "abc",
            "sys",
            "json",
            "copy",
            "contextlib",
            "operator",
            "enum",
            "statistics",
            "types",
            "warnings",
            "__future__",
            "builtins",
        ] {
            lab.output(&format!("import {name}"));
        }
        lab.output("from __future__ import annotations\nx: int = 1");
    });
}

/// In a page the library is half a megabyte on its way.
#[test]
fn a_lesson_fetches_no_library() {
    lab(|lab| {
        lab.output(
            "import glowgrad as torch, math, random, sys\nfrom glowgrad import nn, optim\n\
             model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))\n\
             optimizer = optim.SGD(model.parameters(), lr=0.1)\n\
             model(torch.ones(4, 2)).mean().backward()\noptimizer.step()\nprint(model)",
        );
        lab.output("import torch\nimport torch.nn.functional as F\nF.relu(torch.ones(2))");
        assert!(!lab.host.library_was_fetched.get());
        lab.output("import re");
        assert!(lab.host.library_was_fetched.get());
    });
}

#[test]
fn a_missing_module_names_what_to_use_instead() {
    lab(|lab| {
        for (source, remedy) in [
            ("import torch.hub", "glowgrad has no module `hub`"),
            ("import seaborn as sns", "matplotlib.pyplot"),
            ("import cupy", "import numpy as np"),
            ("import numpy.ma", "numpy here has no module `ma`"),
            ("import pandas", "no package installer"),
            ("from sklearn.datasets import load_digits", "load_digits"),
            (
                "import torchvision.prototype",
                "torchvision here has no module `prototype`",
            ),
            ("import torchtext", "from glowgrad.text import BPETokenizer"),
            ("import cv2", "from PIL import Image"),
            ("import einops", "torch.einsum"),
            ("import torchmetrics", "logits.argmax(1)"),
            ("import pytorch_lightning as pl", "lab.train(step, batches)"),
            ("import lab", "from glowgrad import lab"),
            ("import nn.functional as F", "from torch import nn, optim"),
            ("import jsom", "did you mean `json`?"),
            ("import antigravity", "torch, numpy, matplotlib"),
        ] {
            let error = lab.error(source);
            assert_eq!(error.kind, "ModuleNotFoundError");
            assert!(
                error.message.contains(remedy),
                "{source}: {}",
                error.message
            );
            assert_eq!(error.line, Some(1));
        }
        lab.output(
            "from glowgrad.text import BPETokenizer, CharTokenizer\nfrom glowgrad.datasets import load_digits\nfrom PIL import Image\nfrom tqdm import tqdm",
        );
        assert_eq!(
            lab.output("try:\n    import pandas\nexcept ImportError as e:\n    print(e.name)"),
            "pandas\n"
        );
        for (source, remedy) in [("open('x')", "No such file"), ("input()", "into the cell")] {
            let error = lab.error(source);
            assert!(error.message.contains(remedy), "{}", error.message);
        }
    });
}

/// Many programs import what they use on other machines alone.
#[test]
fn a_module_that_cannot_be_had_imports_and_refuses_at_the_call() {
    lab(|lab| {
        lab.output(
            "import requests, urllib.request, subprocess, socket, multiprocessing as mp, pdb\n\
             from concurrent.futures import ThreadPoolExecutor\nfrom http.server import BaseHTTPRequestHandler\n\
             import torch.onnx, torch.profiler\nfrom torch.autograd.profiler import profile\n\
             class Handler(BaseHTTPRequestHandler): pass\n\
             try:\n    1 / 0\nexcept (requests.exceptions.Timeout, ZeroDivisionError): pass",
        );
        for (source, kind, message) in [
            (
                "requests.get('https://example.org')",
                "OSError",
                "requests.get: Python here has no network",
            ),
            (
                "urllib.request.urlretrieve('https://example.org', 'x')",
                "OSError",
                "urllib.request.urlretrieve: Python here has no network",
            ),
            ("subprocess.run(['ls'])", "OSError", "starts no programs"),
            (
                "mp.Pool(4)",
                "OSError",
                "multiprocessing.Pool: Python here starts no programs",
            ),
            ("ThreadPoolExecutor()", "OSError", "one thing at a time"),
            ("socket.socket(socket.AF_INET)", "OSError", "no network"),
            ("pdb.set_trace()", "OSError", "print() what you want to see"),
            ("Handler()", "OSError", "no network"),
            (
                "torch.profiler.schedule(wait=1, warmup=1, active=3, often=1)",
                "TypeError",
                "often",
            ),
            (
                "assert subprocess.PIPE is subprocess.PIPE\nsubprocess.PIPE()",
                "OSError",
                "subprocess.PIPE: ",
            ),
        ] {
            let error = lab.error(source);
            assert_eq!(error.kind, kind, "{source}: {}", error.message);
            assert!(
                error.message.contains(message),
                "{source}: {}",
                error.message
            );
        }
        assert_eq!(
            lab.output(
                "from urllib.parse import urlparse, quote\n\
                 print(urlparse('https://example.org/a?b=1').netloc, quote('a b'))"
            ),
            "example.org a%20b\n"
        );
        assert_eq!(
            lab.error("import requests.nothing\nrequests.__wrapped__")
                .kind,
            "AttributeError"
        );
    });
}

#[test]
fn torch_is_glowgrad_and_says_so_once() {
    lab(|lab| {
        let source = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nfrom torch.utils.data import DataLoader\n\
                      import glowgrad\nprint(torch is glowgrad, nn is glowgrad.nn, F is glowgrad.nn.functional)\n\
                      print(glowgrad.nn.__spec__.name, torch.utils.data.DataLoader is DataLoader)";
        assert_eq!(lab.output(source), "True True True\nglowgrad.nn True\n");
        lab.output("import torch.optim");
        assert_eq!(lab.host.notices.borrow().len(), 1);
    });
}

#[test]
fn random_gives_cpythons_numbers() {
    lab(|lab| {
        let source = include_str!("../golden/random_calls.py");
        assert_eq!(
            lab.output(source),
            include_str!("../golden/random_calls.txt")
        );
    });
}

#[test]
fn math_gives_cpythons_numbers() {
    lab(|lab| {
        let source = include_str!("../golden/math_calls.py");
        assert_eq!(lab.output(source), include_str!("../golden/math_calls.txt"));
        for (source, kind) in [
            ("math.sqrt(-1)", "ValueError"),
            ("math.log(0)", "ValueError"),
            ("math.exp(1000)", "OverflowError"),
            ("math.acos(2)", "ValueError"),
            ("math.floor(float('nan'))", "ValueError"),
            ("math.ceil(float('inf'))", "OverflowError"),
            ("math.factorial(-1)", "ValueError"),
            ("math.sqrt('a')", "TypeError"),
            ("math.gamma(-1)", "ValueError"),
            ("math.pow(0, -1)", "ValueError"),
        ] {
            assert_eq!(lab.error(source).kind, kind, "{source}");
        }
    });
}

#[test]
fn the_python_modules_agree_with_cpython() {
    lab(|lab| {
        let source = include_str!("../golden/module_calls.py");
        assert_eq!(
            lab.output(source),
            include_str!("../golden/module_calls.txt")
        );
    });
}

#[test]
fn time_comes_from_the_host() {
    lab(|lab| {
        let source = "import time\na = time.perf_counter()\ntime.sleep(0.02)\nb = time.perf_counter()\nprint(0.019 < b - a < 1, time.time() > 1.7e9, time.time_ns() > 10**18)";
        assert_eq!(lab.output(source), "True True True\n");
        assert_eq!(lab.error("import time\ntime.sleep(-1)").kind, "ValueError");
    });
}
