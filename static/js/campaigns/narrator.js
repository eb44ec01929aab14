// The narrator's chip: how they are is asked once the page is there, and now and then while it is looked at.
// What its note says lies over the story, and closes like everything that does.

import { fetchPage } from "./page.js";

const EVERY = 30_000;
const WHILE_LOADING = 3_000;

const play = document.getElementById("play");
const region = () => document.querySelector("[data-region='narrator']");
const open = () => document.querySelector(".narrator[open]");
let timer = 0;
let asked = 0;

export const state = () => region().querySelector(".narrator").dataset.state;

/** Ask how the narrator is. An answer that is overtaken by a later question counts for nothing. */
export async function look() {
  clearTimeout(timer);
  const mine = (asked += 1);
  const fresh = document.hidden ? null : await fetchPage(play.dataset.narrator);
  if (mine !== asked) return;
  if (fresh) show(fresh.querySelector("[data-region='narrator']"));
  timer = setTimeout(look, state() === "loading" ? WHILE_LOADING : EVERY);
}

function show(next) {
  const now = region();
  if (!next || open() || now.contains(document.activeElement) || now.isEqualNode(next)) return;
  now.replaceWith(document.adoptNode(next));
}

export function closeNote() {
  const note = open();
  if (!note) return false;
  const hadFocus = note.contains(document.activeElement);
  note.open = false;
  if (hadFocus) note.querySelector("summary").focus();
  return true;
}

/** While the note was read, nothing was put in its place. */
function onToggle({ target }) {
  if (target.matches?.(".narrator") && !target.open) look();
}

export function listen() {
  document.addEventListener("visibilitychange", () => document.hidden || look());
  look();
  document.addEventListener("toggle", onToggle, { capture: true }); // it does not bubble
  document.addEventListener("click", (event) => {
    const note = open();
    if (note && !note.contains(event.target)) note.open = false;
  });
}
