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
  const { el, refill, areaClass, count, format } = tagger;

  const STATES = { "": "all abstracts", unsure: "unsure", none: "no area", marked: "not to be trusted",
    error: "errors", corrected: "corrected" };
  const KINDS = { "": "any", tagged: "tagged", central: "central", not: "not tagged", unsure: "unsure" };
  const MATRIX = 6; /* areas that have a column each; more are shown as chips */
  const FIRST_WORDS = 160;

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
      const changed = () => {
        const areas = Object.fromEntries(this.areas.map((area, k) => [area, this.kinds[k].value]));
        const sort = /^\d+$/.test(this.sort.value) ? Number(this.sort.value) : this.sort.value;
        const turned = sort === this.filters.sort && this.filters.descending;
        this.filters = { query: this.search.value, state: this.state.value, areas, sort, descending: turned };
        this.refresh();
      };
      const on = { change: changed };
      this.search = el("input", { type: "search", placeholder: "Search titles, abstracts, ids", spellcheck: "false",
        autocomplete: "off", "aria-label": "Search titles, abstracts and ids", "aria-keyshortcuts": "/",
        on: { input: changed, keydown: (event) => this.searchKey(event) } });
      this.state = el("select", { "aria-label": "Show", on });
      this.kinds = this.areas.map((area) => el("select", { "aria-label": area, on }));
      this.sort = el("select", { "aria-label": "Sort by", on });
      this.clear = el("button", { type: "button", on: { click: () => this.show() } }, "Clear");
      this.status = el("p", { class: "status", role: "status", tabindex: "-1" });
      this.head = el("tr", { role: "row" });
      this.body = el("tbody", { role: "rowgroup", on: {
        keydown: (event) => this.rowKey(event), click: (event) => this.clicked(event) } });
      this.pager = el("nav", { class: "pager no-print", "aria-label": "Pages of the table" });
      refill(this.root,
        el("div", { class: "controls no-print" },
          el("div", { class: "control-line" }, this.search, this.state, this.sort, this.clear),
          el("div", { class: "control-line areas", role: "group", "aria-label": "Filter by area" },
            this.areas.map((area, k) => el("label", { class: areaClass(k) }, el("span", {}, area), this.kinds[k])))),
        this.status,
        el("table", { class: this.areas.length > MATRIX ? "rows chips" : "rows matrix", role: "table",
          "aria-label": "Abstracts" },
        el("thead", { role: "rowgroup" }, this.head), this.body),
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

    drawControls() {
      const { query = "", state = "", areas = {}, sort } = this.filters;
      if (this.controlsAreOld) this.fillControls();
      if (this.search.value !== query) this.search.value = query;
      this.state.value = state;
      this.sort.value = String(sort);
      this.kinds.forEach((select, k) => {
        select.value = areas[this.areas[k]] ?? "";
        select.parentElement.classList.toggle("active", Boolean(select.value));
      });
      this.clear.disabled = !(query || state || Object.values(areas).some(Boolean) || sort !== "number");
    }

    /** The choices, with how many rows each has. */
    fillControls() {
      this.controlsAreOld = false;
      this.hasDates = this.data.has("date");
      const counts = this.data.counts();
      const choices = (select, entries) => refill(select,
        entries.map(([key, label]) => el("option", { value: key }, label)));
      const counted = (words, numbers, skips) => Object.entries(words).filter(([key]) => !skips(key))
        .map(([key, label]) => [key, key ? `${label} (${format(numbers[key])})` : label]);
      const { state = "", areas = {} } = this.filters;
      choices(this.state, counted(STATES, counts.states, (key) => key && !counts.states[key] && key !== state));
      this.kinds.forEach((select, k) => choices(select, counted(KINDS, counts.areas[k],
        (key) => key === "central" && !counts.areas[k].central && areas[this.areas[k]] !== "central")));
      choices(this.sort, [["number", "in the order given"], ["doubt", "least sure first"], ["id", "by id"],
        ["title", "by title"], ...(this.hasDates ? [["date", "by date"]] : []),
        ...this.areas.map((area, k) => [String(k), `by ${area}`])]);
    }

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
      const areas = this.areas.length > MATRIX
        ? [el("th", { scope: "col", role: "columnheader" }, "areas")]
        : this.areas.map((area, k) => cell(k, area, { class: `cell-area ${areaClass(k)}` }));
      refill(this.head, cell("id", "id"), cell("title", "title"), this.hasDates ? cell("date", "date") : null, areas);
      if (focused) this.head.querySelector(`[data-sort="${focused}"]`)?.focus();
    }

    drawPage() {
      const start = this.page * this.pageSize;
      const shown = this.found.slice(start, start + this.pageSize);
      refill(this.body, shown.map((item, k) => this.drawRow(item, k === 0)));
      const [total, found] = [this.data.all.length, this.found.length];
      const filtered = found === total ? count(total, "abstract") : `${format(found)} of ${count(total, "abstract")}`;
      const range = found > shown.length ? `, ${format(start + 1)} to ${format(start + shown.length)} shown` : "";
      refill(this.status, found || !total ? filtered + range : `None of ${count(total, "abstract")} has all this.`);
      const pages = Math.ceil(found / this.pageSize);
      const step = (by, label) => el("button", { type: "button", disabled: !this.found[(this.page + by) * this.pageSize],
        on: { click: () => this.turn(by) } }, label);
      refill(this.pager, pages > 1
        ? [step(-1, "Previous"), el("span", {}, `Page ${format(this.page + 1)} of ${format(pages)}`), step(1, "Next")]
        : null);
    }

    drawRow(item, first, withDetail = true) {
      const { row, number } = item;
      const words = row.title || row.abstract.slice(0, FIRST_WORDS) || row.error || "";
      const isOpen = this.open.has(number);
      const button = el("button", { type: "button", class: "plain row-button", "data-number": String(number),
        tabindex: first ? "0" : "-1", "aria-expanded": String(isOpen) },
      el("span", { dir: "auto" }, words, !row.title && row.abstract.length > FIRST_WORDS ? "\u2026" : ""));
      const cell = (name, ...children) => el("td", { role: "cell", class: `cell-${name}` }, children);
      const line = el("tr", { class: `row${row.error ? " failed" : ""}${isOpen ? " open" : ""}`, role: "row" },
        cell("id", el("bdi", {}, row.id)),
        cell("title", button, row.error && words !== row.error ? el("span", { class: "error-text" }, row.error) : null,
          (row.marks ?? []).map((mark) => el("span", { class: "flag" }, mark))),
        this.hasDates ? cell("date", row.date ?? "") : null, this.drawAreas(item));
      return isOpen && withDetail ? [line, this.drawDetail(item)] : line;
    }

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
    }

    drawAreas(item) {
      const { row } = item;
      const span = (k) => this.drawChip(item, k);
      if (this.areas.length > MATRIX) {
        const named = row.error ? [] : this.areas.map((_, k) => k).filter((k) => (item.tagged | item.unsure) & (1 << k));
        return el("td", { role: "cell", class: "cell-areas" }, named.map(span));
      }
      return this.areas.map((_, k) => {
        const bit = 1 << k;
        const shown = item.tagged & bit ? "tagged" : item.unsure & bit ? "unsure" : "not";
        return el("td", { role: "cell", class: `cell-area ${areaClass(k)} ${shown}` }, row.error ? null : span(k));
      });
    }

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
    }

    /* ---- keys and clicks ---- */

    toggle(number, focus = true) {
      if (!this.open.delete(number)) this.open.add(number);
      const button = this.body.querySelector(`[data-number="${number}"]`);
      const line = button.closest("tr");
      const item = this.data.all[number];
      if (line.nextElementSibling?.classList.contains("detail")) line.nextElementSibling.remove();
      if (this.open.has(number)) line.after(this.drawDetail(item));
      line.classList.toggle("open", this.open.has(number));
      button.setAttribute("aria-expanded", String(this.open.has(number)));
      if (focus) this.focus(button);
    }

    clicked(event) {
      const line = event.target.closest("tr.row");
      if (line && !getSelection().toString()) this.toggle(Number(line.querySelector(".row-button").dataset.number));
    }

    focus(button) {
      if (!button) return;
      this.body.querySelectorAll('.row-button[tabindex="0"]').forEach((one) => one.setAttribute("tabindex", "-1"));
      button.setAttribute("tabindex", "0");
      button.focus();
    }

    /** Go to another page; the focus goes to its first or last row if `place` says so. */
    turn(by, place = null) {
      if (!this.found[(this.page + by) * this.pageSize] || this.page + by < 0) return;
      this.page += by;
      this.drawPage();
      const buttons = this.body.querySelectorAll(".row-button");
      if (place !== null) this.focus(place === "last" ? buttons[buttons.length - 1] : buttons[0]);
      else this.status.scrollIntoView({ block: "nearest" });
    }

    rowKey(event) {
      const button = event.target.closest(".row-button");
      if (event.key === "Escape") {
        const line = event.target.closest("tr.detail")?.previousElementSibling ?? button?.closest("tr");
        const number = Number(line?.querySelector(".row-button").dataset.number);
        if (this.open.has(number)) this.toggle(number);
        return;
      }
      if (!button || event.altKey || event.ctrlKey || event.metaKey) return;
      const buttons = [...this.body.querySelectorAll(".row-button")];
      const place = buttons.indexOf(button);
      const moves = {
        ArrowDown: () => (buttons[place + 1] ? this.focus(buttons[place + 1]) : this.turn(1, "first")),
        ArrowUp: () => (buttons[place - 1] ? this.focus(buttons[place - 1]) : this.turn(-1, "last")),
        Home: () => this.focus(buttons[0]),
        End: () => this.focus(buttons[buttons.length - 1]),
        PageDown: () => this.turn(1, "first"),
        PageUp: () => this.turn(-1, "first"),
      };
      if (!moves[event.key]) return;
      event.preventDefault();
      moves[event.key]();
    }

    searchKey(event) {
      if (event.key === "Escape" && this.search.value) {
        event.preventDefault();
        this.show({ ...this.filters, query: "" });
      } else if (event.key === "ArrowDown") {
        event.preventDefault();
        this.focus(this.body.querySelector(".row-button"));
      }
    }

    globalKey(event) {
      const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey || !this.root.isConnected) return;
      event.preventDefault();
      this.search.focus();
      this.search.select();
    }
  }

  Object.assign(Collection.prototype, tagger.detail);
  tagger.Collection = Collection;
}
