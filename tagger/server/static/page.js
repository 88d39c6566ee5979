/* The page: what is typed, pasted, chosen or dropped goes to the server, and what comes back is shown. */
"use strict";
{
  const { el, refill, areaClass, count, format, sentence, api } = globalThis.tagger;
  const PAUSE = 150; /* milliseconds without a key after which what is typed is tagged */
  const ANNOUNCE = 900;
  const EXAMPLE = "Long chains of thought make small language models better at arithmetic, and slow. We ask which steps "
    + "of a chain carry the answer. A probe on the hidden states predicts, before a step is written, whether it will "
    + "change the distribution over final answers; steps that will not are skipped. On four benchmarks of grade-school "
    + "and competition mathematics the model keeps 98% of its accuracy with 41% of the tokens, and it needs no "
    + "retraining: the probe is fitted on 2,000 problems in a minute. Skipped steps are mostly restatements of the "
    + "question, and skipping them helps on problems with distracting numbers.";
  const $ = (id) => document.getElementById(id);
  const [text, problem, said] = [$("text"), $("problem"), $("said")];

  const mode = (name) => {
    document.body.dataset.mode = name;
    $("one").hidden = name !== "one";
    $("many").hidden = name !== "list" && name !== "file";
    $("empty").hidden = name === "empty";
    refill($("choose"), name === "file" ? "Choose another file" : "Choose a file");
    refill($("empty"), name === "file" ? "Type or paste instead" : "Clear");
  };
  const fail = (message) => {
    const shown = sentence(message);
    if (problem.textContent !== shown) refill(problem, shown);
  };
  let announcing;
  const say = (words, after = 0) => {
    clearTimeout(announcing);
    announcing = setTimeout(() => refill(said, words), after);
  };

  function showKept(number) {
    $("kept").hidden = !number;
    refill($("kept-count"), count(number, "correction"));
  }

  /** Keep or undo what a person says about an area, and put it into the row or result. */
  async function correct(row, area, value) {
    try {
      const answer = value === null ? await api.undo(row, area) : await api.correct(row, area, value);
      row.corrections = answer.corrections;
      showKept(answer.count);
      say(value === null ? `${area}: correction undone.` : `${area}: ${["absent", "present", "central"][value]}, kept.`);
      fail("");
    } catch (error) {
      fail(error.message);
      throw error;
    }
  }

  function start(model) {
    const one = globalThis.tagger.one($("one"), { model, onCorrect: correct });
    const many = globalThis.tagger.many($("many"), { model, onCorrect: correct, say, fail });
    let asked = null;
    let typing;

    async function tagText() {
      asked?.abort();
      const mine = (asked = new AbortController());
      const given = text.value;
      if (!given.trim()) {
        fail("");
        one.forget();
        mode("empty");
        return;
      }
      $("one").classList.add("stale");
      try {
        const { results, explanation } = await api.paste(given, mine.signal);
        if (asked !== mine) return; /* what is typed since counts */
        fail("");
        if (results.length === 1) {
          one.show(results[0], explanation);
          mode("one");
          say(inWords(results[0]), ANNOUNCE);
        } else {
          many.begin();
          many.show(given, results);
          mode("list");
          say(`${count(results.length, "abstract")} tagged.`, ANNOUNCE);
        }
      } catch (error) {
        if (error.name !== "AbortError" && asked === mine) fail(error.message);
      } finally {
        if (asked === mine) $("one").classList.remove("stale");
      }
    }

    const inWords = (result) => {
      if (result.error) return sentence(result.error);
      const named = model.areas.filter((area) => result.areas.includes(area) || result.unsure.includes(area))
        .map((area) => `${area} ${result.probabilities[area].toFixed(2)}${result.unsure.includes(area) ? ", unsure" : ""}`);
      return named.length ? `${named.join("; ")}.` : "No area.";
    };

    function tagFile(file) {
      asked?.abort();
      asked = null;
      fail("");
      one.forget();
      many.begin();
      mode("file");
      many.tag(file);
    }

    text.addEventListener("input", (event) => {
      clearTimeout(typing);
      typing = setTimeout(tagText, event.inputType?.startsWith("insertFromPaste") ? 0 : PAUSE);
    });
    $("example").addEventListener("click", () => {
      text.value = EXAMPLE;
      tagText();
      text.focus({ preventScroll: true });
    });
    $("empty").addEventListener("click", () => {
      many.forget();
      text.value = "";
      tagText();
      text.focus();
    });
    $("choose").addEventListener("click", () => $("file").click());
    $("file").addEventListener("change", () => {
      const [file] = $("file").files;
      if (file) tagFile(file);
      $("file").value = "";
    });

    let depth = 0;
    const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    const over = (by) => (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      depth = Math.max(0, depth + by);
      $("drop").hidden = !depth;
    };
    document.addEventListener("dragenter", over(1));
    document.addEventListener("dragleave", over(-1));
    document.addEventListener("dragover", (event) => hasFile(event) && event.preventDefault());
    document.addEventListener("drop", (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      depth = 0;
      $("drop").hidden = true;
      const { files } = event.dataTransfer;
      if (files.length === 1) tagFile(files[0]);
      else fail("Drop one file at a time.");
    });
    if (text.value.trim()) tagText(); /* as a browser that is started again restores it */
  }

  async function begin() {
    try {
      const [model, kept] = await Promise.all([api.model(), api.corrections()]);
      refill($("areas"), model.areas.map((area, k) => el("span", { class: areaClass(k) }, area)));
      const trained = model.trained_on ? `, trained on ${format(model.trained_on.abstracts)} abstracts` : "";
      refill($("model"), `Model ${model.name} ${model.checksum.slice(0, 12)}${trained}.`);
      showKept(kept.count);
      start(model);
    } catch (error) {
      fail(error.message);
    }
  }

  begin();
}
