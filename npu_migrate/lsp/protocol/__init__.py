"""The connection: which messages are let through, and who answers them."""
