"""What NumPy's own parts were called before NumPy 2: pickles still name them."""
