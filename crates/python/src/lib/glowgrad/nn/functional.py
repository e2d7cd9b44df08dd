"""`torch.nn.functional`: ops of the registry, and what is made of them."""

import _glowgrad as _C
from _glowgrad import (
    elu, gelu, leaky_relu, linear, log_softmax, one_hot, relu, sigmoid, silu, softmax, softplus,
    tanh,
    avg_pool1d, avg_pool2d, avg_pool3d, conv_transpose1d, conv_transpose2d, cosine_similarity,
    glu, normalize, pairwise_distance, pixel_shuffle, pixel_unshuffle,
)
from glowgrad.nn._functional import (
    _reduction, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_max_pool1d,
    adaptive_max_pool2d, batch_norm, bilinear, binary_cross_entropy,
    binary_cross_entropy_with_logits, conv1d, conv2d, conv3d, cosine_embedding_loss,
    cross_entropy, dropout, dropout1d, dropout2d, embedding, fold, gaussian_nll_loss, group_norm,
    hinge_embedding_loss, huber_loss, instance_norm, interpolate, kl_div, l1_loss, layer_norm,
    margin_ranking_loss, max_pool1d, max_pool2d, max_pool3d, mse_loss, multi_margin_loss,
    nll_loss, poisson_nll_loss, rms_norm, scaled_dot_product_attention, smooth_l1_loss,
    soft_margin_loss, softmin, triplet_margin_loss, unfold, upsample,
)
