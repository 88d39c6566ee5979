from __future__ import annotations

import json

import pytest
import server
from abstracts import AREAS, ASTRONOMY, COOKING, MARKED_UP, small_abstracts
from hostile import PAYLOADS, hostile_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tagger import InputError

TEXT = " ".join(ASTRONOMY[:3])
JSON = {"content-type": "application/json"}

ITEMS = st.one_of(
    st.sampled_from((*ASTRONOMY, *COOKING, *MARKED_UP, "", " ")),
    st.text(max_size=60),
    st.fixed_dictionaries({"abstract": st.sampled_from(ASTRONOMY)}, optional={"title": st.sampled_from(COOKING)}),
    st.sampled_from([None, 3, [], {}, {"title": "no abstract"}, {"abstract": 7}, True]),
)


def as_json(tags):
    """Tags as the API rounds them."""
    if tags.error:
        return {"error": tags.error}
    return {
        "areas": list(tags.areas),
        "central": list(tags.central),
        "unsure": list(tags.unsure),
        "probabilities": pytest.approx(tags.probabilities, abs=2e-6),
        "central_probabilities": pytest.approx(tags.central_probabilities, abs=2e-6),
    } | ({"marks": list(tags.marks)} if tags.marks else {})


def without_key(row):
    return {name: value for name, value in row.items() if name != "key"}


def test_an_abstract_has_the_tags_that_the_library_gives(client, tagger_):
    for title in (None, "The soup and its vegetables"):
        answer = client.post("/api/tag", json={"abstract": TEXT, "title": title})
        assert answer.status_code == 200
        assert without_key(answer.json()) == as_json(tagger_.tag(TEXT, title))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(items=st.lists(ITEMS, max_size=80))
def test_a_list_gives_what_the_library_gives_one_for_each_in_order(client, tagger_, items):
    answer = client.post("/api/tag-many", json=items)
    assert answer.status_code == 200
    assert [without_key(row) for row in answer.json()] == [as_json(tags) for tags in tagger_.tag_many(items)]


def test_a_list_of_hundreds_keeps_its_order(client, tagger_):
    texts, _ = small_abstracts(300, seed=4)
    rows = client.post("/api/tag-many", json=texts).json()
    assert [without_key(row) for row in rows] == [as_json(tags) for tags in tagger_.tag_many(texts)]


def test_an_explanation_adds_up_and_has_the_tags(client, tagger_):
    answer = client.post("/api/explain", json={"abstract": TEXT, "title": "Comets", "central": True}).json()
    assert answer["text"] == f"Comets\n{TEXT}"
    assert answer["areas"] == list(tagger_.tag(TEXT, "Comets").areas)
    for evidence in (*answer["evidence"].values(), *answer["central_evidence"].values()):
        total = evidence["bias"] + sum(one["share"] for one in evidence["evidence"])
        assert total == pytest.approx(evidence["log_odds"], abs=1e-6)


def test_what_is_pasted_is_one_abstract_with_its_explanation_or_a_list(client):
    one = client.post("/api/paste", json={"text": TEXT}).json()
    assert [row["abstract"] for row in one["results"]] == [TEXT]
    assert one["explanation"]["text"] == TEXT
    many = client.post("/api/paste", json={"text": f"{TEXT}\n\n# Soup\n\n{COOKING[0]}"}).json()
    assert [(row["number"], row["abstract"]) for row in many["results"]] == [(0, TEXT), (1, COOKING[0])]
    assert "explanation" not in many


def test_pasted_entries_are_read_as_what_they_are(client):
    bib = (
        f"@article{{a1, title={{On Comets}}, abstract={{{ASTRONOMY[1]}}}}}\n\n@misc{{b2, abstract={{{COOKING[0]}}}}}\n"
    )
    rows = client.post("/api/paste", json={"text": bib}).json()["results"]
    assert [(row["id"], row["title"], row["abstract"], row["source"]) for row in rows] == [
        ("a1", "On Comets", ASTRONOMY[1], "text"),
        ("b2", None, COOKING[0], "text"),
    ]
    lines = json.dumps({"id": 7, "abstract": COOKING[0]})
    assert client.post("/api/paste", json={"text": lines}).json()["results"][0]["id"] == "7"


@pytest.mark.parametrize("text", ["@article{", "{", '{"abstract": ', "[[", "{\\em Reasoning} models", "<?xml"])
def test_the_beginning_of_an_entry_is_no_error_while_one_types(client, text):
    answer = client.post("/api/paste", json={"text": text})
    assert answer.status_code == 200
    assert len(answer.json()["results"]) == 1


def test_half_a_line_as_one_types_it_is_an_abstract(client):
    answer = client.post("/api/paste", json={"text": "The telescope"}).json()
    assert [row["abstract"] for row in answer["results"]] == ["The telescope"]
    assert client.post("/api/paste", json={"text": " \n "}).json()["results"] == []


