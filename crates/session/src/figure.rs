//! Python's figures as the protocol's.

use glowgrad_python as python;

use crate::protocol::{Figure, FigureKind};

impl From<python::Figure> for Figure {
    fn from(figure: python::Figure) -> Figure {
        Figure {
            kind: match figure.kind {
                python::FigureKind::Histogram => FigureKind::Histogram,
                python::FigureKind::Image => FigureKind::Image,
                python::FigureKind::Heatmap => FigureKind::Heatmap,
            },
            place: figure.place as u32,
            name: figure.name,
            drawn: figure.drawn,
            shape: figure.shape,
            dtype: figure.dtype.to_owned(),
            size: figure.size,
            every: figure.every as u32,
            values: figure.values,
            low: figure.low,
            high: figure.high,
            mean: figure.mean,
            nan: figure.nan as u32,
            outside: figure.outside as u32,
        }
    }
}
