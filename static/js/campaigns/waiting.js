// What is said while a turn is being told and no word has come for a while: that it goes on, and what it waits for.

import { currentRequest, note } from "./stream.js";
import { look, state } from "./narrator.js";

const QUIET = 6_000; // a first word that comes sooner needs no explanation
const LONG = 20_000;
const TICK = 1_000;

let began = 0;
let timer = 0;
let hasAsked = false;

/** A turn is being told, and its words are waited for. */
export function begin() {
  end();
  began = Date.now();
  hasAsked = false;
  timer = setInterval(say, TICK);
}

/** Words have come. */
export function heard() {
  if (timer) note("");
  end();
}

export function end() {
  clearInterval(timer);
  timer = 0;
}

function say() {
  if (currentRequest() === null) return end();
  const waited = Date.now() - began;
  if (waited < QUIET) return;
  if (!hasAsked) look();
  hasAsked = true;
  note(sentence(Math.round(waited / 1000), waited >= LONG));
}

function sentence(seconds, isLong) {
  const isLoading = ["loading", "not_loaded"].includes(state());
  if (state() === "gone") return `The narrator does not answer (${seconds} s). Your words are kept: you can stop, and try again.`;
  const what = isLoading ? "The model is being loaded" : "The narrator is reading the story";
  const help = isLoading ? "This happens once; it stays loaded then." : "A shorter context window or a smaller model reads faster.";
  return `${what} (${seconds} s). ${isLong ? help : ""}`.trim();
}
