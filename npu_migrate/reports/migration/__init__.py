"""A report for who plans a migration: what each program is, what is done by itself, what a person decides."""
