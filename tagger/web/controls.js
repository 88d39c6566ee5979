/* How a collection is searched, filtered and sorted: the controls, the choices that they give, and what is chosen. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});
  const { el, refill, areaClass, format } = tagger;

  const STATES = { "": "all abstracts", some: "with an area", none: "no area", unsure: "unsure",
    marked: "not to be trusted", error: "errors", corrected: "corrected" };
  const KINDS = { "": "any", tagged: "tagged", central: "central", not: "not tagged", unsure: "unsure" };

  /* Methods of a collection. */
  tagger.controls = {
    buildControls() {
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
      return el("div", { class: "controls no-print" },
        el("div", { class: "control-line" }, this.search, this.state, this.sort, this.clear),
        el("div", { class: "control-line areas", role: "group", "aria-label": "Filter by area" },
          this.areas.map((area, k) => el("label", { class: areaClass(k) }, el("span", {}, area), this.kinds[k]))));
    },

    drawControls() {
      const { query = "", state = "", areas = {}, sort, descending } = this.filters;
      if (this.controlsAreOld) this.fillControls();
      if (this.search.value !== query) this.search.value = query;
      this.state.value = state;
      this.sort.value = String(sort);
      this.kinds.forEach((select, k) => {
        select.value = areas[this.areas[k]] ?? "";
        select.parentElement.classList.toggle("active", Boolean(select.value));
      });
      this.clear.disabled = !(query || state || Object.values(areas).some(Boolean) || sort !== "number" || descending);
    },

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
      choices(this.sort, this.orders());
    },

    /** What the rows can be sorted by, with its name. */
    orders() {
      return [["number", "as given"], ["doubt", "least sure first"], ["id", "by id"], ["title", "by title"],
        ...(this.hasDates ? [["date", "by date"]] : []), ...this.areas.map((area, k) => [String(k), `by ${area}`])];
    },

    /** What is chosen, for people; empty if nothing is. */
    inWords() {
      const { query = "", state = "", areas = {}, sort, descending } = this.filters;
      const kinds = Object.entries(areas).filter(([, kind]) => kind).map(([area, kind]) => `${area} ${KINDS[kind]}`);
      const order = sort === "number" && !descending ? ""
        : new Map(this.orders()).get(String(sort)) + (descending ? ", turned round" : "");
      return [query.trim() && `search for ${query.trim()}`, state && STATES[state], ...kinds, order]
        .filter(Boolean).join("; ");
    },
  };
}
