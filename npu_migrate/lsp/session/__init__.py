"""One editor: what it can do, what its user has set, when its texts are judged, what it was told."""
