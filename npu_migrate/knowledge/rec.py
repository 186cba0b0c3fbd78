"""Rec SDK (`mx_rec`) names. Sources: REC-DOC:class_reference.md, REC-DOC:automatic_graph_modification.md."""

from __future__ import annotations

GRAPH_MODIFIERS = frozenset({"modify_graph_and_start_emb_cache", "GraphModifierHook"})
"""Whoever calls one of these lets Rec SDK rebuild the graph behind the iterator."""

GET_INITIALIZER = "get_initializer"
