"""Programs, files and machines as nobody would wish for them."""
