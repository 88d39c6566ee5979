/* A list or a file: its collection, how far the tagging has come, and downloads. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});
  const { el, refill, count, format, api } = tagger;
  const REFRESH = 250; /* milliseconds between two drawings while results come */
  const FORMATS = [["csv", "CSV"], ["jsonl", "JSON Lines"], ["bibtex", "BibTeX"], ["ris", "RIS"], ["csl", "CSL-JSON"],
    ["markdown", "Markdown"], ["tsv", "TSV"]];

  const rowOf = (json, areas) => tagger.rowOf(json, areas, { source: json.source, position: json.position,
    date: json.date, corrections: json.corrections, key: json.key, number: json.number });

  /** Numbers as ranges: 0-4,7. */
  const ranges = (numbers) => {
    const parts = [];
    for (const number of [...numbers].sort((a, b) => a - b)) {
      const last = parts.at(-1);
      if (last && last[1] === number - 1) last[1] = number;
      else parts.push([number, number]);
    }
    return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
  };

  /** The view of a collection. `onCorrect` as in one.js; `say` tells a person, `fail` shows a sentence. */
  tagger.many = (root, { model, onCorrect, say, fail }) => {
    let source = null;
    let rows = [];
    let work = null;
    let partial = false; /* whether there is more than came */
    const title = el("h2", {});
    const bar = el("progress", { "aria-label": "Progress" });
    const cancel = el("button", { type: "button", on: { click: () => work?.abort() } }, "Stop");
    const choice = el("select", { "aria-label": "Format of the download" },
      FORMATS.map(([name, label]) => el("option", { value: name }, label)));
    const save = el("button", { type: "button", class: "primary", on: { click: () => download() } }, "Download");
    const downloads = el("div", { class: "downloads" }, choice, save);
    const table = el("div", {});
    refill(root, el("div", { class: "bar-line" }, title, bar, cancel, downloads), table);
    const collection = tagger.collection(table, { areas: model.areas, evidence: api.explain, onCorrect,
      thresholds: model.areas.map((area) => model.thresholds[area]) });
    table.addEventListener("change", label);

    function label() {
      const selected = collection.selected().length;
      const all = rows.length;
      refill(save, `Download ${selected === all ? count(all, "abstract") : `${format(selected)} of ${format(all)}`}`);
      save.disabled = !selected;
    }

    /** Name the file, and what a person should know of how its tagging went. */
    function head(name, ...notes) {
      const words = notes.filter(Boolean).join(", ");
      refill(title, el("bdi", {}, name), words ? el("span", { class: "soft" }, ` \u00b7 ${words}`) : null);
    }

    function working(is) {
      bar.hidden = cancel.hidden = !is;
      downloads.hidden = is;
      if (is) bar.removeAttribute("value");
    }

    async function download() {
      const chosen = collection.selected();
      const part = chosen.length < rows.length || partial ? ranges(chosen.map((row) => row.number)) : null;
      save.disabled = true;
      try {
        const { name, blob } = await api.download(source, choice.value, part);
        const url = URL.createObjectURL(blob);
        el("a", { href: url, download: name }).click();
        setTimeout(() => URL.revokeObjectURL(url), 60_000);
        say(`${name} downloaded.`);
        fail("");
      } catch (error) {
        fail(error.message);
      } finally {
        label();
      }
    }

    return {
      /** Show a pasted list. */
      show(text, results) {
        work?.abort();
        source = { text };
        partial = false;
        rows = results.map((json) => rowOf(json, model.areas));
        refill(title, `${count(rows.length, "abstract")} pasted`);
        working(false);
        collection.setRows(rows);
        label();
      },
      /** Tag a file and show its rows as they come. */
      async tag(file) {
        work?.abort();
        const mine = (work = new AbortController());
        source = { file };
        rows = [];
        partial = true;
        head(file.name);
        collection.show();
        collection.setRows([]);
        working(true);
        let fresh = [];
        let drawn = 0;
        const draw = () => {
          if (!fresh.length) return;
          rows.push(...fresh);
          collection.addRows(fresh);
          fresh = [];
          drawn = performance.now();
        };
        try {
          let end = null;
          for await (const line of await api.tagFile(source, mine.signal)) {
            if (line.number !== undefined) fresh.push(rowOf(line, model.areas));
            else if (line.end) end = line.end;
            else if (line.progress?.bytes) bar.value = line.progress.read / line.progress.bytes;
            if (performance.now() - drawn > REFRESH) draw();
          }
          draw();
          if (!end) throw new Error("The server has broken off; what had come is shown.");
          partial = Boolean(end.error);
          fail(end.error ?? "");
          const failed = end.errors ? `, ${count(end.errors, "error")}` : "";
          head(file.name, end.errors && `${format(end.errors)} could not be tagged`);
          say(`${file.name}: ${count(end.records, "abstract")} tagged${failed}.`);
        } catch (error) {
          if (work !== mine) return;
          draw();
          const stopped = error.name === "AbortError";
          if (rows.length) head(file.name, stopped ? "stopped, the rest is not tagged" : "broken off, the rest is not tagged");
          if (stopped) say(`Stopped after ${count(rows.length, "abstract")}.`);
          else fail(error.message);
        }
        if (work !== mine) return;
        working(false);
        label();
        downloads.hidden = !rows.length;
        table.hidden = !rows.length;
      },
      forget() {
        work?.abort();
        work = null;
        rows = [];
        collection.show();
        collection.setRows([]);
      },
      begin() {
        table.hidden = false;
      },
    };
  };
}
