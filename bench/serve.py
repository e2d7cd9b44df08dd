"""Predictions of `glow serve` beside FastAPI with PyTorch, for a number of clients that each ask one after another.

python bench/serve.py GLOW LOAD CLIENTS rate|p99

GLOW is the program `glow`, LOAD the example `load` of the crate glowgrad-serve. Both servers run the same perceptron
784 -> 256 -> 10 and answer the same JSON. The second one needs fastapi, uvicorn and torch where this file runs; it is
named as skipped where they are missing. Rounds go by turns. `rate` prints requests per second, `p99` the milliseconds
below which 99 % of the answers come, as `cargo lab bench` reads them.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 10
SECONDS = 2
KINDS = {"rate": ("requests/s", "requests_per_second"), "p99": ("ms", "p99_ms")}

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


def can_run_other():
    command = [sys.executable, "-c", "import fastapi, torch, uvicorn"]
    return subprocess.run(command, capture_output=True).returncode == 0


def address(server):
    """The address in the first line that a server prints."""
    line = server.stdout.readline()
    return line.strip().rsplit(" ", 1)[-1].removeprefix("http://")


def main(glow, load, clients, kind):
    unit, key = KINDS[kind]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        model, body = folder / "model.onnx", folder / "body.json"
        subprocess.run([load, "--model", model], check=True)
        row = [round((i * 37 % 256) / 255, 3) for i in range(784)]
        body.write_text(json.dumps({"inputs": [row]}))
        commands = {}
        if can_run_other():
            (folder / "other.py").write_text(OTHER)
            commands["FastAPI and PyTorch"] = [sys.executable, folder / "other.py"]
        else:
            print("FastAPI and PyTorch: skipped, fastapi, uvicorn or torch cannot be imported", file=sys.stderr)
        commands["glow serve"] = [glow, "serve", model, "--port", "0"]
        servers = {
            name: subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for name, command in commands.items()
        }
        try:
            addresses = {name: address(server) for name, server in servers.items()}
            series = {name: [] for name in addresses}
            for _ in range(ROUNDS):
                for name, place in addresses.items():
                    series[name].append(measured(name, [load, place, body, clients, str(SECONDS)])[key])
        finally:
            for server in servers.values():
                server.terminate()
            for server in servers.values():
                server.wait()
    print(json.dumps({"unit": unit, "series": series}))


def measured(name, command):
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"{name}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
