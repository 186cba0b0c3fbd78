"""Sessions and their runs: wrapped, judged, and changed as the device changes them."""
