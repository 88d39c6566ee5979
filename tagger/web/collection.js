/* A collection of tagged abstracts as a table to search, sort, filter and open.

     const table = tagger.collection(element, {areas, rows, thresholds, evidence, onCorrect, pageSize});
     areas      names of the model's areas, in its order
     rows       as rows.js describes them
     thresholds probability from which each area is tagged; 0.5 if missing
     evidence   async (row) => an explanation as evidence.js describes it, or null if there is none
     onCorrect  async (row, area, value): a person said 2 central, 1 present, 0 absent, or null: as it was tagged.
                Once it is done, `row.corrections` has it. If it is missing, nothing can be corrected.
     table.addRows(rows), table.setRows(rows), table.update(row)   more rows, other rows, a row that has changed
     table.show({query, state, areas, sort, descending})           set filters; what is not given is cleared
     table.reveal(place)                                           open the row at a place among all, and go to it
     table.selected()                                              the rows that pass the filters, in order
   The element is filled; it fires `change` when other rows pass. Keys: / goes to the search, arrows, Home and End
   through the rows, Page Up and Page Down through the pages, Enter opens and closes, Escape closes or clears. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});
  const { el, refill, count, format } = tagger;

  tagger.collection = (root, options) => new Collection(root, options);

  class Collection {
    constructor(root, { areas, rows = [], thresholds, evidence = null, onCorrect = null, pageSize = 50 }) {
      Object.assign(this, { root, areas, thresholds, evidence, onCorrect, pageSize });
      this.data = new tagger.Rows(areas, rows, thresholds);
      this.filters = { sort: "number", descending: false };
      this.page = 0;
      this.open = new Set();
      this.controlsAreOld = true;
      this.build();
      this.refresh();
      document.addEventListener("keydown", (event) => this.globalKey(event));
      this.watchPrinting();
      const warm = (k) => (globalThis.requestIdleCallback ?? setTimeout)(() => {
        this.data.all.slice(k, k + 200).forEach((item) => this.data.prepare(item));
        if (k + 200 < this.data.all.length) warm(k + 200);
      });
      warm(0);
    }

    setRows(rows) {
      this.data = new tagger.Rows(this.areas, rows, this.thresholds);
      this.controlsAreOld = true;
      this.open.clear();
      this.refresh();
    }

    addRows(rows) {
      this.data.add(rows);
      this.controlsAreOld = true;
      this.refresh({ keepPage: true });
    }

    update(row) {
      const item = this.data.update(row);
      this.controlsAreOld = true;
      this.drawControls();
      this.redraw(item);
    }

    show(filters = {}) {
      this.filters = { sort: "number", descending: false, ...filters };
      this.refresh();
    }

    /** Open the row at a place among all rows, whatever the filters were. */
    reveal(place) {
      const item = this.data.all[place];
      if (!this.found.includes(item)) this.show();
      this.page = Math.floor(this.found.indexOf(item) / this.pageSize);
      this.open.add(item.number);
      this.drawPage();
      const button = this.body.querySelector(`[data-number="${item.number}"]`);
      this.focus(button);
      button.scrollIntoView({ block: "start" });
    }

    selected() {
      return this.found.map((item) => item.row);
    }

    /* ---- what stays: controls and the frame of the table ---- */

    build() {
      this.status = el("p", { class: "status", role: "status", tabindex: "-1" });
      this.head = el("tr", { role: "row" });
      this.body = el("tbody", { role: "rowgroup", on: {
        keydown: (event) => this.rowKey(event), click: (event) => this.clicked(event) } });
      this.pager = el("nav", { class: "pager no-print", "aria-label": "Pages of the table" });
      this.table = el("table", { class: this.isMatrix() ? "rows matrix" : "rows chips", role: "table",
        "aria-label": "Abstracts" }, el("thead", { role: "rowgroup" }, this.head), this.body);
      refill(this.root,
        this.buildControls(),
        this.status,
        this.table,
        this.pager,
        el("p", { class: "soft small keys no-print" }, el("kbd", {}, "/"), " search  ", el("kbd", {}, "\u2191"), " ",
          el("kbd", {}, "\u2193"), " move  ", el("kbd", {}, "Enter"), " open or close  ",
          el("kbd", {}, "Page Down"), " next page"));
      this.root.classList.add("collection");
    }

    /* ---- what changes with the rows and the filters ---- */

    refresh({ keepPage = false } = {}) {
      const focused = document.activeElement?.closest?.(".row-button")?.dataset.number;
      this.found = this.data.select(this.filters);
      const pages = Math.max(1, Math.ceil(this.found.length / this.pageSize));
      this.page = keepPage ? Math.min(this.page, pages - 1) : 0;
      this.drawControls();
      this.drawHead();
      this.drawPage();
      if (focused !== undefined) this.body.querySelector(`[data-number="${Number(focused)}"]`)?.focus();
      this.root.dispatchEvent(new Event("change"));
    }

    drawPage() {
      const start = this.page * this.pageSize;
      const shown = this.found.slice(start, start + this.pageSize);
      refill(this.body, shown.map((item, k) => this.drawRow(item, k === 0)));
      const found = this.found.length;
      const range = found > shown.length ? `, ${format(start + 1)} to ${format(start + shown.length)} shown` : "";
      refill(this.status, this.howMany() + range);
      this.table.hidden = !found;
      const pages = Math.ceil(found / this.pageSize);
      const step = (by, label) => el("button", { type: "button", disabled: !this.found[(this.page + by) * this.pageSize],
        on: { click: () => this.turn(by) } }, label);
      refill(this.pager, pages > 1
        ? [step(-1, "Previous"), el("span", {}, `Page ${format(this.page + 1)} of ${format(pages)}`), step(1, "Next")]
        : null);
    }

    /** How many rows pass, for people. */
    howMany() {
      const [all, found] = [count(this.data.all.length, "abstract"), this.found.length];
      if (!found && this.data.all.length) return `None of ${all} is like that.`;
      return found === this.data.all.length ? all : `${format(found)} of ${all}`;
    }
  }

  Object.assign(Collection.prototype, tagger.controls, tagger.cells, tagger.detail, tagger.keys, tagger.paper);
  tagger.Collection = Collection;
}
