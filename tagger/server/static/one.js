/* One abstract: its areas with their probabilities, what a person says of them, and the evidence. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});
  const { el, refill, areaClass } = tagger;
  const GRADES = ["absent", "present", "central"];

  /** The view of a result, which may have an explanation. `onCorrect(result, area, grade or null)` keeps a correction
   *  and puts it into the result. */
  tagger.one = (root, { model, onCorrect }) => {
    let shown = null;
    let toggled = null; /* areas whose evidence a person chose to see */

    const said = ({ corrections = {} }, area) => corrections[area];
    const grade = (result, area) => said(result, area)
      ?? (result.central?.includes(area) ? 2 : result.areas.includes(area) ? 1 : 0);

    function tag(result, area, k) {
      const p = result.probabilities[area];
      const own = said(result, area);
      const now = grade(result, area);
      const unsure = own === undefined && result.unsure.includes(area);
      const say = (value) => keep(result, area, value, `${k}-${value ?? own}`);
      return el("div", { class: `tag ${areaClass(k)}${now ? " tagged" : ""}`, role: "group", "aria-label": area },
        el("span", { class: "name", title: area }, area),
        el("span", { class: "meter", "aria-hidden": "true",
          title: `tagged from ${model.thresholds[area].toFixed(2)}`,
          vars: { "--p": String(p), "--t": String(model.thresholds[area]) } }, el("i"), el("b")),
        el("span", { class: "value number" }, p.toFixed(2),
          unsure ? el("em", { title: "so near the threshold that a person should look" }, " unsure") : null),
        el("span", { class: "grades" }, GRADES.map((label, value) => el("button", { type: "button",
          "aria-pressed": String(now === value), class: own === value ? "said" : null, "data-say": `${k}-${value}`,
          "data-grade": String(value), on: { click: () => say(value) } }, label))),
        own === undefined ? el("span") : el("button", { type: "button", class: "plain undo",
          "aria-label": `Undo the correction of ${area}`, on: { click: () => say(null) } }, "undo"));
    }

    async function keep(result, area, value, focus) {
      try {
        await onCorrect(result, area, value);
      } catch {
        return; /* the page has said why */
      }
      if (shown !== result) return;
      drawTags();
      root.querySelector(`[data-say="${focus}"]`)?.focus();
    }

    const tags = el("div", { class: "tags" });
    const note = el("p", { class: "note" });
    const evidence = el("div", {});

    function drawTags() {
      refill(tags, shown.error ? null : model.areas.map((area, k) => tag(shown, area, k)));
      refill(note, shown.error ? el("span", { class: "error-text" }, tagger.sentence(shown.error))
        : shown.marks?.length ? el("span", { class: "flagged" }, `Not to be trusted: ${shown.marks.join(", ")}.`) : null,
      shown.error || !Object.keys(shown.corrections ?? {}).length ? null
        : el("span", { class: "soft" }, shown.marks?.length ? " " : "", "Corrected tags are outlined and kept."));
      note.hidden = !note.textContent;
    }

    evidence.addEventListener("click", (event) => {
      if (!event.target.closest(".toggle")) return;
      toggled = [...evidence.querySelectorAll('.toggle[aria-pressed="true"]')].map((button) => button.textContent);
    });

    return {
      show(result, explanation) {
        shown = result;
        drawTags();
        const named = model.areas.filter((area) => result.areas?.includes(area) || result.unsure?.includes(area));
        const most = [...model.areas].sort((a, b) => result.probabilities?.[b] - result.probabilities?.[a])[0];
        refill(evidence, explanation
          ? tagger.evidenceView(explanation, model.areas, toggled ?? (named.length ? named : [most])) : null);
        refill(root, tags, note, evidence);
      },
      forget() {
        shown = null;
        toggled = null;
        refill(root);
      },
    };
  };
}
