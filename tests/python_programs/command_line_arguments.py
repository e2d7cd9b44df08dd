import argparse
import logging
import sys

parser = argparse.ArgumentParser(prog="train.py", description="PyTorch MNIST Example")
parser.add_argument("--batch-size", type=int, default=64, metavar="N", help="input batch size for training (default: 64)")
parser.add_argument("--epochs", type=int, default=14, metavar="N", help="number of epochs to train (default: 14)")
parser.add_argument("--lr", type=float, default=1.0, help="learning rate (default: 1.0)")
parser.add_argument("--no-accel", action="store_true", help="disables accelerator")
parser.add_argument("--model", choices=["rnn", "lstm"], default="rnn")
parser.add_argument("files", nargs="*")
args = parser.parse_args([])
print(args)
args = parser.parse_args(["--epochs", "3", "--lr=0.1", "--no-accel", "a", "b"])
print(args.epochs, args.lr, args.no_accel, args.files, vars(args)["batch_size"])
print(parser.format_usage())
known, rest = parser.parse_known_args(["--other", "1"])
print(known.epochs, rest)
for wrong in (["--epochs", "x"], ["--model", "gru"]):
    try:
        sys.stderr = sys.stdout
        parser.parse_args(wrong)
    except SystemExit as e:
        print("exit", e.code)
sub = argparse.ArgumentParser(prog="tool")
commands = sub.add_subparsers(dest="command")
commands.add_parser("run").add_argument("n", type=int)
print(sub.parse_args(["run", "5"]))
group = argparse.ArgumentParser(prog="g").add_mutually_exclusive_group()
group.add_argument("--a", action="store_const", const=1)
log = logging.getLogger("training")
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("%(levelname)s:%(name)s:%(message)s"))
log.addHandler(handler)
log.setLevel(logging.INFO)
log.info("epoch %d, loss %.3f", 3, 0.12345)
log.debug("not shown")
log.warning("careful")
try:
    1 / 0
except ZeroDivisionError as e:
    log.error("failed: %s", e)
print(logging.getLevelName(30), log.isEnabledFor(logging.DEBUG))
