"""What scripts import from here is defined in the modules."""
