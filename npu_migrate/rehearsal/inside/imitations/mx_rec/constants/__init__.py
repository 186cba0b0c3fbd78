"""Names that models share with the package."""
