//! Trains LeNet on MNIST: `cargo run --release -p glowgrad --example 03_train_lenet -- FOLDER`
//!
//! FOLDER has MNIST's four files. The run is kept in `lenet.safetensors`; begun again, it goes on from there.

use std::path::Path;

use glowgrad::data::{self, DataLoader};
use glowgrad::nn::{Conv2d, Conv2dOptions, Linear, MaxPool2d, Module, functional};
use glowgrad::optim::{Adam, AdamOptions};
use glowgrad::training::Trainer;
use glowgrad::{Engine, Error, Result, Tensor, nn::Parts};

struct LeNet {
    conv1: Conv2d,
    conv2: Conv2d,
    fc1: Linear,
    fc2: Linear,
    fc3: Linear,
}
glowgrad::parts!(LeNet: conv1, conv2, fc1, fc2, fc3);

impl LeNet {
    fn new(engine: &Engine) -> Result<LeNet> {
        Ok(LeNet {
            conv1: Conv2dOptions::new(1usize, 6usize, 5)
                .padding(2)
                .build(engine)?,
            conv2: Conv2d::new(engine, 6, 16, 5)?,
            fc1: Linear::new(engine, 16 * 5 * 5, 120)?,
            fc2: Linear::new(engine, 120, 84)?,
            fc3: Linear::new(engine, 84, 10)?,
        })
    }
}

impl Module for LeNet {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let pool = MaxPool2d::new(2);
        let x = pool.forward(&self.conv1.forward(x)?.relu()?)?;
        let x = pool.forward(&self.conv2.forward(&x)?.relu()?)?;
        let x = x.reshape(&[-1, 16 * 5 * 5])?;
        let x = self.fc1.forward(&x)?.relu()?;
        self.fc3.forward(&self.fc2.forward(&x)?.relu()?)
    }
}

fn main() -> Result<()> {
    let folder = std::env::args().nth(1);
    let folder = folder.ok_or_else(|| Error::value("name a folder with MNIST's files"))?;
    let engine = glowgrad::cpu();
    engine.generator().manual_seed(0);
    let (images, labels) = data::mnist(&engine, Path::new(&folder), true)?;
    let (test_images, test_labels) = data::mnist(&engine, Path::new(&folder), false)?;
    let batches = DataLoader::new(vec![images, labels], 64)?.shuffle(true);
    let test = DataLoader::new(vec![test_images, test_labels], 1000)?;

    let model = LeNet::new(&engine)?;
    println!("{} parameters", model.n_parameters());
    let optimizer = Adam::new(model.parameters(), AdamOptions::default());
    let mut trainer = Trainer::new(&model, optimizer, functional::cross_entropy)
        .metric("accuracy", functional::accuracy)
        .checkpoint("lenet.safetensors", 200)
        .progress(true);
    trainer.fit(&batches, 3, Some(&test))?;
    Ok(())
}
