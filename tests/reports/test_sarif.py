from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes, urljoin, urlsplit

import jsonschema
import pytest
from command import folder_with, tool
from hard_cases import HARD, NAMES, ONE, REPORTS, SCRIPT, many, of_fixtures, of_hard_names, rendered
from node_tools import node_package, node_program

from npu_migrate.findings import Report
from npu_migrate.reports.sarif import sarif_report
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.rules import ALL_RULES
from npu_migrate.version import __version__

SCHEMA = "lib/schemas/sarif-2.1.0-rtm.5.json"
ACCEPTED = {
    "SARIF2002": "each message names what it found, so texts with placeholders would save nothing",
    "SARIF2003": "the tool does not ask Git, which would make a report depend on more than the files",
    "SARIF2005": "there is no informationUri unless the setting documentation-url names one",
    "SARIF2006": "the validator fetches the schema, and this test may run without a network",
    "SARIF2010": "an empty place, and one in a file that cannot be read, has no text",
    "SARIF2011": "the region has its text; the lines around it would make a report several times as large",
    "SARIF2012": "the rules have no web pages unless that setting names some; the whole page is in `help`",
    "SARIF2013": "the files are in the repository; a report does not carry them away",
}
"""What the validator would like beside, and why it does not get it."""


def run_of(text: str) -> Any:
    (run,) = json.loads(text)["runs"]
    return run


class Log(NamedTuple):
    """What the tool prints, its run, and the files that its URIs lead to, by path."""

    text: str
    run: Any
    files: dict[str, bytes]


@cache
def hard() -> Log:
    """The log of the project with odd names, seen from inside."""
    with folder_with(HARD):
        text = tool("--quiet", "--format", "sarif", ".").decode("ascii")
        run = run_of(text)
        paths = [path_of(run, one["location"]) for one in run["artifacts"]]
        return Log(text, run, {path: Path(path).read_bytes() for path in paths})


def path_of(run: Any, location: Any) -> str:
    base = run["originalUriBaseIds"][location["uriBaseId"]]["uri"] if "uriBaseId" in location else ""
    return os.fsdecode(unquote_to_bytes(urlsplit(urljoin(base, location["uri"])).path))


# -- other programs ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of logs: all fixtures, the odd names, and the reports that are hard to write down."""
    folder = tmp_path_factory.mktemp("logs")
    texts = {name: rendered(report, "sarif") for name, report in REPORTS.items()}
    texts |= {"fixtures": of_fixtures("sarif"), "names": of_hard_names("sarif"), "inside": hard().text}
    for name, text in texts.items():
        (folder / f"{name}.sarif").write_text(text, encoding="ascii")
    return folder


