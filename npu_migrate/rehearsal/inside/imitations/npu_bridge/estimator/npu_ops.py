"""Scripts import this module for its side effect only: it registers the NPU operators."""
