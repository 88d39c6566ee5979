/* The rows of a collection: which of them a search and filters leave, and in what order.

   A row is an object
     id             as the input has it; need not be unique
     title          or null
     abstract       "" if there is an error
     areas          names of the areas that are tagged
     probabilities  for every area of the model, in its order; [] if there is an error
     unsure         names of the areas that a person should look at
     central        names of the areas that the abstract is mainly about
     marks          why the tags should not be trusted; may be missing
     error          why there are no tags, or null
     source         file that it came from      position   where in it: "line 12"      date   in ISO 8601
                    (each may be missing)
     corrections    what a person said, by area: 0 absent, 1 present, 2 central; may be missing
   A correction counts instead of the tag, in filters, in the order and in what is shown. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});

  /** A row from an object as `tagger tag` writes it to JSON Lines, with `abstract` from wherever it is. */
  tagger.rowOf = (json, areas, more = {}) => ({
    id: json.id, title: json.title ?? null, abstract: json.abstract ?? "", error: json.error ?? null,
    areas: json.areas ?? [], unsure: json.unsure ?? [], central: json.central ?? [], marks: json.marks ?? [],
    probabilities: json.error ? [] : areas.map((area) => json.probabilities?.[area] ?? 0), ...more,
  });

  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const folded = (text) => {
    const lower = String(text).toLowerCase().replace(/\s+/g, " ");
    return /^[\x00-\x7f]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "");
  };
  const bits = (names, areas) => names.reduce((sum, name) => sum | (1 << areas.indexOf(name)), 0);

  /** How a row stands: what was tagged and what a person said since. */
  function standing(row, areas) {
    let [tagged, central, unsure] = [bits(row.areas, areas), bits(row.central ?? [], areas), bits(row.unsure, areas)];
    for (const [area, value] of Object.entries(row.corrections ?? {})) {
      const bit = 1 << areas.indexOf(area);
      tagged = value >= 1 ? tagged | bit : tagged & ~bit;
      central = value === 2 ? central | bit : central & ~bit;
      unsure &= ~bit;
    }
    return { tagged, central, unsure };
  }

  const AREA_TESTS = {
    tagged: (s, bit) => s.tagged & bit,
    central: (s, bit) => s.central & bit,
    not: (s, bit) => !(s.tagged & bit),
    unsure: (s, bit) => s.unsure & bit,
  };
  const STATE_TESTS = {
    some: (s) => s.tagged,
    unsure: (s) => s.unsure,
    none: (s, row) => !s.tagged && !row.error,
    marked: (s, row) => row.marks?.length,
    error: (s, row) => row.error,
    corrected: (s, row) => Object.keys(row.corrections ?? {}).length,
  };

  /** The rows and what is known of each; `areas` are at most 31, `thresholds` the probabilities that tag them. */
  class Rows {
    constructor(areas, rows = [], thresholds = areas.map(() => 0.5)) {
      this.areas = areas;
      this.thresholds = thresholds;
      this.all = [];
      this.add(rows);
    }

    add(rows) {
      for (const row of rows) this.all.push({ row, number: this.all.length, text: null, ...standing(row, this.areas) });
      this.orders = new Map();
    }

    update(row) {
      const item = this.all.find((one) => one.row === row);
      if (item) Object.assign(item, standing(row, this.areas));
      this.orders.clear();
      return item;
    }

    /** Make what searching needs, which else the first search does. */
    prepare(item) {
      const { id, title, abstract, error } = item.row;
      return (item.text ??= [id, title ?? "", abstract, error ?? ""].map(folded).join("\n"));
    }

    has(kind) {
      return this.all.some(({ row }) => (kind === "central" || kind === "marks" ? row[kind]?.length : row[kind]));
    }

    /** How many rows each state and each state of each area has. */
    counts() {
      const number = (test) => this.all.reduce((sum, item) => sum + (test(item) ? 1 : 0), 0);
      const states = Object.fromEntries(Object.entries(STATE_TESTS).map(([name, test]) =>
        [name, number((item) => test(item, item.row))]));
      const areas = this.areas.map((_, k) => Object.fromEntries(Object.entries(AREA_TESTS).map(([name, test]) =>
        [name, number((item) => !item.row.error && test(item, 1 << k))])));
      return { states, areas };
    }

    /** The rows that pass, in order.
     *  query: words that must all occur, "several words" in quotes as they stand
     *  state: a key of STATE_TESTS, or ""      areas: for each area by name a key of AREA_TESTS, or nothing
     *  sort: "number", "id", "title", "date", "doubt" (nearest to a threshold first) or the index of an area      descending: whether turned round */
    select({ query = "", state = "", areas = {}, sort = "number", descending = false } = {}) {
      const words = [...folded(query).matchAll(/"([^"]+)"|([^\s"]+)/g)].map(([, quoted, word]) => quoted ?? word);
      const tests = Object.entries(areas).filter(([, kind]) => kind)
        .map(([area, kind]) => [AREA_TESTS[kind], 1 << this.areas.indexOf(area)]);
      const passes = (item) => (!state || STATE_TESTS[state](item, item.row))
        && (!tests.length || (!item.row.error && tests.every(([test, bit]) => test(item, bit))))
        && words.every((word) => this.prepare(item).includes(word));
      const found = this.order(sort).filter(passes);
      return descending ? found.reverse() : found;
    }

    order(sort) {
      if (!this.orders.has(sort)) this.orders.set(sort, this.sorted(sort));
      return this.orders.get(sort);
    }

    sorted(sort) {
      if (sort === "number") return [...this.all];
      if (["id", "title", "date"].includes(sort)) {
        const key = ({ row }) => (sort === "title" ? row.title || row.abstract.slice(0, 100) : row[sort]) || "";
        return this.all.map((item) => [key(item), item])
          .sort((a, b) => !a[0] - !b[0] || collator.compare(a[0], b[0]) || a[1].number - b[1].number)
          .map(([, item]) => item);
      }
      const value = sort === "doubt"
        ? ({ row }) => Math.min(9, ...row.probabilities.map((p, k) => Math.abs(p - this.thresholds[k])))
        : ({ row }) => -(row.corrections?.[this.areas[sort]] ?? row.probabilities[sort] ?? -1);
      return this.all.map((item) => [value(item), item])
        .sort((a, b) => a[0] - b[0] || a[1].number - b[1].number).map(([, item]) => item);
    }
  }

  tagger.Rows = Rows;
}
