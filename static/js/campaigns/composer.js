// The composer: modes, Enter, the draft, and words that come back when their turn did not.

import { isBusy, setBusy } from "./busy.js";
import { readDraft, writeDraft } from "./draft.js";
import { isAtKeyboard } from "./focus.js";
import { headKey } from "./page.js";
import { newRequestId } from "./socket.js";
import * as stream from "./stream.js";
import { viewedTurn } from "./turns.js";

const form = document.getElementById("composer");
const words = form.querySelector("textarea");
const waits = form.querySelector("[data-waits]");
const HINTS = {
  action: "What do you do?",
  dialogue: "What do you say?",
  direction: "What should happen?",
  continue: "The story goes on by itself.",
};

let offered = offer(); // what the server holds for the reader because it found no place in the story
let seenHead = headKey();
let pending = null; // { id, mode, text, head }: what was sent and is not yet settled

export const isEmpty = () => words.value === "";
export const focus = () => words.focus({ preventScroll: true });

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

/** Whether words that were sent stand in the story: it has moved on since, and ends with them. */
const isTold = ({ text, head }) => headKey() !== head && newestInput() === text.trim();

/** Start with what this browser was writing, unless the story already has it. */
export function restore() {
  const draft = readDraft();
  const isKnown = draft?.isSent && (stream.streamedInput() === draft.text.trim() || isTold(draft));
  if (draft && !isKnown) put(draft.text, draft.mode);
  else writeDraft(null);
  hint();
}

/** Whether words that were on offer are being told, or have become part of the story. */
const isTakenUp = (text) => stream.streamedInput() === text.trim() || isTold({ text, head: seenHead });

/** After every look at the server: the composer follows what is offered while the reader has not changed it. */
export function follow() {
  const next = offer();
  if (next !== offered && words.value.trim() === offered.trim()) {
    if (isEmpty() || isTakenUp(offered)) {
      put(next, document.querySelector("[data-region='recovery']").dataset.offeredMode);
      writeDraft(null);
    } else {
      // The card was discarded. Its words are still the reader's.
      writeDraft({ mode: form.elements.mode.value, text: words.value, isSent: false });
    }
  }
  offered = next;
  seenHead = headKey();
}

/** The turn that was told is over: nothing keeps the words waiting. */
export function free() {
  waits.hidden = true;
  waits.textContent = "";
}

function wait() {
  waits.hidden = false;
  waits.textContent = "A turn is being told; your words wait here.";
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

/** The socket is gone before the turn was seen to begin: its words stand in the box until more is known. */
export function holdOn() {
  if (pending && isEmpty() && stream.currentRequest() === null) put(pending.text, pending.mode);
}

/** The socket is back. What was on its way either arrived or did not. */
export function reconcile(isTelling) {
  if (!pending || isTelling) return;
  if (isTold(pending)) accepted();
  else giveBack();
}

/** Where another take is looked at, the story is told that way first: the turn continues what was read. */
async function followReader(post) {
  const button = viewedTurn()?.querySelector(".take-bar button");
  return !button || (await post(button.formAction, new FormData(button.form, button)));
}

/** What stands in the box, as a turn. Sent again unchanged, it keeps its id, so that it is told only once. */
function takeUp(mode, text) {
  const id = pending && pending.mode === mode && pending.text === text ? pending.id : newRequestId();
  form.elements.request_id.value = id;
  writeDraft(text ? { mode, text, isSent: true, head: headKey() } : readDraft());
  pending = text ? { id, mode, text, head: headKey() } : null;
  return { type: "turn.submit", request_id: id, mode, text };
}

/** The same turn as a plain form. The words stay in the box until the story has them. */
async function submitWithoutSocket(post, { mode, text }) {
  const body = new FormData(form);
  body.set("text", text); // with Continue, what is in the box is not part of this turn
  setBusy(true);
  const isDone = await post(form.action, body);
  setBusy(stream.currentRequest() !== null);
  if (isDone === null || !pending) return; // it may have arrived: sent again, it has the same id
  if (isDone && isTold(pending)) accepted();
  else giveBack();
}

async function submit({ send, post }) {
  if (!(await followReader(post)) || isBusy()) return;
  const mode = form.elements.mode.value;
  const text = mode === "continue" ? "" : words.value;
  const frame = takeUp(mode, text);
  if (send(frame)) {
    if (text) words.value = "";
  } else {
    await submitWithoutSocket(post, frame);
  }
  if (mode === "continue") form.elements.mode.value = "action";
  hint();
}

export function listen(ways) {
  let isSubmitting = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const isSomething = form.elements.mode.value === "continue" || words.value.trim();
    if (isSubmitting || isBusy() || !isSomething) {
      words.focus();
      return;
    }
    isSubmitting = true;
    await submit(ways).finally(() => {
      isSubmitting = false;
    });
    if (isAtKeyboard()) focus(); // Send is out of view while the turn is told
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
    else if (words.value) wait();
  });

  const line = form.querySelector("[data-offline]");
  return {
    setOnline(isOnline) {
      line.hidden = isOnline;
      line.textContent = isOnline ? "" : "The live connection is down. You can still play: the page waits for each turn.";
    },
  };
}
