"""The addresses that answer with JSON at once: tags, explanations, the model, corrections."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from tagger.records import Record, Tags
from tagger.server import schemas
from tagger.server.context import Context, context_of
from tagger.server.corrections import Correction
from tagger.server.replies import Json, Refusal, sentence
from tagger.server.requests import kind_of, read_json, read_object, text_in, text_or_none
from tagger.server.results import key_of, record_json, tags_json
from tagger.server.uploads import PART, parts, pasted_records
from tagger.server.work import Work

router = APIRouter()
MOST_LISTED = 1000


@router.get("/health", summary="Whether the server answers", responses=schemas.giving({"type": "object"}))
async def health() -> Response:
    """Answer that all is well."""
    return Json({"status": "ok"})


@router.get("/api/model", summary="The model and its figures", responses=schemas.giving({"type": "object"}))
async def model(request: Request) -> Response:
    """Tell the model's name, checksum, areas, thresholds and figures."""
    return Json(context_of(request).about())


@router.post(
    "/api/tag",
    summary="Tag an abstract",
    openapi_extra=schemas.taking(schemas.ABSTRACT),
    responses=schemas.giving(schemas.TAGS),
)
async def tag(request: Request) -> Response:
    """Tag one abstract."""
    context = context_of(request)
    body = await read_object(request, context.work, ("abstract", "title"))
    abstract, title = text_in(body, "abstract"), text_or_none(body, "title")

    row = await context.single.ask(Record("", abstract, title))
    if "error" in row:
        raise Refusal(422, sentence(row["error"]))
    return Json(row)


@router.post(
    "/api/tag-many",
    summary="Tag a list of abstracts",
    openapi_extra=schemas.taking(schemas.ABSTRACTS),
    responses=schemas.giving({"type": "array", "items": schemas.TAGS}),
)
async def tag_many(request: Request) -> Response:
    """Tag a list: one result for each, in order; what cannot be tagged gives an error in its place."""
    context = context_of(request)
    items = await read_json(request, context.work)
    if not isinstance(items, list):
        raise Refusal(422, f"Expected a list of abstracts, got {kind_of(items)}.")
    most = context.settings.max_records
    if len(items) > most:
        raise Refusal(413, f"The list has {len(items):,} abstracts, {most:,} may be sent at once; send it in parts.")
    if len(items) <= PART:
        return Json(await context.work.quick(lambda: context.tagged(items)))
    done: list[dict[str, Any]] = []
    for start in range(0, len(items), PART):
        done += await context.work.bulk(partial(context.tagged, items[start : start + PART]))
    return await context.work.bulk(lambda: Json(done))


@router.post(
    "/api/explain",
    summary="Tag an abstract and tell why",
    openapi_extra=schemas.taking(schemas.EXPLAIN),
    responses=schemas.giving(schemas.EXPLANATION),
)
async def explain(request: Request) -> Response:
    """Tag one abstract and tell which of its phrases speak for and against each area."""
    context = context_of(request)
    body = await read_object(request, context.work, ("abstract", "title", "central"))
    abstract, title = text_in(body, "abstract"), text_or_none(body, "title")
    central = body.get("central", False)
    if not isinstance(central, bool):
        raise Refusal(422, f"The field 'central' is {kind_of(central)}; give it as true or false.")
    return Json(await context.work.quick(lambda: _explained(context, abstract, title, central)))


@router.post(
    "/api/paste",
    summary="Tag what was pasted: an abstract or a list",
    openapi_extra=schemas.taking(schemas.PASTE),
    responses=schemas.giving({"type": "object"}),
)
async def paste(request: Request) -> Response:
    """Find the abstracts in a text and tag them; one that is alone comes with its explanation."""
    context = context_of(request)
    body = await read_object(request, context.work, ("text",))
    text = text_in(body, "text")
    records = await context.work.bulk(lambda: list(islice(pasted_records(text), context.settings.max_records + 1)))
    if len(records) > context.settings.max_records:
        raise Refusal(413, f"The text has more than {context.settings.max_records:,} abstracts; paste it in parts.")
    results: list[dict[str, Any]] = []
    steps = parts(iter(records), context.tagger, context.corrections, len(records))
    lane = context.work.quick if len(records) <= PART else context.work.bulk
    while (part := await lane(lambda: next(steps, None))) is not None:
        for k, (tagged, key) in enumerate(zip(part.tagged, part.keys)):
            results.append(record_json(part.start + k, tagged, key, part.corrections.get(key)))
    answer: dict[str, Any] = {"results": results}
    if len(records) == 1 and "error" not in results[0]:
        answer["explanation"] = await context.work.quick(
            lambda: _explained(context, records[0].abstract, records[0].title, False)
        )
    return await context.work.bulk(lambda: Json(answer))


