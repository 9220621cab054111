"""The measures of `make bench`, one module for each kind."""
