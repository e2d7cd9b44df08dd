//! LeNet, made in glowgrad's studio.

use glowgrad::bind::{ToArg, call};
use glowgrad::nn::{Conv2d, Conv2dOptions, Linear, LinearOptions, MaxPool2d, Module};
use glowgrad::{Engine, Result, Tensor, args};

/// Convolutions and pools that halve the image, then linear layers (LeCun and others, 1998).
pub struct LeNet {
    pub conv1: Conv2d,
    pub pool1: MaxPool2d,
    pub conv2: Conv2d,
    pub pool2: MaxPool2d,
    pub fc1: Linear,
    pub fc2: Linear,
    pub fc3: Linear,
}
glowgrad::parts!(LeNet: conv1, pool1, conv2, pool2, fc1, fc2, fc3);

impl LeNet {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<LeNet> {
        Ok(LeNet {
            conv1: Conv2dOptions::new(1usize, 6usize, 5).padding(2usize).build(engine)?,
            pool1: MaxPool2d::new(2),
            conv2: Conv2dOptions::new(6usize, 16usize, 5).build(engine)?,
            pool2: MaxPool2d::new(2),
            fc1: LinearOptions::new(400usize, 120usize).build(engine)?,
            fc2: LinearOptions::new(120usize, 84usize).build(engine)?,
            fc3: LinearOptions::new(84usize, 10usize).build(engine)?,
        })
    }
}

impl Module for LeNet {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let conv1 = self.conv1.forward(x)?;
        let relu = conv1.relu()?;
        let pool1 = self.pool1.forward(&relu)?;
        let conv2 = self.conv2.forward(&pool1)?;
        let relu_2 = conv2.relu()?;
        let pool2 = self.pool2.forward(&relu_2)?;
        let flatten = call(
            pool2.engine(),
            "flatten",
            args![pool2],
            vec![("start_dim", 1i64.arg())],
        )?;
        let fc1 = self.fc1.forward(&flatten)?;
        let relu_3 = fc1.relu()?;
        let fc2 = self.fc2.forward(&relu_3)?;
        let relu_4 = fc2.relu()?;
        let fc3 = self.fc3.forward(&relu_4)?;
        Ok(fc3)
    }
}
