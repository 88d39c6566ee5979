/* Elements made from values: text from outside is always a text node, never markup. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});

  /* What a page cannot show, and what turns the direction of the text after it. */
  const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]/gu;
  const N_COLOURS = 12;

  /** Text as it may be shown: as long in code points as it was. */
  const plain = (text) => String(text ?? "").replace(UNSEEN, "\ufffd");

  /** An element. `given` holds attributes; `class`, `on` (listeners by event), `vars` (CSS variables) are its own.
   *  An attribute that is null, undefined or false is left out. Children are nodes, or text. */
  function el(name, given = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(given)) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "on") for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
      else if (key === "vars") for (const [one, to] of Object.entries(value)) element.style.setProperty(one, to);
      else element.setAttribute(key, value === true ? "" : plain(value));
    }
    fill(element, children);
    return element;
  }

  function fill(element, children) {
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false) continue;
      element.append(child instanceof Node ? child : document.createTextNode(plain(child)));
    }
  }

  /** Replace what is in an element. */
  function refill(element, ...children) {
    element.replaceChildren();
    fill(element, children);
    return element;
  }

  const numbers = new Intl.NumberFormat("en");
  const areaClass = (index) => `area-${index % N_COLOURS}`;
  const signed = (value) => `${value.toFixed(2) < 0 ? "\u2212" : "+"}${Math.abs(value).toFixed(2)}`;
  /** `1 abstract`, `2,000 abstracts`. */
  const count = (number, noun) => `${numbers.format(number)} ${noun}${number === 1 ? "" : "s"}`;

  /** A message as a sentence: "the abstract is empty" begins with a capital and ends with a full stop. */
  const sentence = (message) => {
    const text = String(message ?? "").trim();
    const begun = /^[a-z]+\s/.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
    return !begun || /[.!?]$/.test(begun) ? begun : `${begun}.`;
  };

  Object.assign(tagger, { plain, sentence, el, refill, areaClass, signed, count, format: (number) => numbers.format(number) });
}
