/* A collection on paper: every row that passes the filters, not only the page on the screen, and what the filters are. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});
  const { refill } = tagger;

  /* Methods of a collection. */
  tagger.paper = {
    watchPrinting() {
      let restore = null;
      addEventListener("beforeprint", () => (restore ??= this.toPaper()));
      addEventListener("afterprint", () => {
        restore?.();
        restore = null;
      });
    },

    /** Put the rows of all other pages around those on the screen, which stay as they are; gives what undoes it. */
    toPaper() {
      const start = this.page * this.pageSize;
      const drawn = (items) => items.flatMap((item) => this.drawRow(item, false));
      const [before, after] = [drawn(this.found.slice(0, start)), drawn(this.found.slice(start + this.pageSize))];
      this.body.prepend(...before);
      this.body.append(...after);
      const [status, words] = [this.status.textContent, this.inWords()];
      refill(this.status, this.howMany(), words ? `: ${words}` : "");
      /* Browsers repeat the head of a table on every page, but not the buttons in it. */
      for (const cell of this.head.children) refill(cell, cell.textContent);
      return () => {
        [...before, ...after].forEach((row) => row.remove());
        refill(this.status, status);
        this.drawHead();
      };
    },
  };
}
