import glowgrad as torch


def train_until(model, epoch, validate, patience):
    lowest, waited = float("inf"), 0
    while waited < patience:
        epoch()
        loss = validate()
        if loss < lowest:
            lowest, waited = loss, 0
            best = model.state_dict()
        else:
            waited += 1
    return loss