def test_the_model_tells_its_areas_and_thresholds(client, tagger_):
    about = client.get("/api/model").json()
    assert about["areas"] == list(AREAS)
    assert list(about["thresholds"].values()) == pytest.approx(list(tagger_.model.thresholds[: len(AREAS)]))
    assert about["name"] == "small"
    assert client.get("/health").json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("/api/tag", b"{", 400, "not JSON"),
        ("/api/tag", b"\xff\xfe{}", 400, "not UTF-8"),
        ("/api/tag", b'{"abstract": "\xe9"}', 400, "not UTF-8 (byte 14)"),
        ("/api/tag", b"[" * 200_000, 400, "nested too deep"),
        ("/api/tag-many", b'{"a":' * 50_000, 400, "nested too deep"),
        ("/api/tag", b"[]", 422, "Expected an object with abstract, title, got a list."),
        ("/api/tag", b"{}", 422, "'abstract' is missing"),
        ("/api/tag", b'{"abstract": 3}', 422, "'abstract' is a number"),
        ("/api/tag", b'{"abstract": ""}', 422, "The abstract is empty."),
        ("/api/tag", b'{"abstract": "a", "title": []}', 422, "'title' is a list"),
        ("/api/tag", b'{"abstrct": "a"}', 422, "Unknown field 'abstrct'"),
        ("/api/explain", b'{"abstract": "  "}', 422, "The abstract is empty."),
        ("/api/explain", b'{"abstract": "a", "central": 1}', 422, "'central' is a number"),
        ("/api/tag-many", b'{"abstract": "a"}', 422, "Expected a list of abstracts, got an object."),
        ("/api/tag-many", b'"a"', 422, "Expected a list of abstracts, got text."),
        ("/api/paste", b'{"text": null}', 422, "'text' is null"),
        ("/api/tag", b'{"abstract": NaN}', 422, "'abstract' is a number"),
    ],
)
def test_what_is_wrong_with_a_body_is_said_in_a_sentence(client, path, body, status, says):
    answer = client.post(path, content=body, headers=JSON)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert says in answer.json()["error"]
    assert server.is_sentence(answer.json()["error"])


def test_another_kind_of_content_is_refused(client):
    for kind in ({}, {"content-type": "text/plain"}, {"content-type": "application/x-www-form-urlencoded"}):
        answer = client.post("/api/tag", content=json.dumps({"abstract": TEXT}), headers=kind)
        assert (answer.status_code, list(answer.json())) == (415, ["error"])


def test_an_unknown_address_and_an_unknown_method_are_answered_with_a_sentence(client):
    for method, path, status in (("GET", "/nothing", 404), ("GET", "/docs", 404), ("GET", "/api/tag", 405)):
        answer = client.request(method, path)
        assert (answer.status_code, list(answer.json())) == (status, ["error"])
    assert client.get("/static/../settings.py").status_code == 404
    assert client.get("/static/%2e%2e/app.py").status_code == 404


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_hostile_text_comes_back_as_it_is_and_as_json(client, payload):
    text = hostile_text(payload)
    answer = client.post("/api/paste", content=json.dumps({"text": text}), headers=JSON)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    answer.content.decode("ascii")
    shown = client.post("/api/explain", content=json.dumps({"abstract": text}), headers=JSON).json()
    assert shown["text"] == json.loads(json.dumps(text))  # JSON makes one character of a pair


def test_more_records_or_bytes_than_allowed_are_refused(tagger_, tmp_path):
    with server.client(tagger_, tmp_path / "c", max_records=3, max_bytes=2000) as client:
        answer = client.post("/api/tag-many", json=["a"] * 4)
        assert (answer.status_code, "3 may be sent" in answer.json()["error"]) == (413, True)
        assert client.post("/api/tag-many", json=["a"] * 3).status_code == 200
        assert client.post("/api/paste", json={"text": "\n\n".join([f"{TEXT}"] * 4)}).status_code == 413
        for content in (b"x" * 2001, iter([b"x" * 1000] * 3)):
            answer = client.post("/api/tag", content=content, headers=JSON)
            assert (answer.status_code, "2,000 bytes" in answer.json()["error"]) == (413, True)


def test_what_takes_too_long_is_ended(tagger_, tmp_path, monkeypatch):
    import time

    def slowly(*arguments):
        time.sleep(0.5)
        raise InputError("late")

    with server.client(tagger_, tmp_path / "c", timeout=0.1) as client:
        monkeypatch.setattr(type(tagger_), "explain", slowly)
        answer = client.post("/api/explain", json={"abstract": TEXT})
        assert (answer.status_code, "longer than 0.1 seconds" in answer.json()["error"]) == (504, True)


def test_an_error_of_the_server_is_a_sentence_without_a_traceback(client, tagger_, monkeypatch):
    def broken(*arguments):
        raise RuntimeError("secret")

    monkeypatch.setattr(type(tagger_), "explain", broken)
    answer = client.post("/api/explain", json={"abstract": TEXT})
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert list(answer.json()) == ["error"]


def test_the_openapi_document_tells_what_each_address_takes_and_gives(client):
    document = client.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            assert about["summary"]
            assert about["responses"]["200"]["content"]
            assert about["responses"]["4XX"]["content"]["application/json"]["schema"]["required"] == ["error"]
            assert ("requestBody" in about) == (method in ("post", "put")), path
    assert set(document["paths"]) == {
        "/health", "/api/model", "/api/tag", "/api/tag-many", "/api/explain", "/api/paste", "/api/files",
        "/api/download", "/api/corrections", "/api/corrections.jsonl",
    }  # fmt: skip
