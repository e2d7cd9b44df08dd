import torch
import torch.nn as nn
from torch.distributions import Categorical, Independent, Normal, TanhTransform, TransformedDistribution


class Corridor:
    """Five places in a row: right at the end is the goal, each step costs a little."""

    def reset(self):
        self.place, self.steps = 1, 0
        return self.seen()

    def seen(self):
        return nn.functional.one_hot(torch.tensor(self.place), 5).float()

    def step(self, action):
        self.place = max(0, min(4, self.place + (1 if action == 1 else -1)))
        self.steps += 1
        done = self.place == 4 or self.steps == 12
        return self.seen(), 1.0 if self.place == 4 else -0.05, done


torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.05)
world = Corridor()
for episode in range(25):
    seen, done, log_probs, rewards, entropies = world.reset(), False, [], [], []
    while not done:
        choice = Categorical(logits=policy(seen))
        action = choice.sample()
        log_probs.append(choice.log_prob(action))
        entropies.append(choice.entropy())
        seen, reward, done = world.step(action.item())
        rewards.append(reward)
    returns, total = [], 0.0
    for reward in reversed(rewards):
        total = reward + 0.95 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    if len(returns) > 1:
        returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    loss = -(torch.stack(log_probs) * returns).sum() - 0.01 * torch.stack(entropies).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if episode % 6 == 0:
        print(episode, len(rewards), round(sum(rewards), 2), round(loss.item(), 2))
with torch.no_grad():
    print([round(v, 2) for v in Categorical(logits=policy(torch.eye(5))).probs[:, 1].tolist()])

# A bandit with continuous actions: a normal policy, by its score and by its path.
torch.manual_seed(1)
mean, log_scale = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
goal = torch.tensor([1.0, -0.5])
optimizer = torch.optim.SGD([mean, log_scale], lr=0.05)
for step in range(30):
    policy = Independent(Normal(mean, log_scale.exp()), 1)
    actions = policy.sample((32,))
    reward = -((actions - goal) ** 2).sum(-1)
    loss = -(policy.log_prob(actions) * (reward - reward.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print([round(v, 2) for v in [*mean.tolist(), *log_scale.tolist()]], policy)
for step in range(30):
    squashed = TransformedDistribution(Normal(mean, log_scale.exp()), [TanhTransform(cache_size=1)])
    actions = squashed.rsample((32,))
    log_prob = squashed.log_prob(actions).sum(-1)
    loss = (((actions - goal) ** 2).sum(-1) + 0.01 * log_prob).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print([round(v, 2) for v in [*mean.tolist(), *log_scale.tolist()]], round(loss.item(), 3))

# PPO's ratio of two policies.
old = Categorical(logits=torch.tensor([[0.1, 0.4], [1.0, -1.0]]))
logits = torch.tensor([[0.3, 0.2], [0.5, -0.5]], requires_grad=True)
actions = torch.tensor([1, 0])
ratio = (Categorical(logits=logits).log_prob(actions) - old.log_prob(actions)).exp()
advantage = torch.tensor([1.0, -2.0])
loss = -torch.min(ratio * advantage, ratio.clamp(0.9, 1.1) * advantage).mean()
print(ratio, loss, torch.autograd.grad(loss, logits))
