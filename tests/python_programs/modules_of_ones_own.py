# Modules that lie beside a program: files, packages, folders without __init__.py, errors in them.
import os
import sys
import tempfile

folder = tempfile.mkdtemp()
texts = {
    "shapes.py": '''"""Areas."""
import math
print("shapes is run", __name__)

def circle(r):
    return math.pi * r ** 2

class Square:
    def __init__(self, a):
        self.a = a
''',
    "kitchen/__init__.py": "from .pans import pan\nfrom kitchen import pots\nVERSION = 2\n",
    "kitchen/pans.py": "from . import pots\n\ndef pan():\n    return 'pan and ' + pots.pot()\n",
    "kitchen/pots.py": "def pot():\n    return 'pot'\n",
    "kitchen/deep/__init__.py": "",
    "kitchen/deep/bowl.py": "from ..pots import pot\nfrom ..pans import pan\n",
    "loose/leaf.py": "COLOUR = 'green'\n",
    "wrong.py": "x = 1\nx = x / 0\n",
    "broken.py": "def f(:\n",
}
for name, text in texts.items():
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
sys.path.insert(0, folder)

import shapes
from shapes import Square, circle

print(shapes.__doc__, shapes.__name__, os.path.basename(shapes.__file__), round(circle(1.0), 3), Square(2).a)
print(Square.__module__, sys.modules["shapes"] is shapes)
import shapes as again

print(again is shapes)
import kitchen
import kitchen.deep.bowl as bowl

print(kitchen.pan(), kitchen.VERSION, kitchen.pots.pot(), bowl.pot(), bowl.__package__, bowl.pan())
print(kitchen.pans.__name__, [os.path.basename(path) for path in kitchen.__path__])
from loose.leaf import COLOUR
from loose import leaf

print(COLOUR, leaf.COLOUR)
for statement in (
    "import wrong", "import broken", "from shapes import nothing", "import kitchen.lid", "from kitchen import spoon",
):
    try:
        exec(statement)
    except Exception as error:
        print(statement, type(error).__name__)
print("wrong" in sys.modules)
