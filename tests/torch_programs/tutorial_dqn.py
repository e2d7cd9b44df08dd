# Learning what actions are worth: a memory of moves, a network, and a slow copy of it.
import copy
import math
import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

Move = namedtuple("Move", ("state", "action", "next_state", "reward"))


class Memory:
    def __init__(self, capacity):
        self.moves = deque([], maxlen=capacity)

    def push(self, *args):
        self.moves.append(Move(*args))

    def sample(self, n):
        return random.sample(self.moves, n)

    def __len__(self):
        return len(self.moves)


class Values(nn.Module):
    def __init__(self, seen, actions):
        super().__init__()
        self.first, self.second = nn.Linear(seen, 24), nn.Linear(24, 24)
        self.last = nn.Linear(24, actions)

    def forward(self, x):
        return self.last(F.relu(self.second(F.relu(self.first(x)))))


def cart(place, speed, push):
    """A cart in a bowl; the goal is the right rim."""
    speed = max(-0.4, min(0.4, speed + 0.06 * (push - 1) - 0.05 * math.sin(2 * place)))
    place = max(-1.2, min(1.0, place + speed))
    return place, speed, place >= 0.95


random.seed(1)
torch.manual_seed(1)
policy, memory = Values(2, 3), Memory(500)
target = copy.deepcopy(policy)
print(target.load_state_dict(policy.state_dict()), sum(p.numel() for p in policy.parameters()))
optimizer = optim.AdamW(policy.parameters(), lr=2e-3, amsgrad=True)
steps, losses, lengths = 0, [], []


def choose(state):
    global steps
    chance = 0.05 + 0.85 * math.exp(-steps / 150)
    steps += 1
    if random.random() > chance:
        with torch.no_grad():
            return policy(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(3)]], dtype=torch.long)


def learn(n=16, gamma=0.97):
    if len(memory) < n:
        return
    batch = Move(*zip(*memory.sample(n)))
    going = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
    states, actions, rewards = torch.cat(batch.state), torch.cat(batch.action), torch.cat(batch.reward)
    worth = policy(states).gather(1, actions)
    after = torch.zeros(n)
    if going.any():
        with torch.no_grad():
            nexts = torch.cat([s for s in batch.next_state if s is not None])
            after[going] = target(nexts).max(1).values
    loss = nn.SmoothL1Loss()(worth, (after * gamma + rewards).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 10)
    optimizer.step()
    losses.append(loss.item())


for episode in range(6):
    place, speed = random.uniform(-0.2, 0.2), 0.0
    state = torch.tensor([[place, speed]])
    for t in range(40):
        action = choose(state)
        place, speed, done = cart(place, speed, action.item())
        after = None if done else torch.tensor([[place, speed]])
        memory.push(state, action, after, torch.tensor([1.0 if done else -0.02]))
        state = after
        learn()
        slow, fast = target.state_dict(), policy.state_dict()
        for key in fast:
            slow[key] = fast[key] * 0.05 + slow[key] * 0.95
        target.load_state_dict(slow)
        if done:
            break
    lengths.append(t + 1)
print(lengths, len(memory), steps)
print([round(value, 4) for value in losses[::40]])
print(memory.moves[0])