@router.get("/api/corrections", summary="The corrections", responses=schemas.giving({"type": "object"}))
async def corrections(request: Request) -> Response:
    """Tell how many corrections there are, and list them, latest first: `limit` of them after `offset`."""
    context = context_of(request)
    limit, offset = (_number(request, name, usual) for name, usual in (("limit", 100), ("offset", 0)))
    limit = min(limit, MOST_LISTED)

    def work() -> dict[str, Any]:
        return {"count": len(context.corrections), "corrections": context.corrections.listed(limit, offset)}

    return Json(await context.work.quick(work))


@router.put(
    "/api/corrections",
    summary="Correct a tag",
    openapi_extra=schemas.taking(schemas.CORRECTION),
    responses=schemas.giving(schemas.CORRECTED),
)
async def correct(request: Request) -> Response:
    """Keep what a person says about one area of an abstract, in place of what was said before."""
    context = context_of(request)
    body = await read_object(request, context.work, ("abstract", "title", "id", "area", "grade"))
    abstract, area = text_in(body, "abstract"), text_in(body, "area")
    title, id_ = text_or_none(body, "title"), text_or_none(body, "id")
    grade = body.get("grade")
    if area not in context.tagger.areas:
        raise Refusal(422, f"The model has no area {area[:100]!r}; its areas are {', '.join(context.tagger.areas)}.")
    if isinstance(grade, bool) or grade not in (0, 1, 2):
        raise Refusal(422, "The field 'grade' must be 2 (central), 1 (present) or 0 (absent).")

    def work() -> dict[str, Any]:
        tags = context.tagger.tag(abstract, title)
        said = _grade(tags, area)
        correction = Correction(
            abstract, area, grade, context.checksum, said, float(tags.probabilities[area]), id_, title
        )
        left = context.corrections.put(correction)
        return {"key": key_of(abstract), "corrections": left, "count": len(context.corrections)}

    return Json(await context.work.quick(work))


@router.delete("/api/corrections", summary="Undo a correction", responses=schemas.giving(schemas.CORRECTED))
async def undo(request: Request) -> Response:
    """Forget what was said about the area `area` of the abstract `key`, or about all its areas."""
    context = context_of(request)
    key, area = request.query_params.get("key"), request.query_params.get("area")
    if not key:
        raise Refusal(422, "The parameter 'key' is missing; results have it.")

    def work() -> dict[str, Any]:
        left = context.corrections.delete(key, area)
        return {"key": key, "corrections": left, "count": len(context.corrections)}

    return Json(await context.work.quick(work))


@router.get(
    "/api/corrections.jsonl",
    summary="The corrections as labels",
    responses=schemas.giving({"type": "string"}, "application/x-ndjson"),
)
async def export(request: Request) -> Response:
    """Give the corrections as JSON Lines that ``tagger train --add`` takes."""
    context = context_of(request)
    lines: Iterator[str] = await context.work.bulk(lambda: iter(list(context.corrections.lines())))
    headers = {"content-disposition": 'attachment; filename="corrections.jsonl"'}
    return StreamingResponse(_chunked(context.work, lines), 200, headers, "application/x-ndjson")


async def _chunked(work: Work, lines: Iterator[str]) -> Any:
    while piece := await work.bulk(lambda: "".join(islice(lines, 1000))):
        yield piece.encode()


def _said(context: Context, abstract: str) -> dict[str, Any]:
    key = key_of(abstract)
    corrections = context.corrections.of([key]).get(key)
    return {"key": key, "corrections": corrections} if corrections else {"key": key}


def _explained(context: Context, abstract: str, title: str | None, central: bool) -> dict[str, Any]:
    explanation = context.tagger.explain(abstract, title, central)
    return tags_json(explanation.tags) | explanation.to_json() | _said(context, abstract)


def _grade(tags: Tags, area: str) -> int:
    return 2 if area in tags.central else int(area in tags.areas)


def _number(request: Request, name: str, usual: int) -> int:
    given = request.query_params.get(name, str(usual))
    if not (given.isascii() and given.isdecimal()) or len(given) > 15:
        raise Refusal(422, f"The parameter {name!r} is {given[:40]!r}; give a number from 0.")
    return int(given)
