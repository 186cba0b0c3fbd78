"""What the imitations of the NPU's packages have in common: they are thin, and speak to the watcher here."""
