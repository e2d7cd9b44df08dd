//! `torch.profiler`: kernels with their ops, what is computed for a profile, and what is put back when it ends.
//!
//! What its schedule, its rows and its table have in common with PyTorch's is in `tests/torch_programs/profiler.py`.

use crate::common::lab;

const IMPORTS: &str = "import torch\nfrom torch.profiler import profile, record_function\n";

#[test]
fn a_row_has_the_ops_of_its_kernel_and_the_bytes_it_wrote() {
    lab(|lab| {
        let printed = lab.output(&format!(
            "{IMPORTS}x, w = torch.randn(8, 16).realize(), torch.randn(16, 4).realize()\n\
             with profile(profile_memory=True, record_shapes=True) as seen:\n    \
                 with record_function('layer'):\n        ((x @ w).exp() + 1).sum(0)\n\
             for row in seen.key_averages(group_by_input_shape=True):\n    \
                 print(row.key, row.count, row.input_shapes, row.cpu_memory_usage, row.self_cpu_memory_usage)\n\
             print(seen.key_averages().table(header='of the layer').splitlines()[0])"
        ));
        let expected = "layer 1 [] 144 0\n\
                        matmul 1 [[8, 16], [16, 4]] 128 128\n\
                        exp, add, sum 1 [[8, 4]] 16 16\n\
                        of the layer\n";
        assert_eq!(printed, expected);
    });
}

#[test]
fn what_nothing_asks_for_is_computed_once_for_the_profile() {
    lab(|lab| {
        let printed = lab.output(&format!(
            "{IMPORTS}x = torch.ones(4).realize()\n\
             with profile() as seen:\n    y = x * 2\n    y.sum().item()\n    z = y + 1\n    z + 1\n\
             print([row.key for row in seen.events()], [row.count for row in seen.key_averages()])\n\
             with profile() as again:\n    pass\n\
             print(len(again.events()), repr(again.key_averages()))"
        ));
        // The second reader of y has it stored.
        assert_eq!(printed, "['mul, sum', 'mul', 'add'] [1, 1, 1]\n0 \n");
    });
}

#[test]
fn an_error_ends_a_profile_and_a_second_one_is_refused() {
    lab(|lab| {
        let error = lab.error(&format!(
            "{IMPORTS}from glowgrad import lab\nbefore = lab.record(False)\n\
             with profile() as seen:\n    torch.ones(2) + 1\n    1 / 0"
        ));
        assert_eq!(error.kind, "ZeroDivisionError");
        // It records as before it, and the next one begins.
        let printed = lab.output(
            "print(lab.record(before), len(seen.events()))\nwith profile() as seen:\n    torch.ones(2).exp()\n\
             print(len(seen.events()) > 0)",
        );
        assert_eq!(printed, "False 0\nTrue\n");
        let error = lab.error("with profile():\n    with profile():\n        pass");
        assert!(
            error.message.contains("a profile is on already"),
            "{}",
            error.message
        );
        let error = lab.error("seen.key_averages().table(sort_by='time')");
        assert!(
            error
                .message
                .contains("got sort_by='time', expected one of cpu_time,"),
            "{}",
            error.message
        );
    });
}

#[test]
fn a_trace_is_written_as_a_file() {
    lab(|lab| {
        let printed = lab.output(&format!(
            "{IMPORTS}import json, os\nx = torch.ones(2).realize()\n\
             with profile(on_trace_ready=torch.profiler.tensorboard_trace_handler('log', 'one')) as seen:\n    \
                 x.exp()\n\
             [name] = os.listdir('log')\nprint(name.startswith('one.') and name.endswith('.pt.trace.json'))\n\
             events = json.load(open(os.path.join('log', name)))['traceEvents']\n\
             print([(event['ph'], event['name']) for event in events], all(event['dur'] >= 0 for event in events))"
        ));
        assert_eq!(printed, "True\n[('X', 'exp')] True\n");
    });
}
