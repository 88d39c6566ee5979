/* What the page asks of the server. Every failure is an Error whose message is a sentence for people. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});
  const GONE = "The server does not answer; start `tagger serve` again and try once more.";

  async function ask(path, options = {}) {
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error(GONE, { cause: error });
    }
    if (response.ok) return response;
    const { error } = await response.json().catch(() => ({}));
    throw new Error(error ?? `The server answered with ${response.status}.`);
  }

  const json = async (path, method, body, signal) => (await ask(path, {
    method, signal, body: body === undefined ? undefined : JSON.stringify(body),
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
  })).json();

  const form = (source, more = {}) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(more)) data.set(name, value);
    if (source.file) data.set("file", source.file, source.file.name);
    else data.set("text", source.text);
    return data;
  };

  /** The objects of an answer in JSON Lines, as they come. */
  async function* lines(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n");
        rest = parts.pop();
        for (const part of parts) yield JSON.parse(part);
      }
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("The server has broken off; what had come is shown.", { cause: error });
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  tagger.api = {
    model: () => json("/api/model", "GET"),
    paste: (text, signal) => json("/api/paste", "POST", { text }, signal),
    explain: ({ abstract, title }) => json("/api/explain", "POST", title ? { abstract, title } : { abstract }),
    corrections: () => json("/api/corrections?limit=0", "GET"),
    correct: ({ id, abstract, title }, area, grade) => json("/api/corrections", "PUT",
      { id: id ?? null, abstract, title: title ?? null, area, grade }),
    undo: ({ key }, area) => json(`/api/corrections?${new URLSearchParams({ key, area })}`, "DELETE"),
    tagFile: async (source, signal) => lines(await ask("/api/files", { method: "POST", body: form(source), signal })),
    download: async (source, format, rows) => {
      const response = await ask("/api/download",
        { method: "POST", body: form(source, rows ? { format, rows } : { format }) });
      const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "tagged";
      const blob = await response.blob().catch(() => { throw new Error("The download broke off; try again."); });
      return { name, blob };
    },
  };
}