def validated(logs: Path, kind: str, levels: str, verdict: Path) -> Any:
    """The findings of Microsoft's validator in a folder of logs; its exit code does not tell of them."""
    done = subprocess.run(
        [
            *(node_program("sarif-multitool"), "validate", f"{logs}/*.sarif", "--rule-kind", kind),
            # The wrapper passes its arguments through a shell.
            *("--level", f'"{levels}"', "--output", verdict, "--max-file-size-in-kb", "100000"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = json.loads(verdict.read_text("utf-8-sig"))["runs"]
    assert not any(one.get("toolExecutionNotifications") for one in run["invocations"])
    scanned = re.search(r"(\d+) files? scanned", done.stdout)
    assert scanned is not None
    assert int(scanned[1]) == len(list(logs.iterdir()))
    return run["results"]


@pytest.mark.needs("node")
@pytest.mark.parametrize("kind", ["Sarif", "Gh", "Ghas"])
def test_the_validator_of_microsoft_accepts_it(logs: Path, kind: str, tmp_path: Path) -> None:
    """With the rules of the format itself, and with those of GitHub code scanning."""
    told = validated(logs, kind, "Error;Warning;Note", tmp_path / "verdict.json")
    assert Counter(one["ruleId"] for one in told if one["ruleId"] not in ACCEPTED) == {}


@pytest.mark.needs("node")
def test_the_validator_reads_many_results(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "many.sarif").write_text(rendered(many(10_000), "sarif"), encoding="ascii")
    assert validated(folder, "Ghas", "Error;Warning", tmp_path / "verdict.json") == []


@pytest.mark.needs("node")
def test_the_validator_sees_what_is_wrong(tmp_path: Path) -> None:
    """So the tests above can fail."""
    folder = tmp_path / "logs"
    folder.mkdir()
    wrong = rendered(Report((ONE,)), "sarif").replace('"startLine": 4', '"startLine": 0')
    (folder / "wrong.sarif").write_text(wrong, encoding="ascii")
    told = validated(folder, "Sarif", "Error;Warning", tmp_path / "verdict.json")
    assert {"JSON1008", "SARIF1007"} <= {one["ruleId"] for one in told}


@pytest.mark.needs("node")
def test_it_meets_the_schema(logs: Path) -> None:
    schema = json.loads((node_package("@microsoft/jest-sarif") / SCHEMA).read_text("utf-8"))
    validator = jsonschema.Draft4Validator(schema)
    for log in sorted(logs.iterdir()):
        validator.validate(json.loads(log.read_text("ascii")))


MARKS = re.compile(r"`|\*\*|^#|^\||\]\(", re.MULTILINE)


def test_what_is_said_of_a_rule_is_plain_text() -> None:
    found = Report(tuple(replace(ONE, code=rule.code) for rule in ALL_RULES))
    rules = run_of(rendered(found, "sarif"))["tool"]["driver"]["rules"]
    assert len(rules) == len(ALL_RULES)
    for rule in rules:
        told = (rule["shortDescription"]["text"], rule["fullDescription"]["text"], rule["help"]["text"])
        code = re.compile(r"^    .*", re.MULTILINE)
        assert [text for text in told if MARKS.search(code.sub("", text))] == [], rule["id"]
        assert rule["help"]["markdown"].startswith(("## ", "# "))
        assert "helpUri" not in rule


def test_rules_have_tags_and_a_precision() -> None:
    (rule,) = run_of(rendered(Report((ONE,)), "sarif"))["tool"]["driver"]["rules"]
    properties = rule["properties"]
    assert properties["tags"] == ["npu", "tensorflow", "data-input"]
    assert (properties["precision"], properties["problem.severity"]) == ("high", "error")


def test_the_pages_of_rules_are_linked_where_there_are_some() -> None:
    around = Surroundings(ALL_RULES, lambda path: None, "/", documentation="https://docs.example.com/npu/")
    driver = run_of(sarif_report(Report((ONE,)), around))["tool"]["driver"]
    assert driver["informationUri"] == "https://docs.example.com/npu/"
    assert driver["rules"][0]["helpUri"] == "https://docs.example.com/npu/rules/NPU101/"


# -- files -------------------------------------------------------------------------------------------------


def test_each_uri_leads_to_its_file() -> None:
    _, run, files = hard()
    assert sorted(files.values()) == sorted(HARD.values())
    uris = [one["location"]["uri"] for one in run["artifacts"]]
    assert all(uri.isascii() and not set(uri) & set(" #?:\n\\") for uri in uris)
    assert "not-utf8-%FF.py" in uris
    assert "100%2525%20%231%3F%26%3B.py" in uris


def test_a_file_outside_the_folder_has_a_base_of_its_own() -> None:
    with folder_with({f"project/{NAMES[0]}": SCRIPT.encode(), "deep/er/a.py": b"\n"}) as folder:
        os.chdir("deep/er")
        run = run_of(tool("--format", "sarif", "../../project").decode("ascii"))
        assert run["artifacts"][0]["location"] == {
            "uri": "project/with%20blank.py",
            "uriBaseId": "%SRCROOT%/../..",
            "index": 0,
        }
        assert path_of(run, run["artifacts"][0]["location"]) == str(folder.resolve() / "project" / NAMES[0])
        assert (
            run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == run["invocations"][0]["workingDirectory"]["uri"]
        )


@pytest.mark.parametrize(
    "folder, uri",
    [
        ("/", "file:///"),
        ("/home/me/a project", "file:///home/me/a%20project/"),
        ("C:/models/项目", "file:///C:/models/%E9%A1%B9%E7%9B%AE/"),
        ("//server/share", "file://server/share/"),
    ],
)
def test_the_working_directory_is_a_file_uri(folder: str, uri: str) -> None:
    run = run_of(rendered(Report((ONE,)), "sarif", folder))
    assert run["originalUriBaseIds"] == {"%SRCROOT%": {"uri": uri}}


def test_artifacts_tell_how_to_find_out_that_a_file_has_changed() -> None:
    run = hard().run
    by_name = {one["location"]["uri"]: one for one in run["artifacts"]}
    assert by_name["latin.py"]["encoding"] == "ISO-8859-1"
    assert by_name["with%20blank.py"]["length"] == len(SCRIPT.encode())
    assert "encoding" not in by_name["with%20blank.py"]
    assert set(by_name["bytes.py"]) == {"location"}
    assert run["defaultEncoding"] == "UTF-8"


# -- places ------------------------------------------------------------------------------------------------


def test_regions_count_code_points_and_lines_as_declared() -> None:
    """Snippets are cut out again with the line ends and the columns that the log itself declares."""
    _, run, files = hard()
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["newlineSequences"] == ["\r\n", "\n", "\r"]
    cut = 0
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        region = place["region"]
        if "snippet" not in region:
            continue
        data = files[path_of(run, place["artifactLocation"])]
        text = data.decode("latin-1" if b"coding: latin-1" in data else "utf-8")
        line = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[region["startLine"] - 1]
        assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == region["snippet"]["text"]
        cut += 1
    assert cut >= len(NAMES)


def test_a_file_that_cannot_be_read_has_an_empty_region() -> None:
    run = hard().run
    (region,) = (
        one["locations"][0]["physicalLocation"]["region"]
        for one in run["results"]
        if one["ruleId"] == "NPU902"
    )
    assert region == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}


def test_a_notebook_has_the_region_of_the_file_and_names_the_cell() -> None:
    (result,) = run_of(rendered(REPORTS["notebook"], "sarif"))["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 4
    assert result["message"]["text"] == "cell 3: it fails"
    assert result["properties"]["cell"] == {
        "number": 3,
        "region": {"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 8},
    }


# -- results -----------------------------------------------------------------------------------------------


def test_a_result_has_all_of_a_finding() -> None:
    (result,) = run_of(rendered(Report((ONE,)), "sarif"))["results"]
    train = {"uri": "train.py", "uriBaseId": "%SRCROOT%", "index": 1}
    assert result == {
        "ruleId": "NPU101",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "it fails"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": train,
                    "region": {
                        "startLine": 4,
                        "startColumn": 9,
                        "endLine": 4,
                        "endColumn": 12,
                        "snippet": {"text": " ba"},
                    },
                }
            }
        ],
        "partialFingerprints": {"findingHash/v1": ONE.fingerprint},
        "suppressions": [],
        "properties": {"programs": ["train.py"]},
        "relatedLocations": [
            {
                "id": 1,
                "physicalLocation": {
                    "artifactLocation": {"uri": "flags.py", "uriBaseId": "%SRCROOT%", "index": 0},
                    "region": {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 5},
                },
                "message": {"text": "the default is set here"},
            }
        ],
        "fixes": [
            {
                "description": {"text": "Initialize it"},
                "artifactChanges": [
                    {
                        "artifactLocation": train,
                        "replacements": [
                            {
                                "deletedRegion": {
                                    "startLine": 5,
                                    "startColumn": 1,
                                    "endLine": 5,
                                    "endColumn": 1,
                                },
                                "insertedContent": {"text": "sess.run(x)\r\n"},
                            }
                        ],
                    }
                ],
                "properties": {"applicability": "safe"},
            }
        ],
    }


def test_a_fix_has_one_change_for_each_file() -> None:
    run = run_of(of_fixtures("sarif"))
    several = 0
    for result in run["results"]:
        for fix in result.get("fixes", ()):
            files = [one["artifactLocation"]["uri"] for one in fix["artifactChanges"]]
            assert len(files) == len(set(files))
            several += len(files) > 1
    assert several


def test_what_does_not_count_is_marked() -> None:
    results = run_of(rendered(REPORTS["marked"], "sarif"))["results"]
    kinds = [[one["kind"] for one in result["suppressions"]] for result in results]
    assert kinds == [[], ["inSource"], ["external"], ["inSource", "external"]]
    assert [one["baselineState"] for one in results] == ["new", "new", "unchanged", "unchanged"]
    assert all("baselineState" not in one for one in run_of(rendered(Report((ONE,)), "sarif"))["results"])
    suppressed = [one for one in hard().run["results"] if one["suppressions"]]
    assert [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in suppressed] == [
        "suppressed.py"
    ]


def test_no_message_is_taken_for_a_link_or_cannot_be_stored() -> None:
    results = run_of(rendered(REPORTS["messages"], "sarif"))["results"]
    texts = [one["message"]["text"] for one in results]
    assert texts[2] == r"bell\x07 escape\x1b[31m nul\x00 c1\x9b delete\x7f"
    assert texts[3] == r"lone \udcff and \ud83d, no characters \ufffe\uffff"
    assert texts[7] == r"\[not a link](1), {0}, {1}"
    assert texts[8] == "中文 🚀"
    assert [one["relatedLocations"][0]["message"]["text"] for one in results] == texts


# -- the tool ----------------------------------------------------------------------------------------------


def test_rules_carry_their_documentation() -> None:
    driver = run_of(of_fixtures("sarif"))["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("npu-migrate", __version__)
    rules = {rule.code: rule for rule in ALL_RULES}
    for one in driver["rules"]:
        rule = rules[one["id"]]
        assert one["shortDescription"]["text"] == rule.summary.replace("`", "")
        assert one["help"]["markdown"] == rule.documentation.strip()
        assert one["fullDescription"]["text"].endswith((".", ":"))
        assert not one["fullDescription"]["text"].startswith("#")
    levels = {one["id"]: one["defaultConfiguration"]["level"] for one in driver["rules"]}
    assert (levels["NPU101"], levels["NPU106"], levels["NPU203"]) == ("error", "note", "warning")


def test_results_refer_to_their_rules() -> None:
    run = run_of(of_fixtures("sarif"))
    ids = [one["id"] for one in run["tool"]["driver"]["rules"]]
    assert ids == sorted({one["ruleId"] for one in run["results"]})
    assert all(ids[one["ruleIndex"]] == one["ruleId"] for one in run["results"])
    assert {one["level"] for one in run["results"]} == {"error", "warning", "note"}


def test_files_that_were_not_analysed_are_notifications_too() -> None:
    (invocation,) = hard().run["invocations"]
    assert invocation["executionSuccessful"] is True
    told = {
        one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]: one
        for one in invocation["toolExecutionNotifications"]
    }
    assert told.keys() == {"python2.py", "bytes.py"}
    assert told["bytes.py"]["level"] == "error"
    assert told["bytes.py"]["associatedRule"]["id"] == "NPU902"


def test_a_run_without_findings_tells_what_was_looked_at() -> None:
    run = run_of(rendered(REPORTS["nothing"], "sarif"))
    assert run["results"] == []
    assert run["properties"]["files"]["analysed"] == 1
