//! EveryLayer, made in glowgrad's studio.

use glowgrad::nn::{
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    BatchNorm1d,
    BatchNorm1dOptions,
    BatchNorm2d,
    BatchNorm2dOptions,
    BatchNorm3d,
    BatchNorm3dOptions,
    CELU,
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    Conv1d,
    Conv1dOptions,
    Conv2d,
    Conv2dOptions,
    Conv3d,
    Conv3dOptions,
    ConvTranspose1d,
    ConvTranspose1dOptions,
    ConvTranspose2d,
    ConvTranspose2dOptions,
    Dropout,
    Dropout1d,
    Dropout1dOptions,
    Dropout2d,
    Dropout2dOptions,
    Dropout3d,
    Dropout3dOptions,
    DropoutOptions,
    ELU,
    Embedding,
    EmbeddingOptions,
    Flatten,
    Fold,
    GELU,
    GLU,
    GRU,
    GroupNorm,
    GroupNormOptions,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    Identity,
    LSTM,
    LayerNorm,
    LayerNormOptions,
    LeakyReLU,
    Linear,
    LinearOptions,
    LogSigmoid,
    LogSoftmax,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    Mish,
    Module,
    PReLU,
    PReLUOptions,
    PixelShuffle,
    PixelUnshuffle,
    RMSNorm,
    RMSNormOptions,
    RNN,
    ReLU,
    ReLU6,
    RecurrentOptions,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    SELU,
    SiLU,
    Sigmoid,
    Sizes,
    Softmax,
    Softmin,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
    TransformerEncoderLayer,
    TransformerEncoderLayerOptions,
    Unflatten,
    Unfold,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
};
use glowgrad::{Engine, Result, Tensor};

