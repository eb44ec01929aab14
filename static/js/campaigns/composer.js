// The composer: modes, Enter, the draft, and words that come back when their turn did not.

import { isBusy, setBusy } from "./busy.js";
import { readDraft, writeDraft } from "./draft.js";
import { newRequestId } from "./socket.js";
import * as stream from "./stream.js";

const form = document.getElementById("composer");
const words = form.querySelector("textarea");
const HINTS = {
  action: "What do you do?",
  dialogue: "What do you say?",
  direction: "What should happen?",
  continue: "The story goes on by itself.",
};

let offered = offer(); // what the server holds for the reader because it found no place in the story
let pending = null; // what was sent and is not yet settled

export const isEmpty = () => words.value === "";
export const focus = () => words.focus();

function offer() {
  return document.querySelector("[data-region='recovery']").dataset.offeredText;
}

function put(text, mode) {
  words.value = text;
  if (mode) form.elements.mode.value = mode;
  hint();
}

function hint() {
  words.placeholder = HINTS[form.elements.mode.value];
}

function newestInput() {
  const turns = document.querySelectorAll("[data-region='turns'] .turn");
  return turns[turns.length - 1]?.querySelector("[data-input]")?.textContent ?? "";
}

/** Start with what this browser was writing, unless the story already has it. */
export function restore() {
  const draft = readDraft();
  if (draft && !(draft.isSent && [newestInput(), stream.streamedInput()].includes(draft.text.trim()))) {
    put(draft.text, draft.mode);
  } else {
    writeDraft(null);
  }
  hint();
}

/** After every look at the server: the composer follows what is offered while the reader has not changed it. */
export function follow() {
  const next = offer();
  if (next !== offered && words.value.trim() === offered.trim()) {
    put(next, document.querySelector("[data-region='recovery']").dataset.offeredMode);
    writeDraft(null);
  }
  offered = next;
}

/** The turn that was sent has become part of the story. */
export function accepted() {
  if (pending && words.value.trim() === pending.text.trim()) put("");
  if (isEmpty()) writeDraft(null);
  pending = null;
}

/** It has not: the words come back. */
export function giveBack() {
  if (pending && isEmpty()) put(pending.text, pending.mode);
  pending = null;
}

/** The socket is back. What was on its way either arrived or did not. */
export function reconcile(isTelling) {
  if (pending && !isTelling && newestInput() !== pending.text.trim() && !offer()) giveBack();
  else if (pending && !isTelling) accepted();
}

export function listen({ send }) {
  form.addEventListener("submit", (event) => {
    const mode = form.elements.mode.value;
    const text = mode === "continue" ? "" : words.value;
    if (isBusy() || (mode !== "continue" && !text.trim())) {
      event.preventDefault();
      words.focus();
      return;
    }
    const id = newRequestId();
    form.elements.request_id.value = id;
    writeDraft(text ? { mode, text, isSent: true } : readDraft());
    if (send({ type: "turn.submit", request_id: id, mode, text })) {
      event.preventDefault();
      pending = text ? { mode, text } : null;
      if (text) words.value = "";
      if (mode === "continue") form.elements.mode.value = "action";
      hint();
    } else {
      if (mode === "continue") words.disabled = true; // its draft is not part of this turn
      setTimeout(() => setBusy(true));
    }
  });

  form.addEventListener("input", (event) => {
    hint();
    if (event.target === words || words.value) {
      writeDraft(words.value ? { mode: form.elements.mode.value, text: words.value, isSent: false } : null);
    }
  });

  words.addEventListener("keydown", (event) => {
    // An input method's Enter chooses a word; 229 is what browsers report that flag it too late.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!isBusy()) form.requestSubmit();
  });

  const line = form.querySelector("[data-offline]");
  return {
    setOnline(isOnline) {
      line.hidden = isOnline;
      line.textContent = isOnline ? "" : "The live connection is down. You can still play: the page waits for each turn.";
    },
  };
}
