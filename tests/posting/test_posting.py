"""The command posts on each service, and leaves there what the report says: no more, and nothing twice.

The services are servers that refuse whatever their recorded description (`api/`) does not have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from described_api import Service, Trouble, serving
from forges import OTHER, Forge, service_of
from posting_runs import FILES, MENDED, OLD, error_line, findings, forge_of, report, run

from npu_migrate.languages.saying import english
from npu_migrate.posting.texts import say_as_all, say_as_in

NAMES = ("github", "gitlab", "gitee", "gitcode")
MAKING = {
    "github": ("make_review", "make_whole"),
    "gitlab": ("make_line", "make_whole"),
    "gitee": ("make_comment",),
    "gitcode": ("make_comment",),
}

every_service = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def forge() -> Forge:
    return forge_of(FILES)


@pytest.fixture
def service(name: str, forge: Forge) -> Iterator[Service]:
    made = service_of(name, forge)
    with serving(made):
        yield made
    assert [one for one in made.requests if one.startswith("refused: unknown")] == []


def refusals(service: Service) -> list[str]:
    return [one for one in service.requests if one.startswith("refused")]


@every_service
def test_the_way_of_a_review(name: str, service: Service, forge: Forge) -> None:
    for number in range(5):
        forge.add(f"a person says {number}", "train.py", 4, author=OTHER)
    data = report(FILES)
    wanted = findings(data)
    ran = run(service, data)
    assert (ran.code, ran.counts, ran.err) == (0, (len(wanted), 0, 0, 0), "")
    assert sorted(one.path or "" for one in forge.open_lines) == sorted(one["path"] for one in wanted)
    texts = [one.body for one in forge.comments]
    made = len(service.requests)

    again = run(service, data)
    assert (again.code, again.counts) == (0, (0, 0, 0, len(wanted)))
    assert [one.body for one in forge.comments] == texts
    assert not {*service.requests[made:]} & {*MAKING[name], "change_line", "change_comment"}

    left = len(findings(report(MENDED)))
    mended = run(service, report(MENDED))
    assert (mended.code, mended.counts) == (0, (0, 0, len(wanted) - left, left))
    gone = [one for one in forge.comments if ":resolved:" in one.body]
    assert {one.path for one in gone} == {"train.py"}
    assert all(one.resolved for one in gone) == (name != "gitee")
    assert not any(re.search("^`+suggestion", one.body, re.MULTILINE) for one in gone)
    assert run(service, report(MENDED)).counts == (0, 0, 0, len(wanted))

    back = run(service, data)
    assert (back.code, back.counts) == (0, (0, len(wanted) - left, 0, left))
    assert [one.body for one in forge.comments] == texts
    assert not any(one.resolved for one in forge.comments)
    assert refusals(service) == []


@every_service
def test_a_fix_is_offered_as_the_service_can(name: str, service: Service, forge: Forge) -> None:
    run(service, report(FILES))
    body = next(one.body for one in forge.open_lines if one.path == "train.py" and "```" in one.body)
    if name == "github":
        assert "\n```suggestion\niterator = " in body
        assert forge.open_lines[0].sent["start_line"] == 4
    elif name == "gitlab":
        assert re.search(r"\n```suggestion:-\d\+0\niterator = ", body)
    else:
        assert "\n```diff\n-iterator = dataset.make_one_shot_iterator()\n" in body
        assert "\n+iterator = dataset.make_initializable_iterator()\n" in body


@every_service
def test_what_the_diff_does_not_show_is_listed(name: str) -> None:
    """Services show no lines of large files; what is found there must not be lost."""
    forge = forge_of(FILES, hidden=("train.py",))
    made = service_of(name, forge)
    data = report(FILES)
    hidden = [one for one in findings(data) if one["path"] == "train.py"]
    with serving(made):
        assert run(made, data).counts == (len(findings(data)) - len(hidden) + 1, 0, 0, 0)
        (whole,) = forge.whole
        for one in hidden:
            assert all(
                mark in whole.body for mark in re.findall("<!-- npu-migrate:[0-9a-f]+ -->", one["body"])
            )
        assert "`train.py:4`: **" in whole.body
        assert run(made, data).counts[:3] == (0, 0, 0)
        assert len(forge.whole) == 1
        mended = run(made, report(MENDED))
        assert (mended.code, mended.counts[:3]) == (0, (0, 1, 0))
        assert "train.py:4" not in forge.whole[0].body
    assert refusals(made) == []


@every_service
def test_a_report_in_json_is_posted_too(name: str, service: Service, forge: Forge) -> None:
    data = report(FILES, "json")
    count = len(json.loads(data)["findings"])
    assert run(service, data).counts == (count, 0, 0, 0)
    assert run(service, data).counts == (0, 0, 0, count)
    assert "run `npu-migrate --write" in forge.open_lines[0].body
    assert refusals(service) == []


@pytest.mark.long
@every_service
def test_an_answer_that_got_lost_posts_nothing_twice(name: str) -> None:
    """The first request is lost, with another one only its answer."""
    forge = forge_of(FILES, hidden=("src/other file.py",))
    made = service_of(name, forge)
    with serving(made):
        made.troubles += [Trouble(MAKING[name][0], None), Trouble(MAKING[name][-1], 502, obeyed=True)]
        ran = run(made, report(FILES))
    assert ran.code == 0, ran.err
    shown = [one for one in findings(report(FILES)) if one["path"] == "train.py"]
    assert (len(forge.open_lines), len(forge.whole)) == (len(shown), 1)
    assert made.troubles == []


@pytest.mark.long
@every_service
def test_troubles_that_pass_are_waited_for(name: str, service: Service, forge: Forge) -> None:
    making = MAKING[name][0]
    service.troubles += [
        Trouble("files", 500),
        Trouble("files", None),
        Trouble("pull", 429, {"Retry-After": "0"}),
        Trouble("files", 403, {"Retry-After": "1"}),
        Trouble(making, 403, {"Retry-After": "0"}, '{"message": "You have exceeded a secondary rate limit"}'),
    ]
    ran = run(service, report(FILES))
    assert (ran.code, service.troubles) == (0, []), ran.err
    assert len(forge.open_lines) == len(findings(report(FILES)))


@every_service
@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Trouble("any", 401), "does not take the token in NPU_MIGRATE_TOKEN (401): trouble"),
        (Trouble("any", 403), "to the token (403): trouble; it needs "),
        (Trouble("any", 404), "(404), or the token may not see it; check --repository"),
        (Trouble("any", 301, {"Location": "https://x/repositories/1"}), "moved "),
        (Trouble("any", 200, {}, "<html>"), "answers with something that is not JSON; is --api right?"),
        (Trouble("any", 200, {}, "[]"), "is --api right?"),
        (Trouble("any", 403, {"Retry-After": "9000"}), "is used up for 9000 more seconds"),
        (
            Trouble("any", 403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}),
            "is used up for ",
        ),
    ],
    ids=["401", "403", "404", "301", "html", "other", "retry-after", "reset"],
)
def test_troubles_that_stay_are_one_line(name: str, service: Service, trouble: Trouble, said: str) -> None:
    service.troubles.append(trouble)
    line = error_line(run(service, report(FILES)))
    assert said in line
    assert service.description["service"] in line or "the service" in line


@every_service
def test_a_wrong_token_is_refused(name: str, service: Service) -> None:
    ran = run(service, report(FILES), environment={"NPU_MIGRATE_TOKEN": "wrong"})
    assert "does not take the token in NPU_MIGRATE_TOKEN (401): Bad credentials" in error_line(ran)


@every_service
def test_without_a_token_it_says_which(name: str, service: Service) -> None:
    ran = run(service, report(FILES), environment={"NPU_MIGRATE_TOKEN": ""})
    assert error_line(ran).startswith(
        f"no token for {service.description['service']}: set {name.upper()}_TOKEN"
    )
    assert service.requests == []


@every_service
def test_a_dry_run_changes_nothing(name: str, service: Service, forge: Forge) -> None:
    ran = run(service, report(FILES), "--dry-run")
    count = len(findings(report(FILES)))
    assert (ran.code, ran.counts, forge.comments) == (0, (count, 0, 0, 0), [])
    assert ran.out.count("\npost on ") == count
    assert not {*service.requests} & {*MAKING[name]}


@every_service
def test_the_pull_request_is_found_by_its_commit(name: str, service: Service, forge: Forge) -> None:
    forge.others += [(number, "e" * 40) for number in range(10, 15)]
    ran = run(service, report(FILES), "--commit", forge.head, pull=False)
    assert ran.counts[0] == len(findings(report(FILES)))
    line = error_line(run(service, report(FILES), "--commit", "f" * 40, pull=False))
    assert line == "no open pull request ends in commit ffffffffff"
    if name != "gitlab":
        line = error_line(run(service, report(FILES), "--commit", "e" * 40, pull=False))
        assert line.startswith("several pull requests end in commit eeeeeeeeee (10, 11, ")


@every_service
def test_an_old_report_and_a_closed_pull_request_post_nothing(
    name: str, service: Service, forge: Forge
) -> None:
    ran = run(service, report(FILES), "--commit", "e" * 40)
    assert (ran.code, ran.out) == (0, "pull request 5 has moved on to commit aaaaaaaaaa: nothing posted\n")
    forge.state = "closed"
    ran = run(service, report(FILES))
    assert (ran.code, ran.out) == (0, "pull request 5 is not open any more: nothing posted\n")
    assert forge.comments == []


@every_service
def test_comments_of_others_are_left_alone(name: str, service: Service, forge: Forge) -> None:
    """A person may quote a comment with its marks."""
    data = report(FILES)
    quoted = [forge.add(one["body"], one["path"], one["line"], author=OTHER) for one in findings(data)]
    texts = [one.body for one in quoted]
    assert run(service, data).counts == (len(texts), 0, 0, 0)
    assert run(service, report(MENDED)).code == 0
    assert [one.body for one in quoted] == texts


@every_service
def test_comments_of_an_older_workflow_are_taken_over(name: str, service: Service, forge: Forge) -> None:
    data = report(FILES)
    for one in findings(data):
        forge.add(one["body"], one["path"], one["line"])
    assert run(service, data).counts == (0, len(findings(data)), 0, 0)
    assert run(service, data).counts == (0, 0, 0, len(findings(data)))


@pytest.mark.parametrize("name", ["github", "gitlab", "gitcode"])
def test_a_token_that_may_not_resolve_says_so_in_the_comment(
    name: str, service: Service, forge: Forge
) -> None:
    run(service, report(FILES))
    forge.may_resolve = False
    ran = run(service, report(MENDED))
    assert (ran.code, ran.counts[2] > 0) == (0, True)
    assert "could not be resolved" in ran.err and ran.err.count("\n") == 1
    assert any("**Mended**" in one.body for one in forge.comments)
    assert run(service, report(MENDED)).err == ""


@every_service
def test_a_thread_that_a_person_resolved_stays_so(name: str, service: Service, forge: Forge) -> None:
    run(service, report(FILES))
    for one in forge.comments:
        one.resolved = True
    assert run(service, report(FILES)).counts[:3] == (0, 0, 0)
    assert all(one.resolved for one in forge.comments)


@every_service
def test_nothing_found_posts_nothing(name: str, service: Service, forge: Forge) -> None:
    nothing = report({"train.py": (OLD_ONLY, OLD_ONLY + "x = 1\n")})
    assert run(service, nothing).counts == (0, 0, 0, 0)
    assert forge.comments == []


OLD_ONLY = "print(1)\n"


# -- Chinese -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["github-review", "json"])
def test_what_is_posted_is_in_the_language_of_the_report(form: str) -> None:
    files = {**FILES, "hidden.py": FILES["train.py"]}
    forge = forge_of(files, hidden=("hidden.py",))
    made = service_of("gitlab", forge)
    with serving(made):
        assert run(made, report(files, form, "zh")).code == 0
        (whole,) = forge.whole
        assert "\n\n位于该服务的diff未显示的行，或数量过多而无法逐条评论：\n\n" in whole.body
        assert "- `hidden.py:4`：**警告 " in whole.body
        assert all(one.body.startswith("**警告 ") for one in forge.open_lines)
        assert run(made, report({"new.py": (OLD, OLD + "\n")}, form, "zh")).code == 0
        gone = [one.body for one in forge.comments if ":resolved:" in one.body]
        assert gone
        assert all(one.startswith("**已修复**：npu-migrate不再发现该问题（提交") for one in gone)


def test_a_name_in_chinese_makes_no_text_chinese() -> None:
    assert say_as_in("**warning NPU101** one-shot-iterator: 名称 = 1") is english
    assert say_as_in("npu-migrate finds in this change: 1 warning.") is english
    assert say_as_in("**警告 NPU101** one-shot-iterator：名称")("More findings:") == "更多问题："
    assert say_as_all(["名称 is not set", "x is not set"]) is english
