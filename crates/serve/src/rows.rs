//! Requests joined along their first dimension, and outputs split again.
//!
//! Invariant: a row of a joined array is the same bytes as in its own request, and requests keep their order.

use glowgrad_files::{Array, Error, Result};

use crate::model::Arrays;

/// How many rows a request has: the first size of its inputs, if they agree on one above 0.
pub(crate) fn count(inputs: &Arrays) -> Option<usize> {
    let mut sizes = inputs.iter().map(|(_, array)| array.shape().first());
    let first = sizes.next()??;
    sizes.all(|size| size == Some(first)).then_some(*first)
}

/// Whether two requests have the same names, dtypes and sizes but for the first.
pub(crate) fn fit(left: &Arrays, right: &Arrays) -> bool {
    let same = |((a, x), (b, y)): (&(String, Array<'_>), &(String, Array<'_>))| {
        a == b && x.dtype() == y.dtype() && x.shape().get(1..) == y.shape().get(1..)
    };
    left.len() == right.len() && left.iter().zip(right).all(same)
}

/// One request of the rows of several that fit.
pub(crate) fn join(requests: &[&Arrays]) -> Result<Arrays> {
    let Some(first) = requests.first() else {
        return Ok(Vec::new());
    };
    let joined = first.iter().enumerate().map(|(i, (name, array))| {
        let parts = || requests.iter().map(|request| &request[i].1);
        let mut shape = array.shape().to_vec();
        shape[0] = parts().map(|part| part.shape()[0]).sum();
        let bytes: Vec<&[u8]> = parts().map(Array::bytes).collect();
        Ok((
            name.clone(),
            Array::new(array.dtype(), shape, bytes.concat())?,
        ))
    });
    joined.collect()
}

/// The outputs of each request, whose rows are given.
///
/// # Errors
/// When an output has another number of rows: its rows are not those of the requests.
pub(crate) fn split(outputs: &Arrays, rows: &[usize]) -> Result<Vec<Arrays>> {
    let all: usize = rows.iter().sum();
    let mut requests: Vec<Arrays> = rows.iter().map(|_| Vec::new()).collect();
    for (name, array) in outputs {
        if array.shape().first() != Some(&all) {
            return Err(Error::new(format!(
                "the output {name:?} has the shape {:?} for {all} rows",
                array.shape()
            )));
        }
        let row = array.bytes().len() / all.max(1);
        let mut at = 0;
        for (request, n) in requests.iter_mut().zip(rows) {
            let mut shape = array.shape().to_vec();
            shape[0] = *n;
            let bytes = array.bytes()[at * row..(at + n) * row].to_vec();
            request.push((name.clone(), Array::new(array.dtype(), shape, bytes)?));
            at += n;
        }
    }
    Ok(requests)
}

#[cfg(test)]
mod tests {
    use glowgrad::DType;

    use super::*;

    fn request(rows: usize, from: u8) -> Arrays {
        let bytes: Vec<u8> = (from..).take(rows * 2).collect();
        let array = Array::new(DType::U8, vec![rows, 2], bytes).unwrap();
        vec![("x".to_owned(), array)]
    }

    #[test]
    fn what_was_joined_is_split_into_the_same() {
        let requests = [request(1, 0), request(3, 10), request(2, 40)];
        let joined = join(&requests.each_ref()).unwrap();
        assert_eq!(joined[0].1.shape(), [6, 2]);
        assert_eq!(split(&joined, &[1, 3, 2]).unwrap(), requests);
        assert!(split(&joined, &[1, 3]).is_err());
    }

    #[test]
    fn sizes_other_than_the_first_must_fit() {
        let other = Array::new(DType::U8, vec![1, 3], vec![0; 3]).unwrap();
        assert!(fit(&request(1, 0), &request(5, 0)));
        assert!(!fit(&request(1, 0), &vec![("x".to_owned(), other.clone())]));
        assert!(!fit(&request(1, 0), &Vec::new()));
        assert_eq!(count(&request(4, 0)), Some(4));
        let two = vec![request(4, 0).remove(0), ("y".to_owned(), other)];
        assert_eq!(count(&two), None);
        let scalar = Array::new(DType::U8, vec![], vec![1]).unwrap();
        assert_eq!(count(&vec![("x".to_owned(), scalar)]), None);
    }
}
