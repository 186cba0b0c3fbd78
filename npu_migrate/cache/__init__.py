"""What earlier runs found out, kept on disk under what decided it. A cache that fails is no cache."""
