/* How a collection is gone through with keys and clicks: rows that open, pages that turn, the way to the search. */
"use strict";
{
  const tagger = (globalThis.tagger ??= {});

  /* Methods of a collection. */
  tagger.keys = {
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
    },

    clicked(event) {
      const line = event.target.closest("tr.row");
      if (line && !getSelection().toString()) this.toggle(Number(line.querySelector(".row-button").dataset.number));
    },

    focus(button) {
      if (!button) return;
      this.body.querySelectorAll('.row-button[tabindex="0"]').forEach((one) => one.setAttribute("tabindex", "-1"));
      button.setAttribute("tabindex", "0");
      button.focus();
    },

    /** Go to another page; the focus goes to its first or last row if `place` says so. */
    turn(by, place = null) {
      if (!this.found[(this.page + by) * this.pageSize] || this.page + by < 0) return;
      this.page += by;
      this.drawPage();
      const buttons = this.body.querySelectorAll(".row-button");
      if (place !== null) this.focus(place === "last" ? buttons[buttons.length - 1] : buttons[0]);
      else this.status.scrollIntoView({ block: "nearest" });
    },

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
    },

    searchKey(event) {
      if (event.key === "Escape" && this.search.value) {
        event.preventDefault();
        this.show({ ...this.filters, query: "" });
      } else if (event.key === "ArrowDown") {
        event.preventDefault();
        this.focus(this.body.querySelector(".row-button"));
      }
    },

    globalKey(event) {
      const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey || !this.root.isConnected) return;
      event.preventDefault();
      this.search.focus();
      this.search.select();
    },
  };
}
