# The rows of layers, losses and optimizers: every public class has one, every argument a type, every shape rule gives
# what a forward pass gives, every optimizer remembers what its row says, and every model that a row makes comes back
# from its JSON. Prints what is wrong, and at last how many rows there are.
import json
import warnings

import glowgrad as torch
from glowgrad import lab, nn, optim
from glowgrad._rows import ROWS
from glowgrad._rows.arguments import TYPES, WORDS
from glowgrad._rows.row import input_of, sample, signature

warnings.simplefilter("ignore")

# ONNX's operators, of those that a row could name (opset 23, and the training operators).
ONNX = set((
    "Abs Add And Attention AveragePool BatchNormalization Cast Celu Clip Col2Im Concat Conv ConvTranspose CumSum "
    "DepthToSpace Div Dropout Einsum Elu Equal Erf Exp Expand Flatten GRU Gather Gelu Gemm GlobalAveragePool GlobalMaxPool "
    "Greater GroupNormalization HardSigmoid HardSwish Identity InstanceNormalization LRN LSTM LayerNormalization LeakyRelu "
    "Less Log LogSoftmax LpPool MatMul Max MaxPool MaxUnpool Mean Min Mish Mul Neg NegativeLogLikelihoodLoss OneHot PRelu "
    "Pad Pow RMSNormalization RNN Reciprocal ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceSum Relu Reshape Resize "
    "RotaryEmbedding Selu Shrink Sigmoid Sign Slice Softmax SoftmaxCrossEntropyLoss Softplus Softsign SpaceToDepth Split "
    "Sqrt Squeeze Sub Sum Tanh ThresholdedRelu Transpose Unsqueeze Where Adagrad Adam Momentum"
).split())


def shape_of(value):
    if isinstance(value, torch.Tensor):
        return tuple(value.shape)
    return tuple([shape_of(each) for each in value]) if isinstance(value, tuple) else ()


def state_of(model):
    tensors = [(f"{path}.{name}", each) for path, module in model.named_modules()
               for group in (module._parameters, module._buffers) for name, each in group.items()]
    return [(name, None if each is None or nn.parameter.is_lazy(each) else tuple(each.shape)) for name, each in tensors]


def every_class_has_a_row():
    for place, base in ((nn, nn.Module), (optim, optim.Optimizer)):
        for name in dir(place):
            value = getattr(place, name)
            is_public = isinstance(value, type) and issubclass(value, base) and not name.startswith("_")
            if is_public and (name not in ROWS or ROWS[name].cls is not value):
                yield f"{place.__name__}.{name} has no row: add one in glowgrad/_rows"


def every_argument_has_a_type(row):
    for argument in row.arguments.values():
        if not argument.words and not argument.choices:
            yield f"{argument.name} has no type"
        if not argument.is_required and not argument.words == ("params",):
            given = argument.give(argument.default)
            is_data = argument.words and set(argument.words) <= {"module", "options"}
            if not is_data and not argument.take(json.loads(json.dumps(given)))[0]:
                yield f"{argument.name} is {given!r} by default, which is no {argument.type()}"
    for name in row._types:
        if name not in row.arguments:
            yield f"its row has a type for {name}, which is no argument"


def its_operators_are_onnx(row):
    operators, note = row.operators()
    for each in operators:
        if each not in ONNX:
            yield f"ONNX has no operator {each}"
    if not operators and not note:
        yield "its row has no ONNX operator, and no word why"


def its_rule_is_a_forward_pass(row):
    if not row.rules or not row.cases:
        yield "it has no shape rule, or no case"
    for given, *inputs in row.cases:
        module, shapes = row.made(given), [input_of(each)[0] for each in inputs]
        said = row.output_shape(row.values(given), shapes)
        read = lab.output_shape(row.made(given), *shapes)
        call = module if row.call == "forward" else getattr(module, row.call)
        found = shape_of(call(*[sample(each) for each in inputs]))
        if not said == read == found:
            yield f"{given} of {inputs}: the rule gives {said}, of the module {read}, and the pass {found}"


def it_has_so_many_parameters(row):
    for given, *_ in row.cases:
        module, said = row.made(given), row.n_parameters(row.values(given))
        found = [parameter for parameter in module.parameters() if not nn.parameter.is_lazy(parameter)]
        has_modules = any(["module" in argument.words for argument in row.arguments.values()])
        if said is None and (found and not has_modules and "cutoffs" not in row.arguments):
            yield f"{given}: its row does not say how many parameters it has"
        if said is not None and said != sum([parameter.numel() for parameter in found]):
            yield f"{given}: it has {sum([each.numel() for each in found])} parameters, and its row says {said}"


def it_comes_back_from_json(row):
    for given, *_ in row.cases:
        module = row.made(given)
        text = lab.to_json(module)
        again = lab.from_json(text)
        if repr(again) != repr(module) or state_of(again) != state_of(module) or lab.to_json(again) != text:
            yield f"{given}: {text} makes {again!r} of {module!r}"


def it_remembers_what_its_row_says(row):
    for given, size in row.cases:
        shape, _ = input_of(size)
        w = torch.randn(*shape, requires_grad=True)
        optimizer = row.cls([w], **given)

        def closure():
            optimizer.zero_grad()
            loss = (w ** 2).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        found = {name: shape_of(value) for name, value in optimizer.state[w].items()
                 if value is not None and not isinstance(value, list)}
        said = row.remembered(row.values(given), shape)
        if found != said:
            yield f"{given}: it remembers {found}, and its row says {said}"


CHECKS = {
    "layer": (its_rule_is_a_forward_pass, it_has_so_many_parameters, it_comes_back_from_json),
    "loss": (its_rule_is_a_forward_pass, it_has_so_many_parameters, it_comes_back_from_json),
    "optimizer": (it_remembers_what_its_row_says,),
}

faults = list(every_class_has_a_row())
for row in ROWS.values():
    for check in (every_argument_has_a_type, its_operators_are_onnx, *CHECKS.get(row.kind, ())):
        try:
            faults += [f"{row.name}: {fault}" for fault in check(row)]
        except Exception as error:
            faults.append(f"{row.name}: {check.__name__}: {type(error).__name__}: {error}")
named = {name for row in ROWS.values() for name, *_ in signature(row.cls)}
faults += [f"TYPES has {name}, which no class takes" for name in TYPES if name not in named]
faults += [f"no type has the word {word}" for word in WORDS
           if not any([word in each.words for row in ROWS.values() for each in row.arguments.values()])]
for fault in faults:
    print("wrong:", fault)
print(json.dumps(lab.catalog()) == json.dumps([row.as_dict() for row in ROWS.values()]))
kinds = [row.kind for row in ROWS.values()]
print({kind: kinds.count(kind) for kind in sorted(set(kinds))})