/// EveryLayer
pub struct EveryLayer {
    pub relu_0: ReLU,
    pub relu6_0: ReLU6,
    pub tanh_0: Tanh,
    pub sigmoid_0: Sigmoid,
    pub logsigmoid_0: LogSigmoid,
    pub silu_0: SiLU,
    pub mish_0: Mish,
    pub selu_0: SELU,
    pub elu_0: ELU,
    pub celu_0: CELU,
    pub leakyrelu_0: LeakyReLU,
    pub hardtanh_0: Hardtanh,
    pub softplus_0: Softplus,
    pub softsign_0: Softsign,
    pub gelu_0: GELU,
    pub tanhshrink_0: Tanhshrink,
    pub hardsigmoid_0: Hardsigmoid,
    pub hardswish_0: Hardswish,
    pub threshold_0: Threshold,
    pub softshrink_0: Softshrink,
    pub hardshrink_0: Hardshrink,
    pub glu_0: GLU,
    pub glu_1: GLU,
    pub softmax_0: Softmax,
    pub logsoftmax_0: LogSoftmax,
    pub softmin_0: Softmin,
    pub identity_0: Identity,
    pub flatten_0: Flatten,
    pub flatten_1: Flatten,
    pub unflatten_0: Unflatten,
    pub unflatten_1: Unflatten,
    pub pixelshuffle_0: PixelShuffle,
    pub pixelunshuffle_0: PixelUnshuffle,
    pub unfold_0: Unfold,
    pub unfold_1: Unfold,
    pub fold_0: Fold,
    pub fold_1: Fold,
    pub maxpool1d_0: MaxPool1d,
    pub maxpool1d_2: MaxPool1d,
    pub maxpool1d_3: MaxPool1d,
    pub maxpool2d_0: MaxPool2d,
    pub maxpool2d_2: MaxPool2d,
    pub maxpool2d_3: MaxPool2d,
    pub maxpool3d_0: MaxPool3d,
    pub maxpool3d_2: MaxPool3d,
    pub maxpool3d_3: MaxPool3d,
    pub avgpool1d_0: AvgPool1d,
    pub avgpool1d_1: AvgPool1d,
    pub avgpool1d_2: AvgPool1d,
    pub avgpool2d_0: AvgPool2d,
    pub avgpool2d_1: AvgPool2d,
    pub avgpool2d_2: AvgPool2d,
    pub avgpool3d_0: AvgPool3d,
    pub avgpool3d_1: AvgPool3d,
    pub avgpool3d_2: AvgPool3d,
    pub adaptiveavgpool1d_0: AdaptiveAvgPool1d,
    pub adaptiveavgpool1d_1: AdaptiveAvgPool1d,
    pub adaptiveavgpool2d_0: AdaptiveAvgPool2d,
    pub adaptiveavgpool2d_1: AdaptiveAvgPool2d,
    pub adaptivemaxpool1d_0: AdaptiveMaxPool1d,
    pub adaptivemaxpool2d_0: AdaptiveMaxPool2d,
    pub constantpad1d_0: ConstantPad1d,
    pub constantpad1d_1: ConstantPad1d,
    pub constantpad2d_0: ConstantPad2d,
    pub constantpad2d_1: ConstantPad2d,
    pub constantpad3d_0: ConstantPad3d,
    pub constantpad3d_1: ConstantPad3d,
    pub zeropad1d_0: ZeroPad1d,
    pub zeropad1d_1: ZeroPad1d,
    pub zeropad2d_0: ZeroPad2d,
    pub zeropad2d_1: ZeroPad2d,
    pub zeropad3d_0: ZeroPad3d,
    pub zeropad3d_1: ZeroPad3d,
    pub reflectionpad1d_0: ReflectionPad1d,
    pub reflectionpad1d_1: ReflectionPad1d,
    pub reflectionpad2d_0: ReflectionPad2d,
    pub reflectionpad2d_1: ReflectionPad2d,
    pub reflectionpad3d_0: ReflectionPad3d,
    pub reflectionpad3d_1: ReflectionPad3d,
    pub replicationpad1d_0: ReplicationPad1d,
    pub replicationpad1d_1: ReplicationPad1d,
    pub replicationpad2d_0: ReplicationPad2d,
    pub replicationpad2d_1: ReplicationPad2d,
    pub replicationpad3d_0: ReplicationPad3d,
    pub replicationpad3d_1: ReplicationPad3d,
    pub circularpad1d_0: CircularPad1d,
    pub circularpad1d_1: CircularPad1d,
    pub circularpad2d_0: CircularPad2d,
    pub circularpad2d_1: CircularPad2d,
    pub circularpad3d_0: CircularPad3d,
    pub circularpad3d_1: CircularPad3d,
    pub prelu_0: PReLU,
    pub prelu_1: PReLU,
    pub linear_0: Linear,
    pub linear_1: Linear,
    pub linear_2: Linear,
    pub embedding_0: Embedding,
    pub embedding_1: Embedding,
    pub conv1d_0: Conv1d,
    pub conv1d_1: Conv1d,
    pub conv1d_2: Conv1d,
    pub conv2d_0: Conv2d,
    pub conv2d_1: Conv2d,
    pub conv2d_2: Conv2d,
    pub conv3d_0: Conv3d,
    pub conv3d_1: Conv3d,
    pub conv3d_2: Conv3d,
    pub convtranspose1d_0: ConvTranspose1d,
    pub convtranspose1d_1: ConvTranspose1d,
    pub convtranspose1d_2: ConvTranspose1d,
    pub convtranspose1d_3: ConvTranspose1d,
    pub convtranspose2d_0: ConvTranspose2d,
    pub convtranspose2d_1: ConvTranspose2d,
    pub convtranspose2d_2: ConvTranspose2d,
    pub convtranspose2d_3: ConvTranspose2d,
    pub layernorm_0: LayerNorm,
    pub layernorm_1: LayerNorm,
    pub rmsnorm_0: RMSNorm,
    pub groupnorm_0: GroupNorm,
    pub batchnorm1d_0: BatchNorm1d,
    pub batchnorm2d_0: BatchNorm2d,
    pub batchnorm3d_0: BatchNorm3d,
    pub dropout_0: Dropout,
    pub dropout1d_0: Dropout1d,
    pub dropout2d_0: Dropout2d,
    pub dropout3d_0: Dropout3d,
    pub transformerencoderlayer_0: TransformerEncoderLayer,
    pub rnn_0: RNN,
    pub rnn_1: RNN,
    pub lstm_0: LSTM,
    pub lstm_1: LSTM,
    pub gru_0: GRU,
    pub gru_1: GRU,
}
glowgrad::parts!(
    EveryLayer: relu_0,
    relu6_0,
    tanh_0,
    sigmoid_0,
    logsigmoid_0,
    silu_0,
    mish_0,
    selu_0,
    elu_0,
    celu_0,
    leakyrelu_0,
    hardtanh_0,
    softplus_0,
    softsign_0,
    gelu_0,
    tanhshrink_0,
    hardsigmoid_0,
    hardswish_0,
    threshold_0,
    softshrink_0,
    hardshrink_0,
    glu_0,
    glu_1,
    softmax_0,
    logsoftmax_0,
    softmin_0,
    identity_0,
    flatten_0,
    flatten_1,
    unflatten_0,
    unflatten_1,
    pixelshuffle_0,
    pixelunshuffle_0,
    unfold_0,
    unfold_1,
    fold_0,
    fold_1,
    maxpool1d_0,
    maxpool1d_2,
    maxpool1d_3,
    maxpool2d_0,
    maxpool2d_2,
    maxpool2d_3,
    maxpool3d_0,
    maxpool3d_2,
    maxpool3d_3,
    avgpool1d_0,
    avgpool1d_1,
    avgpool1d_2,
    avgpool2d_0,
    avgpool2d_1,
    avgpool2d_2,
    avgpool3d_0,
    avgpool3d_1,
    avgpool3d_2,
    adaptiveavgpool1d_0,
    adaptiveavgpool1d_1,
    adaptiveavgpool2d_0,
    adaptiveavgpool2d_1,
    adaptivemaxpool1d_0,
    adaptivemaxpool2d_0,
    constantpad1d_0,
    constantpad1d_1,
    constantpad2d_0,
    constantpad2d_1,
    constantpad3d_0,
    constantpad3d_1,
    zeropad1d_0,
    zeropad1d_1,
    zeropad2d_0,
    zeropad2d_1,
    zeropad3d_0,
    zeropad3d_1,
    reflectionpad1d_0,
    reflectionpad1d_1,
    reflectionpad2d_0,
    reflectionpad2d_1,
    reflectionpad3d_0,
    reflectionpad3d_1,
    replicationpad1d_0,
    replicationpad1d_1,
    replicationpad2d_0,
    replicationpad2d_1,
    replicationpad3d_0,
    replicationpad3d_1,
    circularpad1d_0,
    circularpad1d_1,
    circularpad2d_0,
    circularpad2d_1,
    circularpad3d_0,
    circularpad3d_1,
    prelu_0,
    prelu_1,
    linear_0,
    linear_1,
    linear_2,
    embedding_0,
    embedding_1,
    conv1d_0,
    conv1d_1,
    conv1d_2,
    conv2d_0,
    conv2d_1,
    conv2d_2,
    conv3d_0,
    conv3d_1,
    conv3d_2,
    convtranspose1d_0,
    convtranspose1d_1,
    convtranspose1d_2,
    convtranspose1d_3,
    convtranspose2d_0,
    convtranspose2d_1,
    convtranspose2d_2,
    convtranspose2d_3,
    layernorm_0,
    layernorm_1,
    rmsnorm_0,
    groupnorm_0,
    batchnorm1d_0,
    batchnorm2d_0,
    batchnorm3d_0,
    dropout_0,
    dropout1d_0,
    dropout2d_0,
    dropout3d_0,
    transformerencoderlayer_0,
    rnn_0,
    rnn_1,
    lstm_0,
    lstm_1,
    gru_0,
    gru_1,
);

