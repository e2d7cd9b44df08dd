"""Names of the native module that are not names of `torch`."""

# Internal ops, and those that live in a namespace of their own.
ELSEWHERE = (
    "add_scaled sub_scaled div_floor div_trunc round_decimals clamp_tensor max_dim min_dim median_dim "
    "nanmedian_dim nonzero_tuple qr qr_q qr_r inv solve tensor_unfold TensorBase contract "
    "triangle_indices from_data "
    # torch.linalg
    "svd svdvals eigh eigvalsh eig eigvals lu lu_factor ldl_factor_ex slogdet pinv polygamma "
    # torch.special
    "erfcx ndtr log_ndtr ndtri entr xlog1py zeta i0e i1 i1e bessel_j0 bessel_j1 bessel_y0 bessel_y1 "
    "modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 "
    "scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 airy_ai "
    "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w "
    "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u "
    "shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w hermite_polynomial_h "
    "hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p"
).split()
