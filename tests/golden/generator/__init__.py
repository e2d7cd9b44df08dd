"""What `make_golden.py` is made of: one module per family of cases."""
