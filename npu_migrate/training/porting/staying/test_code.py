"""Code of tests: it stays as it is."""

from __future__ import annotations

import re

from npu_migrate.index.facts import NOTHING, Attribute, FileFacts, last_name
from npu_migrate.index.names import enclosing_class, enclosing_function
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.inheritance import subclasses
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.sessions import is_test_case

_TEST_MODULE = re.compile(r"test_.*|.*_test")
_ASSERTION = re.compile(r"assert[A-Z]")
_TEST_FUNCTION = re.compile(r"test(_|[A-Z])")


def in_test(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` belongs to a test case, to a part of one, or to a module of pytest's.

    A method called ``test`` is none, nor is a word such as ``assert_positive``: trainers have both.
    """
    facts = project.facts(ref.key)
    assert facts is not None
    owner = enclosing_class(facts, ref.scope)
    if owner == NOTHING:
        return _is_test_module(ref.key) and _is_test(facts.scopes[enclosing_function(facts, ref.scope)].name)
    has_tests = any(map(_is_test, facts.scopes[owner].bindings))
    if has_tests and (_is_test_module(ref.key) or _asserts(facts, owner)):
        return True
    written = Definition(ref.key, owner)
    return any(is_test_case(project, one) for one in (written, *subclasses(project, written)))


def _asserts(facts: FileFacts, owner: int) -> bool:
    """Whether a class asserts by its own methods, as in ``self.assertEqual``: it is a part of tests."""
    return any(
        _ASSERTION.match(word)
        and any(
            isinstance(site.call.func, Attribute)
            and site.call.func.attr == word
            and last_name(site.call.func.value) == "self"
            and enclosing_class(facts, site.scope) == owner
            for site in facts.calls
        )
        for word in facts.words
    )


def _is_test_module(key: str) -> bool:
    return _TEST_MODULE.fullmatch(key.rpartition("/")[2].removesuffix(".py")) is not None


def _is_test(name: str) -> bool:
    """Whether pytest or unittest would take a function of this name for a test."""
    return _TEST_FUNCTION.match(name) is not None
