"""HTML reports to test, and a strict reader of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from html.parser import HTMLParser

from command import folder_with
from fidelity import Tree
from fixture_cases import all_cases
from hard_cases import ONE

from npu_migrate import check
from npu_migrate.findings import Report, TextEdit
from npu_migrate.places import Position, Range
from npu_migrate.sources.source import Source, UndecodableFile, decode

VOID = {"meta", "input"}
ATTACKS = (
    "</script><script>document.title='run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    "'\"><svg onload=document.title='run'>",
    "javascript:document.title='run'",
    "{{ 7 * 7 }}{% raw %}",
    "</pre></details></article><!--",
    "nul \0 surrogate \udcff direction \u202e\u2066 invisible \u200b end",
)


@dataclass
class Page(HTMLParser):
    """A page as a strict reader sees it: every tag is closed, and only once."""

    open_tags: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        assert len(values) == len(attrs), f"<{tag}> has an attribute twice: {attrs}"
        self.tags.append((tag, values))
        self.attributes |= values.keys()
        self.ids += filter(None, [values.get("id")])
        self.links += [values[name] or "" for name in ("href", "src", "action", "data") if name in values]
        if tag not in VOID:
            self.open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags and self.open_tags[-1] == tag, f"</{tag}> closes {self.open_tags[-3:]}"
        self.open_tags.pop()

    def handle_data(self, data: str) -> None:
        if self.open_tags[-1:] not in (["script"], ["style"]):
            self.pieces.append(data)

    @cached_property
    def text(self) -> str:
        return "".join(self.pieces)

    def values(self, attribute: str, tag: str = "article") -> list[str | None]:
        return [values[attribute] for name, values in self.tags if name == tag and attribute in values]


def page_of(text: str) -> Page:
    """The page, after the checks that every page must pass."""
    page = Page()
    page.feed(text)
    page.close()
    assert page.open_tags == []
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links), page.links
    assert not any(name.startswith("on") or name in ("style", "srcdoc") for name in page.attributes)
    assert text.isascii() and text.endswith("</html>\n")
    assert {tag for tag, _ in page.tags} <= ALLOWED_TAGS
    return page


ALLOWED_TAGS = {
    *("html", "head", "meta", "title", "style", "script", "body", "header", "main", "section", "article"),
    *("h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "dl", "dt", "dd", "div", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td", "pre", "label", "input", "button"),
    *("a", "span", "strong", "code", "mark", "ins", "del"),
}


def hostile(attack: str) -> Report:
    """A finding of which every text that may come from a repository is `attack`."""
    related = (replace(ONE.related[0], path=attack, message=attack),)
    assert ONE.fix is not None
    edit = TextEdit(f"{attack}/x.py", Range(Position(5, 1), Position(5, 1)), f"{attack}\n")
    fix = replace(ONE.fix, title=attack, edits=(edit,))
    programs = (attack, "train.py")
    path = f"{attack}/x.py"
    return Report((replace(ONE, message=attack, path=path, related=related, fix=fix, programs=programs),))


@cache
def fixture_tree() -> Tree:
    """The scripts of all cases together."""
    return {f"{case.name}/{path}": data for case in all_cases() for path, data in case.before.items()}


@cache
def fixtures() -> Report:
    """What is found in them."""
    with folder_with(fixture_tree()):
        return check(["."])


def fixture_source(path: str) -> Source | None:
    try:
        return decode(path, fixture_tree()[path]).file
    except UndecodableFile:
        return None
