//! `_characters`: what Unicode says of characters, on which `unicodedata.py` of the library stands.

pub(crate) use _characters::module_def;

#[rustpython_vm::pymodule]
mod _characters {
    use unicode_general_category::get_general_category;
    use unicode_normalization::UnicodeNormalization;
    use unicode_normalization::char::canonical_combining_class;

    /// The text in a normal form; none of an unknown form.
    #[pyfunction]
    fn normalize(form: String, text: String) -> Option<String> {
        Some(match form.as_str() {
            "NFC" => text.nfc().collect(),
            "NFD" => text.nfd().collect(),
            "NFKC" => text.nfkc().collect(),
            "NFKD" => text.nfkd().collect(),
            _ => return None,
        })
    }

    /// The general category by its two letters; `Cn` of what is no character.
    #[pyfunction]
    fn category(code: u32) -> String {
        match char::from_u32(code) {
            Some(c) => get_general_category(c).abbreviation().to_owned(),
            None => "Cs".to_owned(),
        }
    }

    #[pyfunction]
    fn combining(code: u32) -> u8 {
        char::from_u32(code).map_or(0, canonical_combining_class)
    }
}
