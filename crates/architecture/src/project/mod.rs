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
    let accuracy = if parts.is_class {
        "            right += (output.argmax(-1) == target).float().mean().item() * len(target)\n"
    } else {
        ""
    };
    let (begin, said) = if parts.is_class {
        (
            "total = right = n = 0",
            "print(f\"epoch {epoch + 1} of {options.epochs}: test loss {totals[0] / totals[2]:.4f}, accuracy {totals[1] / totals[2]:.4f}\")",
        )
    } else {
        (
            "total = right = n = 0",
            "print(f\"epoch {epoch + 1} of {options.epochs}: test loss {totals[0] / totals[2]:.4f}\")",
        )
    };
    let loss = parts.loss.trim();
    let scheduler = parts
        .scheduler
        .as_ref()
        .map_or(String::new(), |text| format!("    scheduler = {text}\n"));
    let step = if parts.scheduler.is_some() {
        "            scheduler.step()\n"
    } else {
        ""
    };
    format!(
        "\"\"\"Trains {name} on one process or several: `torchrun --nproc-per-node 2 train.py`.\"\"\"\n\n\
import argparse\nimport os\n\nimport torch\nimport torch.distributed as dist\nfrom safetensors.torch import load_file, save_file\n\
from torch import nn\nfrom torch.nn.parallel import DistributedDataParallel\nfrom torch.utils.data import DataLoader, DistributedSampler\n\n\
from data import load\nfrom model import {name}\n\n\n\
{loss}\n\n\n\
def test(model, loader, device):\n    \"\"\"The sums of losses and right answers over this process's samples, and how many there are.\"\"\"\n    {begin}\n    model.eval()\n\
    with torch.no_grad():\n        for x, target in loader:\n            x, target = x.to(device), target.to(device)\n            output = model(x)\n\
            total += loss(output, target).item() * len(target)\n{accuracy}            n += len(target)\n    model.train()\n    return torch.tensor([total, right, n], device=device)\n\n\n\
def main():\n    parser = argparse.ArgumentParser(description=\"Trains {name}.\")\n    parser.add_argument(\"--epochs\", type=int, default={epochs})\n\
    parser.add_argument(\"--batch-size\", type=int, default={batch}, help=\"samples in a step, of all processes together\")\n\
    parser.add_argument(\"--weights\", default=\"weights.safetensors\", help=\"the weights to begin with, if the file is there\")\n\
    parser.add_argument(\"--output\", default=\"trained.safetensors\")\n    options = parser.parse_args()\n\n\
    # torchrun says which process this is; alone it is the only one.\n    rank, world = int(os.environ.get(\"RANK\", 0)), int(os.environ.get(\"WORLD_SIZE\", 1))\n\
    is_gpu = torch.cuda.is_available()\n    device = torch.device(\"cuda\", int(os.environ.get(\"LOCAL_RANK\", 0))) if is_gpu else torch.device(\"cpu\")\n\
    if world > 1:\n        dist.init_process_group(\"nccl\" if is_gpu else \"gloo\")\n\n\
    training, testing = load()\n    torch.manual_seed({seed})\n    bare = {name}().to(device)\n    if os.path.exists(options.weights):\n        bare.load_state_dict(load_file(options.weights))\n\
    model = DistributedDataParallel(bare) if world > 1 else bare\n\
    sampler = DistributedSampler(training, world, rank) if world > 1 else None\n\
    train = DataLoader(training, options.batch_size // world, shuffle=sampler is None, sampler=sampler)\n\
    tested = DistributedSampler(testing, world, rank, shuffle=False) if world > 1 else None\n\
    check = DataLoader(testing, 256, sampler=tested)\n\
    optimizer = {optimizer}\n{scheduler}\n\
    for epoch in range(options.epochs):\n        if sampler is not None:\n            sampler.set_epoch(epoch)\n\
        for x, target in train:\n            x, target = x.to(device), target.to(device)\n            optimizer.zero_grad()\n            loss(model(x), target).backward()\n            optimizer.step()\n{step}\
        totals = test(model, check, device)\n        if world > 1:\n            dist.all_reduce(totals)\n        if rank == 0:\n            {said}\n\n\
    if rank == 0:\n        save_file(bare.state_dict(), options.output)\n    if world > 1:\n        dist.destroy_process_group()\n\n\n\
if __name__ == \"__main__\":\n    main()\n",
        name = net.name,
        epochs = settings.epochs,
        batch = settings.batch_size,
        seed = settings.seed,
        optimizer = parts.optimizer,
    )
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