impl EveryLayer {
    /// With weights drawn anew.
    pub fn new(engine: &Engine) -> Result<EveryLayer> {
        Ok(EveryLayer {
            relu_0: ReLU::new(),
            relu6_0: ReLU6::new(),
            tanh_0: Tanh::new(),
            sigmoid_0: Sigmoid::new(),
            logsigmoid_0: LogSigmoid::new(),
            silu_0: SiLU::new(),
            mish_0: Mish::new(),
            selu_0: SELU::new(),
            elu_0: ELU::new(),
            celu_0: CELU::new(),
            leakyrelu_0: LeakyReLU::new(),
            hardtanh_0: Hardtanh::new(),
            softplus_0: Softplus::new(),
            softsign_0: Softsign::new(),
            gelu_0: GELU::new(),
            tanhshrink_0: Tanhshrink::new(),
            hardsigmoid_0: Hardsigmoid::new(),
            hardswish_0: Hardswish::new(),
            threshold_0: Threshold::new(0.5, 0.0),
            softshrink_0: Softshrink::new(),
            hardshrink_0: Hardshrink::new(),
            glu_0: GLU::new(),
            glu_1: GLU::new().dim(0i64),
            softmax_0: Softmax::new(1i64),
            logsoftmax_0: LogSoftmax::new(1i64),
            softmin_0: Softmin::new(1i64),
            identity_0: Identity::new(),
            flatten_0: Flatten::new(),
            flatten_1: Flatten::new().start_dim(0i64).end_dim(1i64),
            unflatten_0: Unflatten::new(1i64, [2, 3]),
            unflatten_1: Unflatten::new(-1i64, [-1, 3]),
            pixelshuffle_0: PixelShuffle::new(2usize),
            pixelunshuffle_0: PixelUnshuffle::new(2usize),
            unfold_0: Unfold::new(2),
            unfold_1: Unfold::new([2, 3]).padding(1).stride(2),
            fold_0: Fold::new([3, 3], 2),
            fold_1: Fold::new(3, 2),
            maxpool1d_0: MaxPool1d::new(2),
            maxpool1d_2: MaxPool1d::new(2).stride(Sizes::from(3)).ceil_mode(true),
            maxpool1d_3: MaxPool1d::new(2).stride(Sizes::from(1)).dilation(2),
            maxpool2d_0: MaxPool2d::new(2),
            maxpool2d_2: MaxPool2d::new(2).stride(Sizes::from(3)).ceil_mode(true),
            maxpool2d_3: MaxPool2d::new(2).stride(Sizes::from(1)).dilation(2),
            maxpool3d_0: MaxPool3d::new(2),
            maxpool3d_2: MaxPool3d::new(2).stride(Sizes::from(3)).ceil_mode(true),
            maxpool3d_3: MaxPool3d::new(2).stride(Sizes::from(1)).dilation(2),
            avgpool1d_0: AvgPool1d::new(2),
            avgpool1d_1: AvgPool1d::new(3).stride(Sizes::from(2)).padding(1),
            avgpool1d_2: AvgPool1d::new(2).stride(Sizes::from(3)).ceil_mode(true),
            avgpool2d_0: AvgPool2d::new(2),
            avgpool2d_1: AvgPool2d::new(3).stride(Sizes::from(2)).padding(1),
            avgpool2d_2: AvgPool2d::new(2).stride(Sizes::from(3)).ceil_mode(true),
            avgpool3d_0: AvgPool3d::new(2),
            avgpool3d_1: AvgPool3d::new(3).stride(Sizes::from(2)).padding(1),
            avgpool3d_2: AvgPool3d::new(2).stride(Sizes::from(3)).ceil_mode(true),
            adaptiveavgpool1d_0: AdaptiveAvgPool1d::new(1),
            adaptiveavgpool1d_1: AdaptiveAvgPool1d::new([3]),
            adaptiveavgpool2d_0: AdaptiveAvgPool2d::new(1),
            adaptiveavgpool2d_1: AdaptiveAvgPool2d::new([3, 2]),
            adaptivemaxpool1d_0: AdaptiveMaxPool1d::new(2),
            adaptivemaxpool2d_0: AdaptiveMaxPool2d::new(2),
            constantpad1d_0: ConstantPad1d::new(1, 7.0),
            constantpad1d_1: ConstantPad1d::new([1, 2], 7.0),
            constantpad2d_0: ConstantPad2d::new(1, 7.0),
            constantpad2d_1: ConstantPad2d::new([1, 2, 0, 1], 7.0),
            constantpad3d_0: ConstantPad3d::new(1, 7.0),
            constantpad3d_1: ConstantPad3d::new([1, 2, 0, 1, 2, 1], 7.0),
            zeropad1d_0: ZeroPad1d::new(1),
            zeropad1d_1: ZeroPad1d::new([1, 2]),
            zeropad2d_0: ZeroPad2d::new(1),
            zeropad2d_1: ZeroPad2d::new([1, 2, 0, 1]),
            zeropad3d_0: ZeroPad3d::new(1),
            zeropad3d_1: ZeroPad3d::new([1, 2, 0, 1, 2, 1]),
            reflectionpad1d_0: ReflectionPad1d::new(1),
            reflectionpad1d_1: ReflectionPad1d::new([1, 2]),
            reflectionpad2d_0: ReflectionPad2d::new(1),
            reflectionpad2d_1: ReflectionPad2d::new([1, 2, 0, 1]),
            reflectionpad3d_0: ReflectionPad3d::new(1),
            reflectionpad3d_1: ReflectionPad3d::new([1, 2, 0, 1, 2, 1]),
            replicationpad1d_0: ReplicationPad1d::new(1),
            replicationpad1d_1: ReplicationPad1d::new([1, 2]),
            replicationpad2d_0: ReplicationPad2d::new(1),
            replicationpad2d_1: ReplicationPad2d::new([1, 2, 0, 1]),
            replicationpad3d_0: ReplicationPad3d::new(1),
            replicationpad3d_1: ReplicationPad3d::new([1, 2, 0, 1, 2, 1]),
            circularpad1d_0: CircularPad1d::new(1),
            circularpad1d_1: CircularPad1d::new([1, 2]),
            circularpad2d_0: CircularPad2d::new(1),
            circularpad2d_1: CircularPad2d::new([1, 2, 0, 1]),
            circularpad3d_0: CircularPad3d::new(1),
            circularpad3d_1: CircularPad3d::new([1, 2, 0, 1, 2, 1]),
            prelu_0: PReLUOptions::new().build(engine)?,
            prelu_1: PReLUOptions::new().num_parameters(3usize).build(engine)?,
            linear_0: LinearOptions::new(3usize, 2usize).build(engine)?,
            linear_1: LinearOptions::new(3usize, 2usize).bias(false).build(engine)?,
            linear_2: LinearOptions::new(3usize, 2usize).build(engine)?,
            embedding_0: EmbeddingOptions::new(10usize, 4usize).build(engine)?,
            embedding_1: EmbeddingOptions::new(10usize, 4usize).padding_idx(1i64).build(engine)?,
            conv1d_0: Conv1dOptions::new(2usize, 4usize, 3).build(engine)?,
            conv1d_1: Conv1dOptions::new(2usize, 4usize, 2)
                .stride(2)
                .padding(1usize)
                .groups(2usize)
                .build(engine)?,
            conv1d_2: Conv1dOptions::new(2usize, 4usize, [3])
                .dilation(2)
                .bias(false)
                .build(engine)?,
            conv2d_0: Conv2dOptions::new(2usize, 4usize, 3).build(engine)?,
            conv2d_1: Conv2dOptions::new(2usize, 4usize, 2)
                .stride(2)
                .padding(1usize)
                .groups(2usize)
                .build(engine)?,
            conv2d_2: Conv2dOptions::new(2usize, 4usize, [3, 2])
                .dilation(2)
                .bias(false)
                .build(engine)?,
            conv3d_0: Conv3dOptions::new(2usize, 4usize, 3).build(engine)?,
            conv3d_1: Conv3dOptions::new(2usize, 4usize, 2)
                .stride(2)
                .padding(1usize)
                .groups(2usize)
                .build(engine)?,
            conv3d_2: Conv3dOptions::new(2usize, 4usize, [3, 2, 1])
                .dilation(2)
                .bias(false)
                .build(engine)?,
            convtranspose1d_0: ConvTranspose1dOptions::new(2usize, 4usize, 3).build(engine)?,
            convtranspose1d_1: ConvTranspose1dOptions::new(2usize, 4usize, 2)
                .stride(2)
                .padding(1)
                .groups(2usize)
                .build(engine)?,
            convtranspose1d_2: ConvTranspose1dOptions::new(2usize, 4usize, [3])
                .bias(false)
                .dilation(2)
                .build(engine)?,
            convtranspose1d_3: ConvTranspose1dOptions::new(2usize, 3usize, 3)
                .stride(2)
                .output_padding(1)
                .build(engine)?,
            convtranspose2d_0: ConvTranspose2dOptions::new(2usize, 4usize, 3).build(engine)?,
            convtranspose2d_1: ConvTranspose2dOptions::new(2usize, 4usize, 2)
                .stride(2)
                .padding(1)
                .groups(2usize)
                .build(engine)?,
            convtranspose2d_2: ConvTranspose2dOptions::new(2usize, 4usize, [3, 2])
                .bias(false)
                .dilation(2)
                .build(engine)?,
            convtranspose2d_3: ConvTranspose2dOptions::new(2usize, 3usize, 3)
                .stride(2)
                .output_padding(1)
                .build(engine)?,
            layernorm_0: LayerNormOptions::new(3).build(engine)?,
            layernorm_1: LayerNormOptions::new([2, 3]).bias(false).build(engine)?,
            rmsnorm_0: RMSNormOptions::new(3).build(engine)?,
            groupnorm_0: GroupNormOptions::new(2usize, 4usize).build(engine)?,
            batchnorm1d_0: BatchNorm1dOptions::new(3usize).build(engine)?,
            batchnorm2d_0: BatchNorm2dOptions::new(3usize).build(engine)?,
            batchnorm3d_0: BatchNorm3dOptions::new(3usize).build(engine)?,
            dropout_0: DropoutOptions::new().build(engine)?,
            dropout1d_0: Dropout1dOptions::new().build(engine)?,
            dropout2d_0: Dropout2dOptions::new().build(engine)?,
            dropout3d_0: Dropout3dOptions::new().build(engine)?,
            transformerencoderlayer_0: TransformerEncoderLayerOptions::new(8usize, 2usize)
                .dim_feedforward(16usize)
                .batch_first(true)
                .build(engine)?,
            rnn_0: RecurrentOptions::new(3usize, 4usize).elman(engine)?,
            rnn_1: RecurrentOptions::new(3usize, 4usize)
                .num_layers(2usize)
                .batch_first(true)
                .bidirectional(true)
                .elman(engine)?,
            lstm_0: RecurrentOptions::new(3usize, 4usize).lstm(engine)?,
            lstm_1: RecurrentOptions::new(3usize, 4usize)
                .num_layers(2usize)
                .batch_first(true)
                .bidirectional(true)
                .lstm(engine)?,
            gru_0: RecurrentOptions::new(3usize, 4usize).gru(engine)?,
            gru_1: RecurrentOptions::new(3usize, 4usize)
                .num_layers(2usize)
                .batch_first(true)
                .bidirectional(true)
                .gru(engine)?,
        })
    }

