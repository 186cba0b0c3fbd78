"""The way from paths to results: analysis, selection, suppression, the passes of a fix."""
