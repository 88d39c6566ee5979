/* An explanation of one abstract: its text with marks, and the phrases for and against each area.

   `explanation` has the shape of a line of `tagger explain --format json`, of which this reads
     text            what was read: the title if there is one, a line feed, the abstract
     abstract_start  where in it the abstract begins
     evidence        for each area by name: {probability, log_odds, bias, phrases: [{text, spans, share}, ...]}
   Spans count code points; `text` of a phrase may be missing, and areas too. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});
  const { el, refill, areaClass, signed } = tagger;

  /* Log-odds from which a phrase is marked as clear and as strong. */
  const LEVELS = [0.4, 1.0];
  const LISTED = 6;
  const level = (share) => 1 + LEVELS.filter((least) => share >= least).length;
  const alphanumeric = (character) => /[\p{L}\p{N}]/u.test(character);

  /** Which parts of a text (an array of code points) to mark, ascending: where two overlap, the stronger is whole. */
  function findMarks(points, evidence, names) {
    const candidates = names
      .flatMap((area) => (evidence[area]?.phrases ?? []).filter((phrase) => phrase.share > 0)
        .flatMap((phrase) => phrase.spans.map((span) => ({ area, share: phrase.share, span }))))
      .sort((a, b) => b.share - a.share);
    const owners = new Int32Array(points.length).fill(-1);
    candidates.forEach(({ span: [start, end] }, number) => {
      for (let k = start; k < Math.min(end, points.length); k++) if (owners[k] < 0) owners[k] = number;
    });
    const marks = [];
    for (let start = 0, end = 1; end <= points.length; end++) {
      if (end < points.length && owners[end] === owners[start]) continue;
      if (owners[start] >= 0) {
        const { area, share, span } = candidates[owners[start]];
        let [first, last] = [start, end];
        while (span[0] < first && first < last && !alphanumeric(points[first])) first++;
        while (first < last && last < span[1] && !alphanumeric(points[last - 1])) last--;
        if (first < last) marks.push({ start: first, end: last, area, share, level: level(share) });
      }
      start = end;
    }
    return marks;
  }

  /** The part of a text from `start` up to before `end` as nodes, with its marks. */
  function markedText(points, marks, areas, start = 0, end = points.length) {
    const nodes = [];
    let done = start;
    const text = (from, to) => points.slice(from, to).join("");
    for (const mark of marks) {
      const [first, last] = [Math.max(mark.start, start), Math.min(mark.end, end)];
      if (first >= last) continue;
      nodes.push(text(done, first), el("mark", {
        class: `${areaClass(areas.indexOf(mark.area))} level-${mark.level}`,
        title: `${mark.area} ${signed(mark.share)}`,
      }, text(first, last)));
      done = last;
    }
    return [...nodes, text(done, end)];
  }

  /** The text of an explanation with the phrases for `names` marked: a heading, if there is a title, and a paragraph. */
  function markedAbstract(explanation, areas, names) {
    const points = Array.from(explanation.text);
    const marks = findMarks(points, explanation.evidence ?? {}, names);
    const start = explanation.abstract_start ?? 0;
    return [
      start ? el("p", { class: "abstract-title", dir: "auto" }, markedText(points, marks, areas, 0, start - 1)) : null,
      el("p", { class: "abstract", dir: "auto" }, markedText(points, marks, areas, start)),
    ];
  }

  /** Lists of the phrases for and against an area, strongest first. */
  function phraseLists(explanation, area) {
    const points = Array.from(explanation.text);
    const { phrases = [] } = explanation.evidence[area];
    const largest = Math.max(1e-9, ...phrases.map((phrase) => Math.abs(phrase.share)));
    const words = ({ text, spans }) => text ?? points.slice(...spans[0]).join("").replace(/\s+/g, " ");
    return [["for", 1], ["against", -1]].map(([name, sign]) => {
      const side = phrases.filter((phrase) => phrase.share * sign > 0)
        .sort((a, b) => Math.abs(b.share) - Math.abs(a.share));
      if (!side.length) return null;
      return el("div", { class: `side ${name}` },
        el("p", { class: "side-name" }, `${name} ${area}`),
        el("ul", {}, side.slice(0, LISTED).map((phrase) => el("li", {},
          el("span", { class: "bar", "aria-hidden": "true",
            vars: { "--part": String(Math.abs(phrase.share) / largest) } }),
          el("span", { class: "number" }, signed(phrase.share)),
          el("span", { class: "phrase" }, el("bdi", {}, words(phrase)),
            phrase.spans.length > 1 ? ` \u00d7${phrase.spans.length}` : "")))),
        side.length > LISTED ? el("p", { class: "soft small" }, `and ${side.length - LISTED} weaker`) : null);
    });
  }

  /** How the log-odds of an area add up, for people; empty where an explanation does not tell. */
  function inWords({ log_odds: whole, bias, phrases = [] }) {
    if (whole === undefined || bias === undefined) return "";
    const side = (sign) => phrases.filter((phrase) => phrase.share * sign > 0);
    const sum = (some) => some.reduce((total, phrase) => total + phrase.share, 0);
    const parts = [["bias", bias], ...[["for", side(1)], ["against", side(-1)]].filter(([, some]) => some.length)
      .map(([name, some]) => [name, sum(some)]), ["other words", whole - bias - sum(phrases)]];
    return `Log-odds ${signed(whole)} = ${parts.map(([name, value]) => `${name} ${signed(value)}`).join(", ")}`;
  }

  /** An explanation with a button for each explained area: pressed, its phrases are marked and listed. */
  function evidenceView(explanation, areas, chosen) {
    const known = areas.filter((area) => explanation.evidence?.[area]);
    const shown = new Set((chosen ?? known).filter((area) => known.includes(area)));
    const text = el("div", { class: "marked" });
    const lists = el("div", { class: "sides-of-areas" });
    const buttons = known.map((area) => el("button", {
      type: "button", class: `toggle ${areaClass(areas.indexOf(area))}`, on: { click: () => toggle(area) },
    }, area));
    const draw = () => {
      buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(shown.has(known[k]))));
      refill(text, markedAbstract(explanation, areas, known.filter((area) => shown.has(area))));
      refill(lists, known.filter((area) => shown.has(area)).map((area) =>
        el("section", { class: `sides ${areaClass(areas.indexOf(area))}`, "aria-label": `Evidence for ${area}` },
          phraseLists(explanation, area), el("p", { class: "sum soft small" }, inWords(explanation.evidence[area])))));
    };
    const toggle = (area) => {
      if (!shown.delete(area)) shown.add(area);
      draw();
    };
    draw();
    return el("div", { class: "evidence" }, text,
      known.length
        ? el("div", { class: "toggles", role: "group", "aria-label": "Mark the evidence for" },
          el("span", { class: "soft small" }, "Marked:"), buttons)
        : null,
      lists);
  }

  Object.assign(tagger, { findMarks, markedText, markedAbstract, evidenceView });
}