    /// What it computes.
    pub fn run(
        &self,
        relu_0_in: &Tensor,
        relu6_0_in: &Tensor,
        tanh_0_in: &Tensor,
        sigmoid_0_in: &Tensor,
        logsigmoid_0_in: &Tensor,
        silu_0_in: &Tensor,
        mish_0_in: &Tensor,
        selu_0_in: &Tensor,
        elu_0_in: &Tensor,
        celu_0_in: &Tensor,
        leakyrelu_0_in: &Tensor,
        hardtanh_0_in: &Tensor,
        softplus_0_in: &Tensor,
        softsign_0_in: &Tensor,
        gelu_0_in: &Tensor,
        tanhshrink_0_in: &Tensor,
        hardsigmoid_0_in: &Tensor,
        hardswish_0_in: &Tensor,
        threshold_0_in: &Tensor,
        softshrink_0_in: &Tensor,
        hardshrink_0_in: &Tensor,
        glu_0_in: &Tensor,
        glu_1_in: &Tensor,
        softmax_0_in: &Tensor,
        logsoftmax_0_in: &Tensor,
        softmin_0_in: &Tensor,
        identity_0_in: &Tensor,
        flatten_0_in: &Tensor,
        flatten_1_in: &Tensor,
        unflatten_0_in: &Tensor,
        unflatten_1_in: &Tensor,
        pixelshuffle_0_in: &Tensor,
        pixelunshuffle_0_in: &Tensor,
        unfold_0_in: &Tensor,
        unfold_1_in: &Tensor,
        fold_0_in: &Tensor,
        fold_1_in: &Tensor,
        maxpool1d_0_in: &Tensor,
        maxpool1d_2_in: &Tensor,
        maxpool1d_3_in: &Tensor,
        maxpool2d_0_in: &Tensor,
        maxpool2d_2_in: &Tensor,
        maxpool2d_3_in: &Tensor,
        maxpool3d_0_in: &Tensor,
        maxpool3d_2_in: &Tensor,
        maxpool3d_3_in: &Tensor,
        avgpool1d_0_in: &Tensor,
        avgpool1d_1_in: &Tensor,
        avgpool1d_2_in: &Tensor,
        avgpool2d_0_in: &Tensor,
        avgpool2d_1_in: &Tensor,
        avgpool2d_2_in: &Tensor,
        avgpool3d_0_in: &Tensor,
        avgpool3d_1_in: &Tensor,
        avgpool3d_2_in: &Tensor,
        adaptiveavgpool1d_0_in: &Tensor,
        adaptiveavgpool1d_1_in: &Tensor,
        adaptiveavgpool2d_0_in: &Tensor,
        adaptiveavgpool2d_1_in: &Tensor,
        adaptivemaxpool1d_0_in: &Tensor,
        adaptivemaxpool2d_0_in: &Tensor,
        constantpad1d_0_in: &Tensor,
        constantpad1d_1_in: &Tensor,
        constantpad2d_0_in: &Tensor,
        constantpad2d_1_in: &Tensor,
        constantpad3d_0_in: &Tensor,
        constantpad3d_1_in: &Tensor,
        zeropad1d_0_in: &Tensor,
        zeropad1d_1_in: &Tensor,
        zeropad2d_0_in: &Tensor,
        zeropad2d_1_in: &Tensor,
        zeropad3d_0_in: &Tensor,
        zeropad3d_1_in: &Tensor,
        reflectionpad1d_0_in: &Tensor,
        reflectionpad1d_1_in: &Tensor,
        reflectionpad2d_0_in: &Tensor,
        reflectionpad2d_1_in: &Tensor,
        reflectionpad3d_0_in: &Tensor,
        reflectionpad3d_1_in: &Tensor,
        replicationpad1d_0_in: &Tensor,
        replicationpad1d_1_in: &Tensor,
        replicationpad2d_0_in: &Tensor,
        replicationpad2d_1_in: &Tensor,
        replicationpad3d_0_in: &Tensor,
        replicationpad3d_1_in: &Tensor,
        circularpad1d_0_in: &Tensor,
        circularpad1d_1_in: &Tensor,
        circularpad2d_0_in: &Tensor,
        circularpad2d_1_in: &Tensor,
        circularpad3d_0_in: &Tensor,
        circularpad3d_1_in: &Tensor,
        prelu_0_in: &Tensor,
        prelu_1_in: &Tensor,
        linear_0_in: &Tensor,
        linear_1_in: &Tensor,
        linear_2_in: &Tensor,
        embedding_0_in: &Tensor,
        embedding_1_in: &Tensor,
        conv1d_0_in: &Tensor,
        conv1d_1_in: &Tensor,
        conv1d_2_in: &Tensor,
        conv2d_0_in: &Tensor,
        conv2d_1_in: &Tensor,
        conv2d_2_in: &Tensor,
        conv3d_0_in: &Tensor,
        conv3d_1_in: &Tensor,
        conv3d_2_in: &Tensor,
        convtranspose1d_0_in: &Tensor,
        convtranspose1d_1_in: &Tensor,
        convtranspose1d_2_in: &Tensor,
        convtranspose1d_3_in: &Tensor,
        convtranspose2d_0_in: &Tensor,
        convtranspose2d_1_in: &Tensor,
        convtranspose2d_2_in: &Tensor,
        convtranspose2d_3_in: &Tensor,
        layernorm_0_in: &Tensor,
        layernorm_1_in: &Tensor,
        rmsnorm_0_in: &Tensor,
        groupnorm_0_in: &Tensor,
        batchnorm1d_0_in: &Tensor,
        batchnorm2d_0_in: &Tensor,
        batchnorm3d_0_in: &Tensor,
        dropout_0_in: &Tensor,
        dropout1d_0_in: &Tensor,
        dropout2d_0_in: &Tensor,
        dropout3d_0_in: &Tensor,
        transformerencoderlayer_0_in: &Tensor,
        rnn_0_in: &Tensor,
        rnn_1_in: &Tensor,
        lstm_0_in: &Tensor,
        lstm_1_in: &Tensor,
        gru_0_in: &Tensor,
        gru_1_in: &Tensor,
    ) -> Result<[Tensor; 133]> {
        let relu_0 = self.relu_0.forward(relu_0_in)?;
        let relu6_0 = self.relu6_0.forward(relu6_0_in)?;
        let tanh_0 = self.tanh_0.forward(tanh_0_in)?;
        let sigmoid_0 = self.sigmoid_0.forward(sigmoid_0_in)?;
        let logsigmoid_0 = self.logsigmoid_0.forward(logsigmoid_0_in)?;
        let silu_0 = self.silu_0.forward(silu_0_in)?;
        let mish_0 = self.mish_0.forward(mish_0_in)?;
        let selu_0 = self.selu_0.forward(selu_0_in)?;
        let elu_0 = self.elu_0.forward(elu_0_in)?;
        let celu_0 = self.celu_0.forward(celu_0_in)?;
        let leakyrelu_0 = self.leakyrelu_0.forward(leakyrelu_0_in)?;
        let hardtanh_0 = self.hardtanh_0.forward(hardtanh_0_in)?;
        let softplus_0 = self.softplus_0.forward(softplus_0_in)?;
        let softsign_0 = self.softsign_0.forward(softsign_0_in)?;
        let gelu_0 = self.gelu_0.forward(gelu_0_in)?;
        let tanhshrink_0 = self.tanhshrink_0.forward(tanhshrink_0_in)?;
        let hardsigmoid_0 = self.hardsigmoid_0.forward(hardsigmoid_0_in)?;
        let hardswish_0 = self.hardswish_0.forward(hardswish_0_in)?;
        let threshold_0 = self.threshold_0.forward(threshold_0_in)?;
        let softshrink_0 = self.softshrink_0.forward(softshrink_0_in)?;
        let hardshrink_0 = self.hardshrink_0.forward(hardshrink_0_in)?;
        let glu_0 = self.glu_0.forward(glu_0_in)?;
        let glu_1 = self.glu_1.forward(glu_1_in)?;
        let softmax_0 = self.softmax_0.forward(softmax_0_in)?;
        let logsoftmax_0 = self.logsoftmax_0.forward(logsoftmax_0_in)?;
        let softmin_0 = self.softmin_0.forward(softmin_0_in)?;
        let identity_0 = self.identity_0.forward(identity_0_in)?;
        let flatten_0 = self.flatten_0.forward(flatten_0_in)?;
        let flatten_1 = self.flatten_1.forward(flatten_1_in)?;
        let unflatten_0 = self.unflatten_0.forward(unflatten_0_in)?;
        let unflatten_1 = self.unflatten_1.forward(unflatten_1_in)?;
        let pixelshuffle_0 = self.pixelshuffle_0.forward(pixelshuffle_0_in)?;
        let pixelunshuffle_0 = self.pixelunshuffle_0.forward(pixelunshuffle_0_in)?;
        let unfold_0 = self.unfold_0.forward(unfold_0_in)?;
        let unfold_1 = self.unfold_1.forward(unfold_1_in)?;
        let fold_0 = self.fold_0.forward(fold_0_in)?;
        let fold_1 = self.fold_1.forward(fold_1_in)?;
        let maxpool1d_0 = self.maxpool1d_0.forward(maxpool1d_0_in)?;
        let maxpool1d_2 = self.maxpool1d_2.forward(maxpool1d_2_in)?;
        let maxpool1d_3 = self.maxpool1d_3.forward(maxpool1d_3_in)?;
        let maxpool2d_0 = self.maxpool2d_0.forward(maxpool2d_0_in)?;
        let maxpool2d_2 = self.maxpool2d_2.forward(maxpool2d_2_in)?;
        let maxpool2d_3 = self.maxpool2d_3.forward(maxpool2d_3_in)?;
        let maxpool3d_0 = self.maxpool3d_0.forward(maxpool3d_0_in)?;
        let maxpool3d_2 = self.maxpool3d_2.forward(maxpool3d_2_in)?;
        let maxpool3d_3 = self.maxpool3d_3.forward(maxpool3d_3_in)?;
        let avgpool1d_0 = self.avgpool1d_0.forward(avgpool1d_0_in)?;
        let avgpool1d_1 = self.avgpool1d_1.forward(avgpool1d_1_in)?;
        let avgpool1d_2 = self.avgpool1d_2.forward(avgpool1d_2_in)?;
        let avgpool2d_0 = self.avgpool2d_0.forward(avgpool2d_0_in)?;
        let avgpool2d_1 = self.avgpool2d_1.forward(avgpool2d_1_in)?;
        let avgpool2d_2 = self.avgpool2d_2.forward(avgpool2d_2_in)?;
        let avgpool3d_0 = self.avgpool3d_0.forward(avgpool3d_0_in)?;
        let avgpool3d_1 = self.avgpool3d_1.forward(avgpool3d_1_in)?;
        let avgpool3d_2 = self.avgpool3d_2.forward(avgpool3d_2_in)?;
        let adaptiveavgpool1d_0 = self.adaptiveavgpool1d_0.forward(adaptiveavgpool1d_0_in)?;
        let adaptiveavgpool1d_1 = self.adaptiveavgpool1d_1.forward(adaptiveavgpool1d_1_in)?;
        let adaptiveavgpool2d_0 = self.adaptiveavgpool2d_0.forward(adaptiveavgpool2d_0_in)?;
        let adaptiveavgpool2d_1 = self.adaptiveavgpool2d_1.forward(adaptiveavgpool2d_1_in)?;
        let adaptivemaxpool1d_0 = self.adaptivemaxpool1d_0.forward(adaptivemaxpool1d_0_in)?;
        let adaptivemaxpool2d_0 = self.adaptivemaxpool2d_0.forward(adaptivemaxpool2d_0_in)?;
        let constantpad1d_0 = self.constantpad1d_0.forward(constantpad1d_0_in)?;
        let constantpad1d_1 = self.constantpad1d_1.forward(constantpad1d_1_in)?;
        let constantpad2d_0 = self.constantpad2d_0.forward(constantpad2d_0_in)?;
        let constantpad2d_1 = self.constantpad2d_1.forward(constantpad2d_1_in)?;
        let constantpad3d_0 = self.constantpad3d_0.forward(constantpad3d_0_in)?;
        let constantpad3d_1 = self.constantpad3d_1.forward(constantpad3d_1_in)?;
        let zeropad1d_0 = self.zeropad1d_0.forward(zeropad1d_0_in)?;
        let zeropad1d_1 = self.zeropad1d_1.forward(zeropad1d_1_in)?;
        let zeropad2d_0 = self.zeropad2d_0.forward(zeropad2d_0_in)?;
        let zeropad2d_1 = self.zeropad2d_1.forward(zeropad2d_1_in)?;
        let zeropad3d_0 = self.zeropad3d_0.forward(zeropad3d_0_in)?;
        let zeropad3d_1 = self.zeropad3d_1.forward(zeropad3d_1_in)?;
        let reflectionpad1d_0 = self.reflectionpad1d_0.forward(reflectionpad1d_0_in)?;
        let reflectionpad1d_1 = self.reflectionpad1d_1.forward(reflectionpad1d_1_in)?;
        let reflectionpad2d_0 = self.reflectionpad2d_0.forward(reflectionpad2d_0_in)?;
        let reflectionpad2d_1 = self.reflectionpad2d_1.forward(reflectionpad2d_1_in)?;
        let reflectionpad3d_0 = self.reflectionpad3d_0.forward(reflectionpad3d_0_in)?;
        let reflectionpad3d_1 = self.reflectionpad3d_1.forward(reflectionpad3d_1_in)?;
        let replicationpad1d_0 = self.replicationpad1d_0.forward(replicationpad1d_0_in)?;
        let replicationpad1d_1 = self.replicationpad1d_1.forward(replicationpad1d_1_in)?;
        let replicationpad2d_0 = self.replicationpad2d_0.forward(replicationpad2d_0_in)?;
        let replicationpad2d_1 = self.replicationpad2d_1.forward(replicationpad2d_1_in)?;
        let replicationpad3d_0 = self.replicationpad3d_0.forward(replicationpad3d_0_in)?;
        let replicationpad3d_1 = self.replicationpad3d_1.forward(replicationpad3d_1_in)?;
        let circularpad1d_0 = self.circularpad1d_0.forward(circularpad1d_0_in)?;
        let circularpad1d_1 = self.circularpad1d_1.forward(circularpad1d_1_in)?;
        let circularpad2d_0 = self.circularpad2d_0.forward(circularpad2d_0_in)?;
        let circularpad2d_1 = self.circularpad2d_1.forward(circularpad2d_1_in)?;
        let circularpad3d_0 = self.circularpad3d_0.forward(circularpad3d_0_in)?;
        let circularpad3d_1 = self.circularpad3d_1.forward(circularpad3d_1_in)?;
        let prelu_0 = self.prelu_0.forward(prelu_0_in)?;
        let prelu_1 = self.prelu_1.forward(prelu_1_in)?;
        let linear_0 = self.linear_0.forward(linear_0_in)?;
        let linear_1 = self.linear_1.forward(linear_1_in)?;
        let linear_2 = self.linear_2.forward(linear_2_in)?;
        let embedding_0 = self.embedding_0.forward(embedding_0_in)?;
        let embedding_1 = self.embedding_1.forward(embedding_1_in)?;
        let conv1d_0 = self.conv1d_0.forward(conv1d_0_in)?;
        let conv1d_1 = self.conv1d_1.forward(conv1d_1_in)?;
        let conv1d_2 = self.conv1d_2.forward(conv1d_2_in)?;
        let conv2d_0 = self.conv2d_0.forward(conv2d_0_in)?;
        let conv2d_1 = self.conv2d_1.forward(conv2d_1_in)?;
        let conv2d_2 = self.conv2d_2.forward(conv2d_2_in)?;
        let conv3d_0 = self.conv3d_0.forward(conv3d_0_in)?;
        let conv3d_1 = self.conv3d_1.forward(conv3d_1_in)?;
        let conv3d_2 = self.conv3d_2.forward(conv3d_2_in)?;
        let convtranspose1d_0 = self.convtranspose1d_0.forward(convtranspose1d_0_in)?;
        let convtranspose1d_1 = self.convtranspose1d_1.forward(convtranspose1d_1_in)?;
        let convtranspose1d_2 = self.convtranspose1d_2.forward(convtranspose1d_2_in)?;
        let convtranspose1d_3 = self.convtranspose1d_3.forward(convtranspose1d_3_in)?;
        let convtranspose2d_0 = self.convtranspose2d_0.forward(convtranspose2d_0_in)?;
        let convtranspose2d_1 = self.convtranspose2d_1.forward(convtranspose2d_1_in)?;
        let convtranspose2d_2 = self.convtranspose2d_2.forward(convtranspose2d_2_in)?;
        let convtranspose2d_3 = self.convtranspose2d_3.forward(convtranspose2d_3_in)?;
        let layernorm_0 = self.layernorm_0.forward(layernorm_0_in)?;
        let layernorm_1 = self.layernorm_1.forward(layernorm_1_in)?;
        let rmsnorm_0 = self.rmsnorm_0.forward(rmsnorm_0_in)?;
        let groupnorm_0 = self.groupnorm_0.forward(groupnorm_0_in)?;
        let batchnorm1d_0 = self.batchnorm1d_0.forward(batchnorm1d_0_in)?;
        let batchnorm2d_0 = self.batchnorm2d_0.forward(batchnorm2d_0_in)?;
        let batchnorm3d_0 = self.batchnorm3d_0.forward(batchnorm3d_0_in)?;
        let dropout_0 = self.dropout_0.forward(dropout_0_in)?;
        let dropout1d_0 = self.dropout1d_0.forward(dropout1d_0_in)?;
        let dropout2d_0 = self.dropout2d_0.forward(dropout2d_0_in)?;
        let dropout3d_0 = self.dropout3d_0.forward(dropout3d_0_in)?;
        let transformerencoderlayer_0 = self.transformerencoderlayer_0.forward(
            transformerencoderlayer_0_in,
        )?;
        let rnn_0 = self.rnn_0.forward(rnn_0_in)?;
        let rnn_1 = self.rnn_1.forward(rnn_1_in)?;
        let lstm_0 = self.lstm_0.forward(lstm_0_in)?;
        let lstm_1 = self.lstm_1.forward(lstm_1_in)?;
        let gru_0 = self.gru_0.forward(gru_0_in)?;
        let gru_1 = self.gru_1.forward(gru_1_in)?;
        Ok(
            [
                relu_0,
                relu6_0,
                tanh_0,
                sigmoid_0,
                logsigmoid_0,
                silu_0,
                mish_0,
                selu_0,
                elu_0,
                celu_0,
                leakyrelu_0,
                hardtanh_0,
                softplus_0,
                softsign_0,
                gelu_0,
                tanhshrink_0,
                hardsigmoid_0,
                hardswish_0,
                threshold_0,
                softshrink_0,
                hardshrink_0,
                glu_0,
                glu_1,
                softmax_0,
                logsoftmax_0,
                softmin_0,
                identity_0,
                flatten_0,
                flatten_1,
                unflatten_0,
                unflatten_1,
                pixelshuffle_0,
                pixelunshuffle_0,
                unfold_0,
                unfold_1,
                fold_0,
                fold_1,
                maxpool1d_0,
                maxpool1d_2,
                maxpool1d_3,
                maxpool2d_0,
                maxpool2d_2,
                maxpool2d_3,
                maxpool3d_0,
                maxpool3d_2,
                maxpool3d_3,
                avgpool1d_0,
                avgpool1d_1,
                avgpool1d_2,
                avgpool2d_0,
                avgpool2d_1,
                avgpool2d_2,
                avgpool3d_0,
                avgpool3d_1,
                avgpool3d_2,
                adaptiveavgpool1d_0,
                adaptiveavgpool1d_1,
                adaptiveavgpool2d_0,
                adaptiveavgpool2d_1,
                adaptivemaxpool1d_0,
                adaptivemaxpool2d_0,
                constantpad1d_0,
                constantpad1d_1,
                constantpad2d_0,
                constantpad2d_1,
                constantpad3d_0,
                constantpad3d_1,
                zeropad1d_0,
                zeropad1d_1,
                zeropad2d_0,
                zeropad2d_1,
                zeropad3d_0,
                zeropad3d_1,
                reflectionpad1d_0,
                reflectionpad1d_1,
                reflectionpad2d_0,
                reflectionpad2d_1,
                reflectionpad3d_0,
                reflectionpad3d_1,
                replicationpad1d_0,
                replicationpad1d_1,
                replicationpad2d_0,
                replicationpad2d_1,
                replicationpad3d_0,
                replicationpad3d_1,
                circularpad1d_0,
                circularpad1d_1,
                circularpad2d_0,
                circularpad2d_1,
                circularpad3d_0,
                circularpad3d_1,
                prelu_0,
                prelu_1,
                linear_0,
                linear_1,
                linear_2,
                embedding_0,
                embedding_1,
                conv1d_0,
                conv1d_1,
                conv1d_2,
                conv2d_0,
                conv2d_1,
                conv2d_2,
                conv3d_0,
                conv3d_1,
                conv3d_2,
                convtranspose1d_0,
                convtranspose1d_1,
                convtranspose1d_2,
                convtranspose1d_3,
                convtranspose2d_0,
                convtranspose2d_1,
                convtranspose2d_2,
                convtranspose2d_3,
                layernorm_0,
                layernorm_1,
                rmsnorm_0,
                groupnorm_0,
                batchnorm1d_0,
                batchnorm2d_0,
                batchnorm3d_0,
                dropout_0,
                dropout1d_0,
                dropout2d_0,
                dropout3d_0,
                transformerencoderlayer_0,
                rnn_0,
                rnn_1,
                lstm_0,
                lstm_1,
                gru_0,
                gru_1,
            ],
        )
    }
}
