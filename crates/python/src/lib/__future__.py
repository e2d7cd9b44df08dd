"""Names that `from __future__ import …` may ask for; all of them are how Python works today."""

annotations = division = print_function = generator_stop = True
absolute_import = unicode_literals = with_statement = nested_scopes = generators = True
