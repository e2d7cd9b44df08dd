//! Einstein's notation: what it reads, in which dtype, and what it says of letters that do not fit.

use glowgrad::{DType, ErrorKind, Result, Tensor};

use super::{ones, raises};

#[test]
fn einsum_reads_what_pytorch_reads() -> Result<()> {
    let engine = glowgrad::cpu();
    let one = |shape: &[usize]| ones(&engine, shape, DType::F32);
    let shape = |equation: &str, operands: &[Tensor]| -> Result<Vec<usize>> {
        let y = Tensor::einsum(&engine, equation, operands)?;
        y.realize()?;
        Ok(y.shape().to_vec())
    };
    assert_eq!(shape("...ij", &[one(&[4, 2, 3])])?, [4, 2, 3]);
    // Capitals come first.
    assert_eq!(shape("aB", &[one(&[2, 3])])?, [3, 2]);
    assert_eq!(shape("i...->...i", &[one(&[2, 3, 4])])?, [3, 4, 2]);
    assert_eq!(shape("i...j->j", &[one(&[2, 3, 4])])?, [4]);
    assert_eq!(shape("ij->...", &[one(&[2, 3])])?, [0; 0]);
    assert_eq!(shape("i j,", &[one(&[2, 3]), one(&[])])?, [2, 3]);
    assert_eq!(shape("iii->i", &[one(&[3, 3, 3])])?, [3]);
    assert_eq!(shape("...ii->...i", &[one(&[2, 3, 3])])?, [2, 3]);
    // Size 1 meets any size, also where it is summed.
    let y = Tensor::einsum(&engine, "ij,jk", &[one(&[1, 1]), one(&[2, 2])])?;
    assert_eq!((&y.shape()[..], y.to_f64()?), (&[1, 2][..], vec![2.0, 2.0]));
    let y = Tensor::einsum(&engine, "ij,j->i", &[one(&[2, 3]), one(&[1])])?;
    assert_eq!(y.to_f64()?, [3.0, 3.0]);
    let y = Tensor::einsum(&engine, "i,i,i->", &[one(&[3]), one(&[1]), one(&[3])])?;
    assert_eq!(y.to_f64()?, [3.0]);
    // Dtypes: integers summed alone are int64, contracted ones stay, a bare product promotes.
    let ints = |shape: &[usize]| ones(&engine, shape, DType::I32);
    let dtype = |equation: &str, operands: &[Tensor]| -> Result<DType> {
        let y = Tensor::einsum(&engine, equation, operands)?;
        y.realize()?;
        Ok(y.dtype())
    };
    assert_eq!(dtype("ij->i", &[ints(&[2, 3])])?, DType::I64);
    assert_eq!(dtype("ij->ji", &[ints(&[2, 3])])?, DType::I32);
    assert_eq!(dtype("ij,j", &[ints(&[2, 3]), ints(&[3])])?, DType::I32);
    assert_eq!(dtype("ij,k->k", &[ints(&[2, 3]), ints(&[3])])?, DType::I64);
    assert_eq!(
        dtype("ij,ij->ij", &[ints(&[2, 3]), one(&[2, 3])])?,
        DType::F32
    );
    assert_eq!(
        dtype("ij->i", &[ones(&engine, &[2, 3], DType::Bool)])?,
        DType::I64
    );
    raises(
        Tensor::einsum(&engine, "ij,j", &[ints(&[2, 3]), one(&[3])]),
        ErrorKind::Runtime,
        "expected scalar type Int but found Float",
    );
    raises(
        Tensor::einsum(&engine, "ij,j->", &[ints(&[2, 3]), ints(&[3])]),
        ErrorKind::Runtime,
        "expected scalar type Long but found Int",
    );
    Ok(())
}

#[test]
fn einsum_says_which_letter_does_not_fit() {
    let engine = glowgrad::cpu();
    let one = |shape: &[usize]| ones(&engine, shape, DType::F32);
    let two = [one(&[2, 3]), one(&[3, 2])];
    let three = one(&[2, 3]);
    let cases: &[(&str, &[Tensor], &str)] = &[
        (
            "ij,jk",
            &[one(&[2, 3]), one(&[4, 2])],
            "subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3",
        ),
        (
            "ij,jk->il",
            &two,
            "output subscript l does not appear in the equation for any input operand",
        ),
        (
            "ij,jk->ii",
            &two,
            "output subscript i appears more than once in the output",
        ),
        (
            "ij",
            &two,
            "more operands were provided than specified in the equation",
        ),
        (
            "ij,jk,kl",
            &two,
            "fewer operands were provided than specified in the equation",
        ),
        (
            "ijk",
            &two[..1],
            "the number of subscripts in the equation (3) does not match the number of dimensions (2) for operand 0 and no ellipsis was given",
        ),
        (
            "...ijk",
            &two[..1],
            "the number of subscripts in the equation (3) is more than the number of dimensions (2) for operand 0",
        ),
        (
            "ii",
            &two[..1],
            "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2",
        ),
        (
            "i1",
            &two[..1],
            "invalid subscript given at index 1 in the equation string, subscripts must be in [a-zA-Z]",
        ),
        (
            "ij->i->j",
            &two[..1],
            "invalid subscript given at index 5 in the equation string",
        ),
        (
            "ij->i,j",
            &two[..1],
            "invalid subscript given at index 5 in the equation string",
        ),
        (
            "..i",
            &two[..1],
            "found '.' for operand 0 that is not part of any ellipsis",
        ),
        (
            "...i...",
            &two[..1],
            "found '.' for operand 0 for which an ellipsis was already found",
        ),
        (
            "...i->......i",
            &two[..1],
            "found '.' for output but an ellipsis (...) was already found",
        ),
        (
            "...i,...i->...",
            &[one(&[4, 3]), three],
            "dimension 0 covered by ellipsis in operand 1 has size 2 which does not broadcast with previously seen ellipsis with size 4 for the respective dimension",
        ),
    ];
    for (equation, operands, words) in cases {
        let words = format!("einsum(): {words}");
        raises(
            Tensor::einsum(&engine, equation, operands),
            ErrorKind::Runtime,
            &words,
        );
    }
    raises(
        Tensor::einsum(&engine, "ij", &[]),
        ErrorKind::Value,
        "einsum(): must specify the equation string and at least one operand",
    );
    for odd in ["é", "->", "-", ">", "i->>", ",", "...", "i,,", " "] {
        // Whatever it says, it neither panics nor hangs.
        let _ = Tensor::einsum(&engine, odd, &two[..1]);
    }
}
