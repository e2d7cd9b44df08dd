//! A PyTorch project that trains the same network on several processes: the road past one machine.

use crate::error::{Error, Result};
use crate::model::{Architecture, Training};
use crate::python;
use crate::training;

/// The files of a project by name.
///
/// ```
/// let net = glowgrad_architecture::presets::preset("lenet")?;
/// let files = glowgrad_architecture::project::files(&net)?;
/// let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
/// assert_eq!(names, ["model.py", "data.py", "train.py", "requirements.txt", "README.md"]);
/// # Ok::<(), glowgrad_architecture::Error>(())
/// ```
///
/// # Errors
/// When the network does not fit together, has a layer that PyTorch lacks, or is trained with what is unknown.
pub fn files(net: &Architecture) -> Result<Vec<(&'static str, String)>> {
    let parts = training::parts(net)?;
    let lacking = net
        .blocks
        .iter()
        .flat_map(|block| &block.nodes)
        .chain(&net.nodes);
    let lacking = lacking
        .filter_map(|node| crate::catalog::layer(&node.kind))
        .find(|row| row.torch.is_none());
    if let Some(row) = lacking {
        return Err(Error::new(format!(
            "PyTorch has no {}; the network runs in glowgrad alone",
            row.short()
        )));
    }
    let settings = net.training_or_usual();
    if matches!(settings.objective.as_str(), "noise" | "gan") {
        return Err(Error::new(format!(
            "a project for torchrun is written for a loss of the result and the target, and for the ELBO; the objective {:?} is trained here, or by the program that Open as a cell shows",
            settings.objective
        )));
    }
    Ok(vec![
        ("model.py", python::write(net).text),
        ("data.py", data(net, &settings, &parts)),
        ("train.py", train(net, &settings, &parts)),
        ("requirements.txt", requirements(&settings)),
        ("README.md", readme(net, &settings)),
    ])
}

fn requirements(settings: &Training) -> String {
    let more = match settings.data.as_str() {
        "mnist" | "cifar10" => "torchvision\n",
        "digits" => "scikit-learn\n",
        _ => "",
    };
    format!("torch\nsafetensors\n{more}")
}

fn data(net: &Architecture, settings: &Training, parts: &training::Parts) -> String {
    let sizes = &parts.reshape;
    let (imports, body) = match settings.data.as_str() {
        "digits" => (
            "import torch\nfrom sklearn.datasets import load_digits\n",
            "    x, target = load_digits(return_X_y=True)\n    x, target = torch.tensor(x).float() / 16, torch.tensor(target).long()\n    n_train = 1437\n".to_owned(),
        ),
        "mnist" => (
            "import torch\nfrom torchvision.datasets import MNIST\n",
            "    parts = [MNIST(\"data\", train=is_train, download=True) for is_train in (True, False)]\n    x = torch.cat([part.data.unsqueeze(1).float() for part in parts])\n    x, target = (x / 255 - 0.1307) / 0.3081, torch.cat([part.targets for part in parts])\n    n_train = 60000\n".to_owned(),
        ),
        "cifar10" => (
            "import torch\nfrom torchvision.datasets import CIFAR10\n",
            "    parts = [CIFAR10(\"data\", train=is_train, download=True) for is_train in (True, False)]\n    x = torch.cat([torch.from_numpy(part.data).permute(0, 3, 1, 2).float() for part in parts]) / 255\n    mean = torch.tensor([0.4914, 0.4822, 0.4465]).reshape(3, 1, 1)\n    spread = torch.tensor([0.2470, 0.2435, 0.2616]).reshape(3, 1, 1)\n    x, target = (x - mean) / spread, torch.cat([torch.tensor(part.targets) for part in parts])\n    n_train = 50000\n".to_owned(),
        ),
        "shakespeare" => {
            let length = parts.length;
            (
                "import torch\n",
                format!("    with open(\"input.txt\", encoding=\"utf-8\") as file:\n        text = file.read()\n    number = {{character: i for i, character in enumerate(sorted(set(text)))}}\n    tokens = torch.tensor([number[character] for character in text])\n    n = (len(tokens) - 1) // {length}\n    x = tokens[:n * {length}].reshape(n, {length})\n    target = tokens[1:n * {length} + 1].reshape(n, {length})\n    n_train = n * 9 // 10\n"),
            )
        }
        "moons" => (
            "import math\n\nimport torch\n",
            "    n = 500\n    along = torch.linspace(0, math.pi, n)\n    outer = torch.stack([along.cos(), along.sin()], 1)\n    inner = torch.stack([1 - along.cos(), 0.5 - along.sin()], 1)\n    x = torch.cat([outer, inner]) + 0.1 * torch.randn(2 * n, 2)\n    target = torch.cat([torch.zeros(n), torch.ones(n)]).long()\n    order = torch.randperm(2 * n)\n    x, target, n_train = x[order], target[order], 800\n".to_owned(),
        ),
        "spirals" => (
            "import math\n\nimport torch\n",
            "    n = 1500\n    target = torch.arange(n) % 3\n    along = (torch.arange(n) // 3 + 1) / 500\n    angle = 2 * math.pi * (0.6 * along + target / 3)\n    x = along.unsqueeze(1) * torch.stack([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(n, 2)\n    order = torch.randperm(n)\n    x, target, n_train = x[order], target[order], 1200\n".to_owned(),
        ),
        "blobs" => (
            "import torch\n",
            "    centers = (2 * torch.rand(3, 2) - 1) * 10\n    target = torch.arange(600) % 3\n    x = centers[target] + torch.randn(600, 2)\n    order = torch.randperm(600)\n    x, target, n_train = x[order], target[order], 480\n".to_owned(),
        ),
        _ => ("import torch\n", format!("    {}\n", parts.samples.replace('\n', "\n    "))),
    };
    let body = training::reading(&body, parts.is_copy);
    let reshaped = if sizes.is_empty() {
        String::new()
    } else {
        format!("    x = x.reshape({sizes})\n")
    };
    let copied = if parts.is_copy {
        "    target = x\n"
    } else {
        ""
    };
    format!(
        "\"\"\"The samples that {} is trained and tested with.\"\"\"\n\n{imports}from torch.utils.data import TensorDataset\n\n\n\
         def load(seed={}):\n    \"\"\"The samples to train with, and those to test with. Each process draws the same.\"\"\"\n    torch.manual_seed(seed)\n\
         {body}{reshaped}{copied}    return TensorDataset(x[:n_train], target[:n_train]), TensorDataset(x[n_train:], target[n_train:])\n",
        net.name, settings.seed
    )
}

