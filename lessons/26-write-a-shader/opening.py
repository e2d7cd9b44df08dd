import glowgrad as torch

torch.manual_seed(0)

x = torch.arange(10.0)
doubled = (2 * x).realize()

a = torch.randn(33, 17)
b = torch.randn(17, 20)
product = (a @ b).realize()
