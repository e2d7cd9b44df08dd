import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_sequence


def tried(make):
    try:
        print("fine", make())
    except Exception as error:
        print(type(error).__name__, error)


def kind(make):
    try:
        make()
        print("fine")
    except Exception as error:
        print(type(error).__name__)


for layer in (nn.RNN, nn.LSTM, nn.GRU):
    print(layer.__name__)
    tried(lambda: layer(3, 0))
    tried(lambda: layer(0, 3))
    tried(lambda: layer(-1, 3))
    tried(lambda: layer(3, 4.0))
    tried(lambda: layer("3", 4))
    tried(lambda: layer(3, 4, 0))
    tried(lambda: layer(3, 4, num_layers=-1))
    tried(lambda: layer(3, 4, bias=1))
    tried(lambda: layer(3, 4, batch_first=None))
    tried(lambda: layer(3, 4, 2, dropout=1.5))
    tried(lambda: layer(3, 4, 2, dropout=-0.5))
    tried(lambda: layer(3, 4, 2, dropout=True))
    kind(lambda: layer(3))
    kind(lambda: layer(3, 4, wrong=1))
    kind(lambda: layer())
    m = layer(3, 4)
    kind(lambda: m())
    kind(lambda: m(3))
    tried(lambda: m(torch.zeros(3)))
    tried(lambda: m(torch.zeros(1, 1, 2, 3)))
    tried(lambda: m(torch.zeros(2, 5)))
    tried(lambda: m(torch.zeros(2, 2, 4)))
    tried(lambda: m(torch.zeros(0, 2, 3)))
    tried(lambda: m(torch.zeros(2, 2, 3, dtype=torch.float64)))
    tried(lambda: m(torch.zeros(2, 2, 3, dtype=torch.int64)))
    if layer is not nn.LSTM:
        kind(lambda: m(pack_sequence([torch.zeros(2, 4)])))
tried(lambda: nn.RNN(3, 4, nonlinearity="gelu"))
tried(lambda: nn.RNN(3, 4, 1, "sigmoid"))
tried(lambda: nn.RNN(3, 4, proj_size=2))
tried(lambda: nn.GRU(3, 4, proj_size=0))
tried(lambda: nn.LSTM(3, 4, proj_size=4))
tried(lambda: nn.LSTM(3, 4, proj_size=-1))
tried(lambda: nn.RNNBase("RNN", 3, 4))
print(nn.RNNBase("GRU", 3, 4))
for layer in (nn.RNN(3, 4), nn.GRU(3, 4, 2, bidirectional=True)):
    n = len(layer.all_weights)
    tried(lambda: layer(torch.zeros(5, 2, 3), torch.zeros(n, 2, 5)))
    tried(lambda: layer(torch.zeros(5, 2, 3), torch.zeros(n, 3, 4)))
    tried(lambda: layer(torch.zeros(5, 2, 3), torch.zeros(n + 1, 2, 4)))
    tried(lambda: layer(torch.zeros(5, 2, 3), torch.zeros(n, 4)))
    tried(lambda: layer(torch.zeros(5, 3), torch.zeros(n, 2, 4)))
    tried(lambda: layer(torch.zeros(5, 3), torch.zeros(n, 5)))
    tried(lambda: layer(pack_sequence([torch.zeros(2, 3)]), torch.zeros(n, 2, 4)))
lstm = nn.LSTM(3, 4, proj_size=2)
right = torch.zeros(1, 2, 2), torch.zeros(1, 2, 4)
tried(lambda: lstm(torch.zeros(5, 2, 3), right)[0].shape)
tried(lambda: lstm(torch.zeros(5, 2, 3), right[::-1]))
tried(lambda: lstm(torch.zeros(5, 2, 3), (right[0], right[0])))
tried(lambda: lstm(torch.zeros(5, 2, 3), (right[0][0], right[1])))
tried(lambda: lstm(torch.zeros(5, 3), right))
tried(lambda: lstm(torch.zeros(5, 1, 3), right))
kind(lambda: lstm(torch.zeros(5, 2, 3), (right[0],)))
tried(lambda: lstm(torch.zeros(5, 2, 3), torch.zeros(2, 2, 4)))
for cell in (nn.RNNCell(3, 4), nn.GRUCell(3, 4)):
    tried(lambda: cell(torch.zeros(2, 2)))
    tried(lambda: cell(torch.zeros(2)))
    tried(lambda: cell(torch.zeros(2, 3), torch.zeros(2, 5)))
    tried(lambda: cell(torch.zeros(2, 3), torch.zeros(3, 4)))
    tried(lambda: cell(torch.zeros(1, 2, 3)))
    tried(lambda: cell(torch.zeros(2, 3), torch.zeros(1, 2, 4)))
    kind(lambda: cell())
cell = nn.LSTMCell(3, 4)
tried(lambda: cell(torch.zeros(2, 2)))
tried(lambda: cell(torch.zeros(2, 3), (torch.zeros(2, 5), torch.zeros(2, 4))))
tried(lambda: cell(torch.zeros(2, 3), (torch.zeros(2, 4), torch.zeros(2, 5))))
tried(lambda: cell(torch.zeros(2, 3), (torch.zeros(2, 4), torch.zeros(3, 4))))
tried(lambda: cell(torch.tensor(1.0)))
tried(lambda: cell(torch.zeros(2, 3), (torch.zeros(2, 4), torch.zeros(1, 2, 4))))
wrong = nn.RNNCell(3, 4, nonlinearity="gelu")
print(wrong)
tried(lambda: wrong(torch.zeros(2, 3)))
kind(lambda: nn.GRUCell(3))
kind(lambda: nn.GRUCell(3, 4, nonlinearity="tanh"))
try:
    nn.GRU(3, 4).load_state_dict(nn.GRU(3, 5).state_dict())
except RuntimeError as error:
    print(str(error).split("\n")[0], len(str(error).split("\n")))
