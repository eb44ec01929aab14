// Keys for everything that has a place on the page.

import { isEmpty } from "./composer.js";
import * as focus from "./focus.js";
import { closeNote } from "./narrator.js";
import * as panels from "./panels.js";
import { cancelEdit, stepTake } from "./turns.js";

const PLAIN = {
  "[": () => stepTake("prev"),
  "]": () => stepTake("next"),
  "?": () => panels.open("?panel=help"),
};

const isWriting = (target) => target.matches?.("textarea, select, input:not([type=radio], [type=hidden])");

export function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey) return;
    if (event.key === "Escape") {
      if (closeNote() || cancelEdit()) return;
      if (panels.isOpen()) panels.close();
      else if (event.target.id === "words") focus.leave(); // so that [ ] and ? are keys again
    } else if (event.ctrlKey || event.metaKey) {
      const isFree = event.target.id === "words" || !isWriting(event.target);
      if (event.key.toLowerCase() === "z" && isFree && isEmpty()) {
        event.preventDefault();
        document.querySelector(`[data-key='${event.shiftKey ? "redo" : "undo"}']`).click();
      }
    } else if (!isWriting(event.target) && event.key in PLAIN) {
      event.preventDefault();
      PLAIN[event.key]();
    }
  });
}
