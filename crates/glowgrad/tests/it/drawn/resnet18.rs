//! ResNet18, made in glowgrad's studio.

use glowgrad::bind::{ToArg, call};
use glowgrad::nn::{
    AdaptiveAvgPool2d,
    BatchNorm2d,
    BatchNorm2dOptions,
    Conv2d,
    Conv2dOptions,
    Linear,
    LinearOptions,
    Module,
    Sequential,
};
use glowgrad::{Engine, Result, Tensor, args};

/// Two convolutions of 3 by 3 and a way around them.
pub struct BasicBlock {
    pub conv1: Conv2d,
    pub bn1: BatchNorm2d,
    pub conv2: Conv2d,
    pub bn2: BatchNorm2d,
}
glowgrad::parts!(BasicBlock: conv1, bn1, conv2, bn2);

impl BasicBlock {
    /// With weights drawn anew.
    pub fn new(engine: &Engine, channels: usize) -> Result<BasicBlock> {
        Ok(BasicBlock {
            conv1: Conv2dOptions::new(channels, channels, 3)
                .padding(1usize)
                .bias(false)
                .build(engine)?,
            bn1: BatchNorm2dOptions::new(channels).build(engine)?,
            conv2: Conv2dOptions::new(channels, channels, 3)
                .padding(1usize)
                .bias(false)
                .build(engine)?,
            bn2: BatchNorm2dOptions::new(channels).build(engine)?,
        })
    }
}

impl Module for BasicBlock {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let conv1 = self.conv1.forward(x)?;
        let bn1 = self.bn1.forward(&conv1)?;
        let relu = bn1.relu()?;
        let conv2 = self.conv2.forward(&relu)?;
        let bn2 = self.bn2.forward(&conv2)?;
        let add = bn2.add(x)?;
        let relu_2 = add.relu()?;
        Ok(relu_2)
    }
}

/// A block that halves the image; the way around it is a convolution of 1 by 1.
pub struct DownBlock {
    pub conv1: Conv2d,
    pub bn1: BatchNorm2d,
    pub conv2: Conv2d,
    pub bn2: BatchNorm2d,
    pub downsample: Sequential,
}
glowgrad::parts!(DownBlock: conv1, bn1, conv2, bn2, downsample);

impl DownBlock {
    /// With weights drawn anew.
    pub fn new(engine: &Engine, n_in: usize, n_out: usize) -> Result<DownBlock> {
        Ok(DownBlock {
            conv1: Conv2dOptions::new(n_in, n_out, 3)
                .stride(2)
                .padding(1usize)
                .bias(false)
                .build(engine)?,
            bn1: BatchNorm2dOptions::new(n_out).build(engine)?,
            conv2: Conv2dOptions::new(n_out, n_out, 3).padding(1usize).bias(false).build(engine)?,
            bn2: BatchNorm2dOptions::new(n_out).build(engine)?,
            downsample: Sequential::new()
                .then(Conv2dOptions::new(n_in, n_out, 1).stride(2).bias(false).build(engine)?)
                .then(BatchNorm2dOptions::new(n_out).build(engine)?),
        })
    }
}

impl Module for DownBlock {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let conv1 = self.conv1.forward(x)?;
        let bn1 = self.bn1.forward(&conv1)?;
        let relu = bn1.relu()?;
        let conv2 = self.conv2.forward(&relu)?;
        let bn2 = self.bn2.forward(&conv2)?;
        let downsample = self.downsample.forward(x)?;
        let add = bn2.add(&downsample)?;
        let relu_2 = add.relu()?;
        Ok(relu_2)
    }
}

/// A residual network for images of 32 by 32 (He and others, 2015): each block adds what it found to what it read.
pub struct ResNet18 {
    pub conv1: Conv2d,
    pub bn1: BatchNorm2d,
    pub layer1: Sequential,
    pub layer2: Sequential,
    pub layer3: Sequential,
    pub layer4: Sequential,
    pub avgpool: AdaptiveAvgPool2d,
    pub fc: Linear,
}
glowgrad::parts!(ResNet18: conv1, bn1, layer1, layer2, layer3, layer4, avgpool, fc);

impl ResNet18 {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<ResNet18> {
        Ok(ResNet18 {
            conv1: Conv2dOptions::new(3usize, 64usize, 3)
                .padding(1usize)
                .bias(false)
                .build(engine)?,
            bn1: BatchNorm2dOptions::new(64usize).build(engine)?,
            layer1: Sequential::new()
                .then(BasicBlock::new(engine, 64)?)
                .then(BasicBlock::new(engine, 64)?),
            layer2: Sequential::new()
                .then(DownBlock::new(engine, 64, 128)?)
                .then(BasicBlock::new(engine, 128)?),
            layer3: Sequential::new()
                .then(DownBlock::new(engine, 128, 256)?)
                .then(BasicBlock::new(engine, 256)?),
            layer4: Sequential::new()
                .then(DownBlock::new(engine, 256, 512)?)
                .then(BasicBlock::new(engine, 512)?),
            avgpool: AdaptiveAvgPool2d::new(1),
            fc: LinearOptions::new(512usize, 10usize).build(engine)?,
        })
    }
}

impl Module for ResNet18 {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let conv1 = self.conv1.forward(x)?;
        let bn1 = self.bn1.forward(&conv1)?;
        let relu = bn1.relu()?;
        let layer1 = self.layer1.forward(&relu)?;
        let layer2 = self.layer2.forward(&layer1)?;
        let layer3 = self.layer3.forward(&layer2)?;
        let layer4 = self.layer4.forward(&layer3)?;
        let avgpool = self.avgpool.forward(&layer4)?;
        let flatten = call(
            avgpool.engine(),
            "flatten",
            args![avgpool],
            vec![("start_dim", 1i64.arg())],
        )?;
        let fc = self.fc.forward(&flatten)?;
        Ok(fc)
    }
}