fn train(net: &Architecture, settings: &Training, parts: &training::Parts) -> String {
    let (right, accuracy) = match parts.is_class {
        true => (
            "            right += (output.argmax(-1) == target).float().mean().item() * len(target)\n",
            ", accuracy {totals[1] / totals[2]:.4f}",
        ),
        false => ("", ""),
    };
    let said = format!(
        "f\"epoch {{epoch + 1}} of {{options.epochs}}: test loss {{totals[0] / totals[2]:.4f}}{accuracy}\""
    );
    let scheduler = parts
        .scheduler
        .as_ref()
        .map_or(String::new(), |text| format!("    scheduler = {text}\n"));
    let step = if parts.scheduler.is_some() {
        "            scheduler.step()\n"
    } else {
        ""
    };
    let mut text = include_str!("train.txt").to_owned();
    for (word, value) in [
        ("@NAME@", net.name.as_str()),
        ("@LOSS@", parts.loss.trim()),
        ("@RIGHT@", right),
        ("@EPOCHS@", &settings.epochs.to_string()),
        ("@BATCH@", &settings.batch_size.to_string()),
        ("@SEED@", &settings.seed.to_string()),
        ("@OPTIMIZER@", &parts.optimizer),
        ("@SCHEDULER@\n", &format!("{scheduler}\n")),
        ("@STEP@", step),
        ("@SAID@", &said),
    ] {
        text = text.replace(word, value);
    }
    text
}

fn readme(net: &Architecture, settings: &Training) -> String {
    let files = match settings.data.as_str() {
        "shakespeare" => "\nPut the text to learn from beside `train.py`, as `input.txt`.\n",
        _ => "",
    };
    format!(
        "# {}\n\n{}\n\nDrawn in glowgrad's studio. The network is in `model.py`, its samples in `data.py`.\n{files}\n\
         ```sh\npip install -r requirements.txt\npython train.py                            # one process\n\
         torchrun --nproc-per-node 2 train.py       # two; on a machine with GPUs, one each\n\
         torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint HOST:29500 train.py\n```\n\n\
         Training begins with the weights in `weights.safetensors` where that file is there, and writes `trained.safetensors`,\n\
         which the studio and `glow serve` read.\n",
        net.name,
        if net.note.trim().is_empty() {
            "A network."
        } else {
            net.note.trim()
        }
    )
}
