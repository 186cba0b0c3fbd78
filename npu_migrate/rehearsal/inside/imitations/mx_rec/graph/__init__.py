"""The modification of a graph."""

from __future__ import annotations

# ruff: noqa: F401 (names are imported here to be exported)
from mx_rec.graph.hooks import LookupSubgraphSlicerHook, OrphanLookupKeySlicerHook
from mx_rec.graph.merge_lookup import do_merge_lookup
from mx_rec.graph.modifier import GraphModifierHook, modify_graph_and_start_emb_cache
