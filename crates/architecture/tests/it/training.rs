//! Programs that train; that they run is tested with the Python crate.

use glowgrad_architecture::{presets, training};

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
