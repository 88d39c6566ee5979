/* What a collection shows of an abstract in a line: title, id, date, and its areas as cells of a matrix or as chips. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});
  const { el, refill, areaClass } = tagger;

  const MATRIX = 6; /* areas that have a column each; more are shown as chips */
  const FIRST_WORDS = 160;

  /** The beginning of a text, up to the end of a word. */
  const firstWords = (text) => (text.length <= FIRST_WORDS ? text
    : `${text.slice(0, FIRST_WORDS).replace(/\s+\S*$/, "")} \u2026`);

  /* Methods of a collection. */
  tagger.cells = {
    isMatrix() {
      return this.areas.length <= MATRIX;
    },

    drawHead() {
      const { sort, descending } = this.filters;
      const by = (key) => this.show({ ...this.filters, sort: key, descending: sort === key && !descending });
      const cell = (key, label, given = {}) => {
        /* Probabilities come with the highest first. */
        const down = descending !== (typeof key === "number");
        return el("th", { scope: "col", role: "columnheader", ...given,
          "aria-sort": sort === key ? (down ? "descending" : "ascending") : null },
        el("button", { type: "button", class: "plain", "data-sort": String(key), on: { click: () => by(key) } }, label,
          el("span", { "aria-hidden": "true", class: "arrow" }, sort === key ? (down ? " \u2193" : " \u2191") : "")));
      };
      const focused = document.activeElement?.dataset?.sort;
      const areas = !this.isMatrix()
        ? [el("th", { scope: "col", role: "columnheader" }, "areas")]
        : this.areas.map((area, k) => cell(k, area, { class: `cell-area ${areaClass(k)}` }));
      refill(this.head, cell("id", "id"), cell("title", "title"), this.hasDates ? cell("date", "date") : null, areas);
      if (focused) this.head.querySelector(`[data-sort="${focused}"]`)?.focus();
    },

    drawRow(item, first, withDetail = true) {
      const { row, number } = item;
      const words = row.title || firstWords(row.abstract) || tagger.sentence(row.error);
      const isOpen = this.open.has(number);
      const button = el("button", { type: "button", class: "plain row-button", "data-number": String(number),
        tabindex: first ? "0" : "-1", "aria-expanded": String(isOpen) },
      el("span", { dir: "auto" }, words));
      const cell = (name, ...children) => el("td", { role: "cell", class: `cell-${name}` }, children);
      const line = el("tr", { class: `row${row.error ? " failed" : ""}${isOpen ? " open" : ""}`, role: "row" },
        cell("id", el("bdi", {}, row.id)),
        cell("title", button, row.error && (row.title || row.abstract) ? el("span", { class: "error-text" }, tagger.sentence(row.error)) : null,
          (row.marks ?? []).map((mark) => el("span", { class: "flag" }, mark))),
        this.hasDates ? cell("date", row.date ?? "") : null, this.drawAreas(item));
      return isOpen && withDetail ? [line, this.drawDetail(item)] : line;
    },

    /** Draw a row again where it stands, whether or not it still passes the filters. */
    redraw(item) {
      const button = item && this.body.querySelector(`[data-number="${item.number}"]`);
      if (!button) return;
      const line = button.closest("tr");
      const again = this.drawRow(item, button.tabIndex === 0, false);
      const focused = document.activeElement === button;
      line.replaceWith(again);
      if (focused) again.querySelector(".row-button").focus();
      if (this.open.has(item.number)) this.redrawDetail(again.nextElementSibling, item);
    },

    drawAreas(item) {
      const { row } = item;
      const span = (k) => this.drawChip(item, k);
      if (!this.isMatrix()) {
        const named = row.error ? [] : this.areas.map((_, k) => k).filter((k) => (item.tagged | item.unsure) & (1 << k));
        return el("td", { role: "cell", class: "cell-areas" }, named.map(span));
      }
      return this.areas.map((_, k) => {
        const bit = 1 << k;
        const shown = item.tagged & bit ? "tagged" : item.unsure & bit ? "unsure" : "not";
        return el("td", { role: "cell", class: `cell-area ${areaClass(k)} ${shown}` }, row.error ? null : span(k));
      });
    },

    drawChip({ row, tagged, central, unsure }, k) {
      const bit = 1 << k;
      const said = row.corrections?.[this.areas[k]];
      const p = row.probabilities[k];
      const notes = [tagged & bit ? "tagged" : "not tagged", central & bit ? "central" : "", unsure & bit ? "unsure" : "",
        said === undefined ? "" : "corrected"].filter(Boolean).join(", ");
      return el("span", { class: `chip ${areaClass(k)}${tagged & bit ? "" : " not"}${central & bit ? " central" : ""}`,
        title: `${this.areas[k]} ${p?.toFixed(3) ?? ""}, ${notes}` },
      el("span", { class: "name" }, this.areas[k]),
      el("span", { class: "value" }, said === undefined ? p?.toFixed(2) ?? "" : said ? "\u2713" : "\u2717",
        unsure & bit ? "?" : ""),
      el("span", { class: "unseen" }, `, ${notes}`));
    },
  };
}
