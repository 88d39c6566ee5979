/* The page of `tagger report`: fills the table from the data in the page, and lets figures show abstracts in it. */
"use strict";
{
  const { tagger } = globalThis;
  const data = JSON.parse(document.getElementById("collection-data").textContent);
  const named = (bits) => data.areas.filter((_, k) => bits & (1 << k));
  const numbers = new Map();

  const rows = data.rows.map(([number, id, title, abstract, tagged, central, unsure, probabilities, marks, error, source,
    position, date]) => {
    const row = { id, title: title || null, abstract, areas: named(tagged), central: named(central),
      unsure: named(unsure), probabilities: probabilities.map((p) => p / 1000), marks, error: error || null,
      source: data.sources[source], position, date };
    numbers.set(row, number);
    return row;
  });
  const places = new Map(rows.map((row, place) => [numbers.get(row), place]));

  /** The phrases of a row, from shares in hundredths, starts and lengths. */
  function evidence(row) {
    const found = data.evidence[numbers.get(row)];
    if (!found) return null;
    const phrase = ([share, ...rest]) => ({ share: share / 100,
      spans: rest.flatMap((start, k) => (k % 2 ? [] : [[start, start + rest[k + 1]]])) });
    return {
      text: row.title ? `${row.title}\n${row.abstract}` : row.abstract,
      abstract_start: row.title ? Array.from(row.title).length + 1 : 0,
      evidence: Object.fromEntries(found.map(([area, phrases]) =>
        [data.areas[area], { phrases: phrases.map(phrase) }])),
    };
  }

  const root = document.getElementById("collection");
  const table = tagger.collection(root, { areas: data.areas, rows, thresholds: data.thresholds, evidence });
  tagger.report = table;

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-show], [data-open]");
    if (!button) return;
    if (button.dataset.open) table.reveal(places.get(Number(button.dataset.open)));
    else {
      table.show(JSON.parse(button.dataset.show));
      root.scrollIntoView();
      table.status.focus();
    }
  });
}
