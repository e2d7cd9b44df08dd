"""Requests per second and p99 of `glow serve` beside FastAPI with PyTorch, at 1, 8 and 64 clients, in one run.

python bench/serve.py GLOW LOAD [PYTHON]

GLOW is the program `glow`, LOAD the example `load` of the crate glowgrad-serve. Both servers run the same perceptron
784 -> 256 -> 10 and answer the same JSON. The second one is started with PYTHON, if fastapi, uvicorn and torch can be
imported there; otherwise its rows are named as skipped. Rounds go by turns, and each figure is the median of them.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

CLIENTS = (1, 8, 64)
ROUNDS = 5
SECONDS = 4

# What a PyTorch user writes: the body is checked by pydantic, the model runs in FastAPI's threads.
OTHER = '''
import sys
import torch
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from torch import nn

model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10)).eval()
app = FastAPI()

class Body(BaseModel):
    inputs: list[list[float]]

@app.post("/predict")
def predict(body: Body):
    with torch.inference_mode():
        y = model(torch.tensor(body.inputs))
    return {"outputs": {"y": y.tolist()}}

class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"at 127.0.0.1:{port}", flush=True)

Server(uvicorn.Config(app, port=0, log_level="warning")).run()
'''


def can_run_other(python):
    command = [python, "-c", "import fastapi, torch, uvicorn"]
    return subprocess.run(command, capture_output=True).returncode == 0


def address(server):
    """The address in the first line that a server prints."""
    line = server.stdout.readline()
    return line.strip().rsplit(" ", 1)[-1].removeprefix("http://")


def main(glow, load, python=None):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        model, body = folder / "model.onnx", folder / "body.json"
        subprocess.run([load, "--model", model], check=True)
        row = [round((i * 37 % 256) / 255, 3) for i in range(784)]
        body.write_text(json.dumps({"inputs": [row]}))
        commands = {"glow serve": [glow, "serve", model, "--port", "0"]}
        skipped = []
        if python and can_run_other(python):
            (folder / "other.py").write_text(OTHER)
            commands["FastAPI and PyTorch"] = [python, folder / "other.py"]
        else:
            skipped.append("FastAPI and PyTorch")
        servers = {
            name: subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for name, command in commands.items()
        }
        try:
            found = measure(load, body, {name: address(server) for name, server in servers.items()})
        finally:
            for server in servers.values():
                server.terminate()
            for server in servers.values():
                server.wait()
    print(f"{'server':<22} {'clients':>7} {'requests/s':>11} {'quartiles':>19} {'p50 ms':>8} {'p99 ms':>8}")
    for (name, clients), rounds in found.items():
        rate, p50, p99 = (
            [one[key] for one in rounds] for key in ("requests_per_second", "p50_ms", "p99_ms")
        )
        low, _, high = statistics.quantiles(rate, n=4, method="inclusive")
        print(
            f"{name:<22} {clients:>7} {statistics.median(rate):>11.0f} {low:>9.0f} {high:>9.0f}"
            f" {statistics.median(p50):>8.2f} {statistics.median(p99):>8.2f}"
        )
    for name in skipped:
        print(f"{name}: skipped, fastapi, uvicorn or torch cannot be imported")


def measure(load, body, addresses):
    found = {}
    for _ in range(ROUNDS):
        for clients in CLIENTS:
            for name, place in addresses.items():
                command = [load, place, body, str(clients), str(SECONDS)]
                ran = subprocess.run(command, capture_output=True, text=True)
                if ran.returncode != 0:
                    raise SystemExit(f"{name} at {clients} clients: {ran.stderr.strip()}")
                found.setdefault((name, clients), []).append(json.loads(ran.stdout))
    order = [(name, clients) for name in addresses for clients in CLIENTS]
    return {key: found[key] for key in order}


if __name__ == "__main__":
    main(*sys.argv[1:])
