# Learning from reward alone: REINFORCE on a corridor, then an actor with a critic.
from collections import deque, namedtuple
from itertools import count

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical


class Corridor:
    """Nine cells; the prize is in the last, a pit in the first; a wind blows now and then."""

    def __init__(self, seed):
        self.random = np.random.RandomState(seed)

    def reset(self):
        self.place, self.time = 4, 0
        return self._seen()

    def _seen(self):
        return np.array([self.place / 8, 1 - self.place / 8, self.time / 20], dtype=np.float32)

    def step(self, action):
        self.time += 1
        self.place += (1 if action == 1 else -1) * (-1 if self.random.rand() < 0.1 else 1)
        done = self.place in (0, 8) or self.time == 20
        return self._seen(), {0: -1.0, 8: 1.0}.get(self.place, -0.05), done


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.leave = nn.Linear(3, 16), nn.Linear(16, 2)
        self.log_probs, self.rewards = [], []

    def forward(self, x):
        return F.softmax(self.leave(F.relu(self.enter(x))), dim=1)


env = Corridor(2)
torch.manual_seed(543)
policy = Policy()
optimizer = optim.Adam(policy.parameters(), lr=2e-2)
eps = np.finfo(np.float32).eps.item()
running = 0.0
for episode in range(24):
    state, total = env.reset(), 0.0
    for _ in count():
        choice = Categorical(policy(torch.from_numpy(state).float().unsqueeze(0)))
        action = choice.sample()
        policy.log_probs.append(choice.log_prob(action))
        state, reward, done = env.step(action.item())
        policy.rewards.append(reward)
        total += reward
        if done:
            break
    back, returns = 0.0, deque()
    for reward in policy.rewards[::-1]:
        back = reward + 0.95 * back
        returns.appendleft(back)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    loss = torch.cat([-log * value for log, value in zip(policy.log_probs, returns)]).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    del policy.log_probs[:], policy.rewards[:]
    running = 0.1 * total + 0.9 * running
    if episode % 6 == 0:
        print(f"episode {episode:2d}: reward {total:.2f} running {running:.3f} loss {loss.item():.3f}")
print(policy(torch.tensor([[0.5, 0.5, 0.0]])).argmax().item())

Saved = namedtuple("Saved", ["log_prob", "value"])


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 16)
        self.actor, self.critic = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return self.actor(h), self.critic(h)


model = ActorCritic()
optimizer = optim.Adam(model.parameters(), lr=1e-2)
for episode in range(8):
    state, saved, rewards, entropy = env.reset(), [], [], 0
    done = False
    while not done:
        logits, value = model(torch.as_tensor(state))
        choice = Categorical(logits=logits)
        action = choice.sample()
        saved.append(Saved(choice.log_prob(action), value))
        entropy = entropy + choice.entropy()
        state, reward, done = env.step(int(action))
        rewards.append(reward)
    returns = []
    for reward in reversed(rewards):
        returns.insert(0, reward + 0.95 * (returns[0] if returns else 0.0))
    actor, critic = [], []
    for (log_prob, value), wanted in zip(saved, returns):
        actor.append(-log_prob * (wanted - value.item()))
        critic.append(F.smooth_l1_loss(value, torch.tensor([wanted])))
    loss = torch.stack(actor).sum() + torch.stack(critic).sum() - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(episode, len(rewards), f"{loss.item():.3f}", f"{entropy.item() / len(rewards):.3f}")
