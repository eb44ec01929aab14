// What is said while a turn is being told and no word has come for a while: that it goes on, and what it waits for.
// On the page the seconds are counted; a screen reader is told each thing once.

import { currentRequest, note } from "./stream.js";
import { look, state } from "./narrator.js";

const QUIET = 6_000; // a first word that comes sooner needs no explanation
const LONG = 20_000;
const TICK = 1_000;
const SETTLING = "What this changed is being noted. Stop skips that and keeps the turn.";

const announce = document.querySelector("[data-announce]");
let began = 0;
let timer = 0;
let hasAsked = false;
let announced = "";

/** A turn is being told, and its words are waited for. */
export function begin() {
  end();
  began = Date.now();
  hasAsked = false;
  announced = "";
  timer = setInterval(say, TICK);
}

/** Words have come. */
export function heard() {
  if (timer) note("");
  end();
}

/** The words are complete. What they changed may take a model a while. */
export function settle() {
  end();
  timer = setTimeout(() => {
    note(SETTLING);
    announce.textContent = SETTLING;
  }, TICK);
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
  const [what, help] = happening(waited >= LONG);
  note(`${what} (${Math.round(waited / 1000)} s). ${help}`.trim());
  if (announced !== what + help) announce.textContent = `${what}. ${help}`.trim();
  announced = what + help;
}

/** What goes on, and what may help. */
function happening(isLong) {
  if (state() === "gone") return ["The narrator does not answer", "Your words are kept: you can stop, and try again."];
  if (["loading", "not_loaded"].includes(state())) {
    return ["The model is being loaded", isLong ? "This happens once; it stays loaded then." : ""];
  }
  return [
    "The narrator is reading the story",
    isLong ? "A shorter context window or a smaller model reads faster." : "",
  ];
}
