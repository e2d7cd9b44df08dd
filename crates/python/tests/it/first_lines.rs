//! What programs begin with: questions after a GPU, settings of backends, Jupyter's lines, tensors that are filled.

use crate::common::lab;

#[test]
fn questions_after_a_gpu_have_pytorchs_answers_without_one() {
    lab(|lab| {
        let asked = lab.output(
            "import glowgrad as torch\n\
             print(torch.cuda.is_available(), torch.cuda.device_count())\n\
             print(torch.backends.mps.is_available(), torch.backends.mps.is_built())\n\
             print(torch.backends.cudnn.is_available(), torch.backends.cudnn.version())\n\
             print(torch.device('cuda' if torch.cuda.is_available() else 'cpu'))",
        );
        assert_eq!(asked, "False 0\nFalse False\nFalse None\ncpu\n");
        let error = lab.error("torch.cuda.current_device()");
        assert_eq!(error.kind, "AssertionError");
        assert!(
            error
                .message
                .starts_with("Torch not compiled with CUDA enabled"),
            "{}",
            error.message
        );
    });
}

#[test]
fn settings_of_backends_hold_what_they_are_given() {
    lab(|lab| {
        let set = lab.output(
            "import glowgrad as torch\n\
             import glowgrad.backends.cudnn as cudnn\n\
             print(cudnn.enabled, cudnn.benchmark, cudnn.deterministic)\n\
             torch.backends.cudnn.deterministic = True\n\
             cudnn.benchmark = True\n\
             torch.backends.cuda.matmul.allow_tf32 = True\n\
             print(torch.backends.cudnn.benchmark, cudnn.deterministic, torch.backends.cuda.matmul.allow_tf32)",
        );
        assert_eq!(set, "True False False\nTrue True True\n");
    });
}

#[test]
fn seeds_for_cuda_leave_the_numbers_alone() {
    lab(|lab| {
        let drawn = lab.output(
            "import glowgrad as torch\n\
             torch.manual_seed(3)\n\
             first = torch.rand(2)\n\
             torch.manual_seed(3)\n\
             torch.cuda.manual_seed(4)\n\
             torch.cuda.manual_seed_all(5)\n\
             print(torch.equal(first, torch.rand(2)))",
        );
        assert_eq!(drawn, "True\n");
        assert_eq!(
            lab.error("torch.cuda.manual_seed_all('x')").kind,
            "ValueError"
        );
    });
}

#[test]
fn jupyters_lines_get_a_sentence() {
    lab(|lab| {
        let error = lab.error("import glowgrad as torch\n\n!pip install numpy\nx = 1");
        assert_eq!((error.kind.as_str(), error.line), ("SyntaxError", Some(3)));
        assert!(
            error.message.starts_with(
                "'pip' installs nothing here: glowgrad, Python's own library and parts of NumPy, matplotlib and torchvision are here already"
            ),
            "{}",
            error.message
        );
        let magic = lab.error("%matplotlib inline").message;
        assert!(
            magic.starts_with("'%matplotlib' is one of Jupyter's magics and no Python"),
            "{magic}"
        );
        assert!(
            lab.error("%%time\nx = 1")
                .message
                .starts_with("'%%time' is one of")
        );
        assert!(lab.error("!ls").message.contains("Jupyter's shell"));
        // What Python has to say stays: a mistake of its own, and a remainder.
        assert!(!lab.error("x = = 1").message.contains("Jupyter"));
        assert!(!lab.error("x = (1\n% 2\ny").message.contains("Jupyter"));
        assert_eq!(lab.output("print(7\n% 4)"), "3\n");
    });
}

#[test]
fn a_message_names_the_function_that_was_called() {
    lab(|lab| {
        lab.output("import glowgrad as torch\nx = torch.ones(2)");
        for (call, name) in [
            ("torch.zeros(-1)", "zeros"),
            ("torch.ones(2, -3)", "ones"),
            ("torch.empty(-1)", "empty"),
            ("torch.full((-1,), 2.0)", "full"),
            ("x.new_zeros(-1)", "new_zeros"),
            ("x.new_ones(-1)", "new_ones"),
            ("x.new_full((-1,), 3)", "new_full"),
            ("torch.zeros(2**40)", "zeros"),
            ("torch.ones(2**20, 2**20)", "ones"),
            ("torch.empty(2**40)", "empty"),
            ("torch.rand(2**40)", "rand"),
            ("torch.randn(2**40)", "randn"),
            ("torch.randint(0, 3, (2**40,))", "randint"),
            ("torch.zeros('x')", "zeros"),
        ] {
            let message = lab.error(call).message;
            let begins = message.starts_with(&format!("{name}:"))
                || message.starts_with(&format!("{name}():"));
            assert!(begins, "{call}: {message}");
        }
        let message = lab
            .error("torch.full_like(torch.ones(2, dtype=torch.uint8), 300)")
            .message;
        assert!(message.starts_with("full_like"), "{message}");
    });
}

#[test]
fn a_refused_tensor_is_as_large_as_it_is_said_to_be() {
    lab(|lab| {
        lab.output("import glowgrad as torch");
        // 2^38 elements: a TiB of float32, which may be asked for, and two of float64.
        assert_eq!(
            lab.output("print(torch.zeros(2**38).shape)"),
            "torch.Size([274877906944])\n"
        );
        let message = lab.error("torch.zeros(2**38, dtype=torch.float64)").message;
        assert_eq!(
            message,
            "zeros: a tensor of shape [274877906944] and float64 needs 2199023255552 bytes, more than the \
             1099511627776 this device allows; use a smaller shape"
        );
    });
}
