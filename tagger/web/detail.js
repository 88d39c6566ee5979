/* What an opened row of a collection shows: the abstract with its evidence, and what a person can correct. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});
  const { el, refill, areaClass } = tagger;

  const VALUES = [[0, "absent"], [1, "present"], [2, "central"]];

  /* Methods of a collection. */
  tagger.detail = {
    drawDetail(item) {
      const { row } = item;
      const where = [row.source, row.position].filter(Boolean).join(", ");
      const named = this.areas.filter((_, k) => (item.tagged | item.unsure) & (1 << k));
      const content = el("div", { class: "evidence" }, this.plainText(row));
      if (!row.error && this.evidence) {
        Promise.resolve(this.evidence(row)).then((explanation) => {
          if (explanation) refill(content, tagger.evidenceView(explanation, this.areas, named.length ? named : undefined));
        }).catch((error) => content.append(el("p", { class: "error-text", role: "alert" },
          `The evidence could not be had: ${error.message}`)));
      }
      return el("tr", { class: "detail", role: "row" },
        el("td", { role: "cell", colspan: String(this.head.children.length) },
          el("div", { class: "detail-body" },
            el("p", { class: "soft small" }, el("bdi", {}, row.id), where ? ` \u00b7 ${where}` : "",
              row.date ? ` \u00b7 ${row.date}` : ""),
            (row.marks ?? []).length ? el("p", { class: "flagged" }, `Not to be trusted: ${row.marks.join(", ")}`) : null,
            row.error ? null : this.drawChips(item),
            row.error ? el("p", { class: "error-text" }, tagger.sentence(row.error)) : content,
            row.error || !this.onCorrect ? null : this.drawCorrections(item))));
    },

    drawChips(item) {
      return el("p", { class: "detail-chips" }, this.areas.map((_, k) => this.drawChip(item, k)));
    },

    /** Show a correction in an opened row; the evidence and the focus stay. */
    redrawDetail(line, item) {
      const said = document.activeElement?.dataset?.say;
      line.querySelector(".detail-chips")?.replaceWith(this.drawChips(item));
      line.querySelector(".corrections")?.replaceWith(this.drawCorrections(item));
      if (said) line.querySelector(`[data-say="${said}"]`)?.focus();
    },

    plainText(row) {
      return [row.title ? el("p", { class: "abstract-title", dir: "auto" }, row.title) : null,
        el("p", { class: "abstract", dir: "auto" }, row.abstract)];
    },

    drawCorrections(item) {
      const { row } = item;
      const failed = el("p", { class: "error-text", role: "alert" });
      const say = async (area, value) => {
        try {
          await this.onCorrect(row, area, value);
          this.update(row);
        } catch (error) {
          refill(failed, `Not kept: ${error.message}`);
        }
      };
      return el("div", { class: "corrections no-print" }, el("p", { class: "side-name" }, "Correct"),
        this.areas.map((area, k) => {
          const bit = 1 << k;
          const now = item.central & bit ? 2 : item.tagged & bit ? 1 : 0;
          const said = row.corrections?.[area];
          return el("div", { class: `correction ${areaClass(k)}`, role: "group", "aria-label": area },
            el("span", { class: "name" }, area),
            VALUES.map(([value, label]) => el("button", { type: "button", "aria-pressed": String(now === value),
              class: said === value ? "said" : null, "data-say": `${k}-${value}`, on: { click: () => say(area, value) } }, label)),
            said === undefined ? null : el("button", { type: "button", class: "plain",
              on: { click: () => say(area, null) } }, "undo"));
        }), failed);
    },
  };
}
