//! Networks as Python and back.

use glowgrad_architecture::{Architecture, analyse, presets, python};

/// Every preset comes back from its own code, and has no fault.
#[test]
fn presets_come_back_from_their_code() {
    let mut n = 0;
    for (name, _) in presets::names() {
        let net = presets::preset(name)
            .expect("a preset is a network")
            .sorted()
            .expect("goes one way");
        let found = analyse(&net);
        for (path, facts) in &found.nodes {
            assert_eq!(facts.fault, None, "{name}: {path}");
        }
        assert!(
            found.faults.is_empty() && !found.outputs.is_empty(),
            "{name}: {:?}",
            found.faults
        );
        let code = python::write(&net);
        let reading = python::read(&code.text, Some(&net))
            .unwrap_or_else(|error| panic!("{name}: {error}\n{}", code.text));
        assert_eq!(reading.left_out, Vec::<String>::new(), "{name}");
        assert_eq!(
            reading.net.to_json(),
            net.to_json(),
            "{name}\n{}",
            code.text
        );
        let alone = python::read(&code.text, None).expect("the code says the shapes too");
        let mut bare = net.clone().without_places();
        bare.training = None;
        assert_eq!(alone.net.to_json(), bare.to_json(), "{name}");
        n += 1;
    }
    assert!(n >= 12, "{n} presets");
}

fn net(code: &str) -> Architecture {
    let code =
        format!("import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n{code}");
    python::read(&code, None)
        .unwrap_or_else(|error| panic!("{error}\n{code}"))
        .net
}

fn fault(code: &str) -> String {
    python::read(code, None)
        .expect_err("it cannot be read")
        .message
}

#[test]
fn code_as_people_write_it_is_read() {
    let found = net("class Net(nn.Module):
    '''A small network.'''
    def __init__(self, hidden=32):
        super(Net, self).__init__()
        # The first layer.
        self.conv = nn.Conv2d(3, 8, 3, padding=1)  # keeps the size
        self.fc = nn.Linear(8 * 16 * 16, hidden * 2)
        self.out = nn.Linear(hidden * 2, 10)

    def forward(self, x):
        # x: [N, 3, 32, 32]
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        x = x.view(x.size(0), -1)
        skip = self.fc(x)
        x = torch.tanh(skip) + skip
        return F.log_softmax(self.out(x), dim=1)
");
    assert_eq!(found.note, "A small network.");
    assert_eq!(found.nodes[0].note, "The first layer.\nkeeps the size");
    let kinds: Vec<&str> = found.nodes.iter().map(|node| node.kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "Conv2d",
            "relu",
            "MaxPool2d",
            "flatten",
            "Linear",
            "tanh",
            "add",
            "Linear",
            "log_softmax"
        ]
    );
    let facts = analyse(&found);
    assert_eq!(facts.outputs[0].to_string(), "[N, 10]");
    // Written and read again it is the same.
    let code = python::write(&found);
    assert_eq!(
        python::read(&code.text, None).expect("is read").net,
        found,
        "{}",
        code.text
    );
}

#[test]
fn blocks_loops_and_tuples_are_read() {
    let found = net("class Block(nn.Module):
    def __init__(self, width, heads=2):
        super().__init__()
        inner = 4 * width
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        q = q.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k = k.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        v = v.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        return x + self.down(F.gelu(self.up(x)))

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(65, 16)
        self.position = nn.Embedding(32, 16)
        self.blocks = nn.ModuleList([Block(16) for _ in range(3)])
        self.rnn = nn.LSTM(16, 8, batch_first=True)
        self.head = nn.Linear(8, 65)

    def forward(self, tokens):
        # tokens: int64 [N, L]
        x = self.token(tokens) + self.position(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        x, (h, c) = self.rnn(x)
        return self.head(x), h[0]
");
    assert_eq!(found.blocks[0].parameters.len(), 2);
    let blocks = found
        .nodes
        .iter()
        .find(|node| node.id == "blocks")
        .expect("there is the row of blocks");
    assert_eq!((blocks.kind.as_str(), blocks.repeat), ("Block", Some(3)));
    let facts = analyse(&found);
    for (path, facts) in &facts.nodes {
        assert_eq!(facts.fault, None, "{path}");
    }
    assert_eq!(facts.outputs[0].to_string(), "[N, L, 65]");
    assert_eq!(facts.outputs[1].to_string(), "[N, 8]");
    let code = python::write(&found);
    let again = python::read(&code.text, Some(&found)).expect("is read").net;
    assert_eq!(again.to_json(), found.to_json(), "{}", code.text);
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let class = |init: &str, forward: &str| {
        format!(
            "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        {init}\n    def forward(self, x):\n        {forward}\n"
        )
    };
    for (code, expected) in [
        (
            class(
                "self.fc = nn.Linear(2, 3)",
                "if x.sum() > 0:\n            x = -x\n        return x",
            ),
            "line 7: an if in forward",
        ),
        (
            class("self.fc = nn.Liner(2, 3)", "return self.fc(x)"),
            "line 5: nn.Liner is no layer that a picture has; did you mean nn.Linear?",
        ),
        (
            class("self.fc = nn.Linear(2, out_feature=3)", "return self.fc(x)"),
            "line 5: nn.Linear has no argument out_feature; did you mean out_features?",
        ),
        (
            class("self.fc = nn.Linear(2, 3)", "return self.fcc(x)"),
            "line 7: self.fcc is no layer that __init__ makes",
        ),
        (
            class(
                "self.fc = nn.Linear(2, 3)",
                "y = undefined(x)\n        return y",
            ),
            "line 7: undefined is no layer",
        ),
        (
            class("self.fc = nn.Linear(2, 3)", "x = self.fc(x)"),
            "line 6: forward returns nothing",
        ),
        (
            class("self.fc = nn.Linear(n, 3)", "return x"),
            "line 5: n: the name n has no value here",
        ),
        (class("print(1)", "return x"), "line 5: a call in __init__"),
        (
            class("self.a = nn.Linear(2, 3)", "return nn.ReLU()(x)"),
            "line 7: a layer is made in __init__",
        ),
        ("x = 1 +".to_owned(), "line 1: this is no Python"),
        ("class A: pass".to_owned(), "there is no class of nn.Module"),
        ("(".repeat(5000), "stand too deep"),
        (
            class("self.a = Other(3)", "return self.a(x)"),
            "line 5: Other is neither a layer of torch.nn nor a class of nn.Module here",
        ),
    ] {
        let said = fault(&code);
        assert!(
            said.contains(expected),
            "{said:?} does not say {expected:?}"
        );
    }
}

#[test]
fn other_methods_are_told_and_left_out() {
    let code = "from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
    def forward(self, x):
        return self.fc(x)
    def generate(self):
        return 1
for i in range(3):
    print(i)
";
    let reading = python::read(code, None).expect("is read");
    assert_eq!(
        reading.left_out,
        ["line 10: a for loop", "line 8: the method generate"]
    );
}
