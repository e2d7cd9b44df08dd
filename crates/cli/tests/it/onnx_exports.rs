//! `torch.onnx.export`: each network of the zoo is written, read again and gives the same; what cannot be written says so.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use glowgrad_files::npz;
use glowgrad_onnx::{Model, from_array};

/// Writes NAME.onnx and NAME.npz, its inputs (`in.…`) and results (`out.…`), into a folder for each network.
const ZOO: &str = "
import sys
import numpy as np
import torch
from torch import models, nn

folder = sys.argv[1]


class Means(nn.Module):
    def __init__(self, vae):
        super().__init__()
        self.vae = vae

    def forward(self, x):
        mu, logvar = self.vae.encode(x.flatten(1))
        return self.vae.decode(mu), mu, logvar


class Called(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        return self.model(tokens)[0]


torch.manual_seed(0)
tokens = torch.randint(0, 20, (2, 8))
gpt = models.GPT(models.GPTConfig(block_size=8, vocab_size=20, n_layer=2, n_head=2, n_embd=16, dropout=0.1))
networks = {
    'mlp': (models.MLP(12, 8, 3), torch.randn(2, 12)),
    'lenet': (models.LeNet(), torch.randn(2, 1, 28, 28)),
    'resnet': (models.ResNet((1, 1, 1, 1), classes=10, stem='cifar'), torch.randn(2, 3, 16, 16)),
    'resnet_imagenet': (models.ResNet((1, 1, 1, 1), classes=10), torch.randn(1, 3, 64, 64)),
    'mobilenet': (models.MobileNetV2(classes=10, width_mult=0.25, stem='cifar'), torch.randn(2, 3, 16, 16)),
    'lstm': (Called(models.CharRNN(20, 8, 12)), tokens),
    'gru': (Called(models.CharRNN(20, 8, 12, n_layer=1, kind='GRU')), tokens),
    'gpt': (Called(gpt), tokens),
    'vit': (models.ViT(size=16, patch=4, dim=16, depth=2, heads=2), torch.randn(2, 3, 16, 16)),
    'autoencoder': (models.Autoencoder(16, 8), torch.rand(2, 16)),
    'vae': (Means(models.VAE(16, 8, 3)), torch.rand(2, 16)),
    'generator': (models.GAN(hidden=8).generator, torch.randn(4, 8)),
    'discriminator': (models.GAN(hidden=8).discriminator, torch.randn(4, 2)),
    'diffusion': (models.Diffusion(hidden=8, steps=5), (torch.randn(4, 2), torch.tensor([0, 1, 4, 2]))),
}
for name, (model, inputs) in networks.items():
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    # Running numbers that are not those of a new layer.
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2)
    names = [f'in{i}' for i in range(len(inputs))]
    torch.onnx.export(model, inputs, f'{folder}/{name}.onnx', input_names=names)
    assert model.training, name
    with torch.no_grad():
        results = model.eval()(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    results = [each for each in results if isinstance(each, torch.Tensor)]
    arrays = {each: x.numpy() for each, x in zip(names, inputs)}
    arrays.update({f'out{i}': x.numpy() for i, x in enumerate(results)})
    np.savez(f'{folder}/{name}.npz', **arrays)
print(' '.join(networks))
";

/// Writes networks with an open batch: NAME.onnx, and NAME_1.npz, NAME_2.npz, NAME_5.npz for batches of these sizes.
const OPEN: &str = "
import sys
import numpy as np
import torch
from torch import models

folder = sys.argv[1]
torch.manual_seed(0)
networks = {
    'mlp': (models.MLP(12, 8, 3), lambda n: torch.randn(n, 12)),
    'mobilenet': (models.MobileNetV2(classes=10, width_mult=0.25, stem='cifar'), lambda n: torch.randn(n, 3, 16, 16)),
    'gru': (models.CharRNN(20, 8, 12, n_layer=1, kind='GRU'), lambda n: torch.randint(0, 20, (n, 8))),
    'gpt': (models.GPT(block_size=8, vocab_size=20, n_layer=2, n_head=2, n_embd=16), lambda n: torch.randint(0, 20, (n, 8))),
    'topk': (lambda x: x.topk(2), lambda n: torch.randn(n, 6)),
}
for name, (model, of) in networks.items():
    if isinstance(model, torch.nn.Module):
        model.eval()
    torch.onnx.export(model, of(3), f'{folder}/{name}.onnx', input_names=['in0'], dynamic_axes={'in0': {0: 'batch'}})
    for n in (1, 2, 5):
        x = of(n)
        with torch.no_grad():
            results = model(x)
        results = results if isinstance(results, tuple) else (results,)
        results = [each for each in results if isinstance(each, torch.Tensor)]
        arrays = {f'out{i}': each.numpy() for i, each in enumerate(results)}
        np.savez(f'{folder}/{name}_{n}.npz', in0=x.numpy(), **arrays)
print(' '.join(networks))
";

const REFUSED: &str = "
import io
import torch
from torch import nn


class Draws(nn.Module):
    def forward(self, x):
        return x + torch.randn_like(x)


class Raises(nn.Module):
    def forward(self, x):
        raise KeyError('mine')


x = torch.ones(2, 2)
for call in (
    lambda: torch.onnx.export(nn.Linear(2, 2), x),
    lambda: torch.onnx.export(Draws(), x, io.BytesIO()),
    lambda: torch.onnx.export(nn.Dropout(), x, io.BytesIO(), training=torch.onnx.TrainingMode.TRAINING),
    lambda: torch.onnx.export(Raises(), x, io.BytesIO()),
    lambda: torch.onnx.export(torch.lgamma, x, io.BytesIO()),
    lambda: torch.onnx.export(nn.ReLU(), x, io.BytesIO(), opset_version=9),
    lambda: torch.onnx.export(nn.ReLU(), x, io.BytesIO(), input_names=['a', 'b']),
    lambda: torch.onnx.export(nn.ReLU(), x, io.BytesIO(), dynamic_axes={'z': {0: 'batch'}}),
    lambda: torch.onnx.export(lambda x: x / len(x), x, io.BytesIO(), dynamic_axes={'x': {0: 'batch'}}),
    lambda: torch.onnx.export(lambda x: 3, x, io.BytesIO()),
):
    try:
        call()
        print('written')
    except Exception as error:
        print(f'{type(error).__name__}: {str(error)[:60]}')
print(torch.onnx.is_in_onnx_export())
";

fn python(name: &str, source: &str, arguments: &[&Path]) -> Output {
    let script = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&script, source).expect("the build folder is writable");
    let mut glow = Command::new(env!("CARGO_BIN_EXE_glow"));
    glow.arg("python").arg(&script).args(arguments);
    glow.output().expect("glow starts")
}

