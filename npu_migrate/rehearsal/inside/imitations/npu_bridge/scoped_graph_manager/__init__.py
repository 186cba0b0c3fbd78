"""When the device forgets its graphs."""
