//! Programs that train; that they run is tested with the Python crate.

use glowgrad_architecture::{presets, project, training};
use ruff_python_parser::parse_module;

#[test]
fn programs_say_what_they_need() {
    let mut net = presets::preset("lenet").expect("a preset");
    let program = training::program(&net).expect("is written");
    assert!(
        program.contains("from torchvision.datasets import MNIST"),
        "{program}"
    );
    for (change, expected) in [
        (("data", "stars"), "there is no data \"stars\""),
        (("loss", "Adam"), "there is no loss \"Adam\""),
        (("optimizer", "Sgd"), "there is no optimizer \"Sgd\""),
        (("schedule", "Never"), "there is no schedule \"Never\""),
    ] {
        let mut other = net.clone();
        let settings = other.training.as_mut().expect("has settings");
        match change.0 {
            "data" => settings.data = change.1.to_owned(),
            "loss" => settings.loss = change.1.to_owned(),
            "optimizer" => settings.optimizer = change.1.to_owned(),
            _ => settings.schedule = change.1.to_owned(),
        }
        let fault = training::program(&other)
            .expect_err("cannot be written")
            .message;
        assert!(fault.contains(expected), "{fault}");
    }
    net.nodes[0].args.insert("in_channels".to_owned(), 3.into());
    let fault = training::program(&net)
        .expect_err("it does not fit")
        .message;
    assert!(
        fault.contains("does not fit together yet: conv1"),
        "{fault}"
    );
}

/// Programs and projects of all data are Python, with nothing left of the templates.
#[test]
fn every_file_is_python() {
    let mut n = 0;
    for (name, data) in [
        ("mlp", "digits"),
        ("mlp", "noise"),
        ("lenet", "mnist"),
        ("resnet18", "cifar10"),
        ("gpt", "shakespeare"),
        ("autoencoder", "mnist"),
        ("vae", "mnist"),
        ("discriminator", "noise"),
    ]
    .into_iter()
    .chain(["moons", "spirals", "blobs"].map(|data| ("mlp", data)))
    {
        let mut net = presets::preset(name).expect("a preset");
        let settings = net.training.get_or_insert_default();
        settings.data = data.to_owned();
        settings.schedule = "OneCycleLR".to_owned();
        if name == "discriminator" {
            settings.loss = "BCEWithLogitsLoss".to_owned();
        }
        let program = training::program(&net).unwrap_or_else(|error| panic!("{name}: {error}"));
        let project = project::files(&net).unwrap_or_else(|error| panic!("{name}: {error}"));
        let files = project.into_iter().chain([("program.py", program)]);
        for (file, text) in files.filter(|(file, _)| file.ends_with(".py")) {
            assert!(
                parse_module(&text).is_ok(),
                "{name} {data}: {file} is no Python:\n{text}"
            );
            assert!(!text.contains('@'), "{name} {data}: {file}:\n{text}");
            n += 1;
        }
    }
    assert_eq!(n, 44);
}

/// Networks that no loss of a result and a target trains have programs of their own; others are refused with what is wanted.
#[test]
fn objectives_have_programs() {
    let program = |name: &str, data: &str| {
        let mut net = presets::preset(name).expect("a preset");
        let settings = net.training.as_mut().expect("has settings");
        settings.data = data.to_owned();
        settings.schedule = "StepLR".to_owned();
        let text = training::program(&net).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(parse_module(&text).is_ok(), "{name} {data}:\n{text}");
        assert!(!text.contains("\n\n\n\n"), "{name} {data}:\n{text}");
        text
    };
    for data in ["digits", "noise"] {
        let game = program("generator", data);
        assert!(
            game.contains(
                "discriminator_optimizer = torch.optim.Adam(discriminator.parameters(), "
            ),
            "{game}"
        );
        assert!(game.contains("sample(len(real)).detach()"), "{game}");
        assert!(
            game.contains("discriminator_scheduler = torch.optim.lr_scheduler.StepLR(discriminator_optimizer, "),
            "{game}"
        );
    }
    assert!(program("vae", "mnist").contains("log_variance.exp()).sum()"));
    assert!(program("diffusion", "moons").contains("STEPS = 100\n"));
    assert!(program("diffusion", "blobs").contains("trainer = Trainer(learner, "));

    let refused = |name: &str, objective: &str, loss: &str| {
        let mut net = presets::preset(name).expect("a preset");
        let settings = net.training.get_or_insert_default();
        settings.objective = objective.to_owned();
        settings.loss = loss.to_owned();
        training::program(&net).expect_err("is refused").message
    };
    for (name, objective, loss, expected) in [
        ("mlp", "elbo", "BCELoss", "a mean and a log of the variance"),
        (
            "mlp",
            "noise",
            "MSELoss",
            "two inputs, a sample and int64 [N]",
        ),
        ("gpt", "gan", "MSELoss", "one input of noise"),
        ("discriminator", "gan", "MSELoss", "another name"),
        (
            "vae",
            "elbo",
            "CrossEntropyLoss",
            "is computed with BCELoss",
        ),
        ("vae", "", "BCELoss", "Choose another objective"),
        (
            "mlp",
            "reward",
            "MSELoss",
            "there is no objective \"reward\"",
        ),
    ] {
        let fault = refused(name, objective, loss);
        assert!(fault.contains(expected), "{name} {objective}: {fault}");
    }
    let fault = project::files(&presets::preset("generator").expect("a preset"));
    assert!(fault.expect_err("is refused").message.contains("torchrun"));
}

/// A network that is drawn without settings has the objective that its inputs and results say.
#[test]
fn objectives_follow_from_what_a_network_gives() {
    for (name, expected) in [("vae", "elbo"), ("diffusion", "noise"), ("mlp", "")] {
        let mut net = presets::preset(name).expect("a preset");
        net.training = None;
        assert_eq!(net.training_or_usual().objective, expected, "{name}");
    }
}

/// A sigmoid gives nothing below 0, so what an autoencoder of images is to give are pixels from 0 to 1.
#[test]
fn images_that_are_to_come_out_again_are_pixels() {
    let text = |name: &str, data: &str| {
        let mut net = presets::preset(name).expect("a preset");
        net.training.get_or_insert_default().data = data.to_owned();
        let files = project::files(&net).expect("are written");
        let (_, samples) = &files[1];
        [
            training::program(&net).expect("is written"),
            samples.to_string(),
        ]
    };
    for code in text("autoencoder", "mnist") {
        assert!(code.contains("target = x\n"), "{code}");
        assert!(
            !code.contains("0.1307") && !code.contains("spread"),
            "{code}"
        );
    }
    for code in text("lenet", "mnist") {
        assert!(code.contains("0.1307"), "{code}");
    }
}
