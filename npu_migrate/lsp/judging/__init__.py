"""What is found in the open texts, in the projects that they belong to; asked by one thread."""