fn printed(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// An empty folder of a test's files.
fn folder(name: &str) -> PathBuf {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the build folder is writable");
    folder
}

/// Runs a model file on the inputs of an archive, and holds it to the results there.
fn hold(model: &Path, arrays: &Path) {
    let name = arrays.display();
    let bytes = fs::read(model).expect("the model is there");
    let model = Model::read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let engine = glowgrad::cpu();
    let file = fs::read(arrays).expect("the arrays are there");
    let arrays: BTreeMap<_, _> = npz::read(&file).expect("arrays").into_iter().collect();
    let tensor = |array| from_array(&engine, array).expect("a tensor");
    let inputs = arrays.iter().filter(|(name, _)| name.starts_with("in"));
    let inputs = inputs.map(|(name, array)| (name.as_str(), tensor(array)));
    let results = model
        .run(&engine, inputs)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let n_expected = arrays.keys().filter(|name| name.starts_with("out")).count();
    assert_eq!(results.len(), n_expected, "{name}");
    for (i, (_, result)) in results.iter().enumerate() {
        let expected = tensor(&arrays[&format!("out{i}")]);
        assert_eq!(result.shape(), expected.shape(), "{name}, result {i}");
        let expected = expected.to_f64().expect("numbers");
        let got = result.to_f64().expect("numbers");
        for (got, expected) in got.iter().zip(&expected) {
            let far = (got - expected).abs();
            assert!(
                far <= 1e-4 * expected.abs().max(1.0),
                "{name}: {got} is not {expected}"
            );
        }
    }
}

#[test]
fn each_network_of_the_zoo_is_written_and_read_again() {
    let folder = folder("zoo-onnx");
    let names = printed(&python("zoo_exports.py", ZOO, &[&folder]));
    for name in names.split_whitespace() {
        let file = |kind: &str| folder.join(format!("{name}.{kind}"));
        hold(&file("onnx"), &file("npz"));
    }
    assert_eq!(names.split_whitespace().count(), 14);
}

#[test]
fn a_batch_that_stays_open_is_of_any_size() {
    let folder = folder("open-onnx");
    let names = printed(&python("open_exports.py", OPEN, &[&folder]));
    for name in names.split_whitespace() {
        for n in [1, 2, 5] {
            let arrays = folder.join(format!("{name}_{n}.npz"));
            hold(&folder.join(format!("{name}.onnx")), &arrays);
        }
    }
    assert_eq!(names.split_whitespace().count(), 5);
}

#[test]
fn what_cannot_be_written_says_why() {
    let said = printed(&python("refused_exports.py", REFUSED, &[]));
    let expected = "\
        TypeError: export() takes f: the path of the file to write, or an open \n\
        RuntimeError: the model drew random numbers while it ran, which the file w\n\
        RuntimeError: the model drew random numbers while it ran, which the file w\n\
        KeyError: 'mine'\n\
        RuntimeError: 1 of the graph's ops cannot be written as ONNX (operator set\n\
        RuntimeError: operator set 9 is not written; expected 18 to 25, and 18 is \n\
        ValueError: input_names has 2 names, and the model takes 1 tensors\n\
        ValueError: dynamic_axes names 'z', which is no input (input) and no out\n\
        RuntimeError: the size \"batch\" cannot be left open: the node \"div\" (Div) r\n\
        TypeError: export(): a model gives tensors, in tuples, lists or dicts, \n\
        False\n";
    assert_eq!(said, expected);
}
