// What one can do with the turns on the page: read another take, edit in place, load older ones.

import { markWriters } from "./busy.js";
import { forgetEdit, restoreEdit } from "./edit_draft.js";
import { fetchPage, isWrittenIn } from "./page.js";

const play = document.getElementById("play");
// Until then a click may be the first of two, and nothing moves.
const DOUBLE_CLICK = 600;

export function listen() {
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("[data-take], [data-in-place], [data-cancel], [data-older]");
    if (!link) return;
    event.preventDefault();
    if ("take" in link.dataset) showTake(link);
    else if ("inPlace" in link.dataset) edit(link);
    else if ("older" in link.dataset) showOlder(link);
    else cancelEdit({ isGivenUp: true });
  });
}

/** The turn of which the reader looks at another take than the story's. What is below it is hidden. */
export const viewedTurn = () => document.querySelector("[data-region='turns'] > .turn[data-viewing]:not(.retold)");

/** Step through the takes of the turn in focus, or of the last one on show. */
export function stepTake(direction) {
  const turns = document.querySelectorAll(".turn");
  const turn = document.activeElement?.closest(".turn") ?? viewedTurn() ?? turns[turns.length - 1];
  turn?.querySelector(`.pager [rel='${direction}']`)?.click();
}

async function showTake(link) {
  const turn = link.closest(".turn");
  if (isEditedIn(turn)) return;
  const fresh = (await fetchPage(link.href))?.querySelector(".turn");
  if (!fresh || !turn.isConnected || isEditedIn(turn)) return;
  markWriters(fresh);
  const top = topOfPager(turn);
  const height = turn.querySelector(".narration").offsetHeight;
  turn.replaceWith(document.adoptNode(fresh));
  (fresh.querySelector(`.pager [rel='${link.rel}']`) ?? fresh.querySelector(".pager a"))?.focus({ preventScroll: true });
  keepPager(fresh, { top, height });
  const bar = fresh.querySelector(".take-bar");
  if (bar) setTimeout(() => bar.scrollIntoView({ block: "nearest" }), DOUBLE_CLICK);
}

const topOfPager = (turn) => turn.querySelector(".pager").getBoundingClientRect().top;

/** Takes differ in length: the pager stays under the pointer, so that a second click is a second step. */
function keepPager(turn, { top, height }) {
  scrollBy({ top: topOfPager(turn) - top, behavior: "instant" });
  // Where the page is too short to scroll, a shorter take keeps the room of the longer one.
  if (topOfPager(turn) < top - 1) turn.querySelector(".narration").style.minHeight = `${height}px`;
}

/** Whether words were written over in a turn's edit. They get the focus: only the reader gives them up. */
function isEditedIn(root) {
  const form = root.querySelector("form[data-edit]");
  const isEdited = form !== null && isWrittenIn(form);
  if (isEdited) form.querySelector("textarea").focus();
  return isEdited;
}

async function edit(link) {
  if (isRefused(document)) return;
  cancelEdit();
  const turn = link.closest(".turn");
  const form = (await fetchPage(link.href))?.querySelector("form[data-edit]");
  if (!form) return;
  const isInput = "tells" in form.dataset;
  turn.dataset.editing = isInput ? "input" : "narration";
  turn.querySelector(isInput ? ".said" : ".narration").after(document.adoptNode(form));
  restoreEdit(form);
  form.querySelector("textarea").focus({ preventScroll: true });
  form.scrollIntoView({ block: "nearest" });
}

/** Whether an edit was refused: why that was stands nowhere but there. It gets the focus. */
function isRefused(root) {
  const form = root.querySelector(".turn form[data-edit][data-refused]");
  form?.querySelector("textarea").focus();
  return form !== null;
}

/** Close the editor. What was written in it waits for the next one, unless it is given up. */
export function cancelEdit({ isGivenUp = false } = {}) {
  const form = document.querySelector(".turn form[data-edit]");
  if (!form) return false;
  if (isGivenUp) forgetEdit(form);
  const turn = form.closest(".turn");
  form.remove();
  delete turn.dataset.editing;
  turn.querySelector("[data-in-place]").focus();
  return true;
}

async function showOlder(link) {
  const fresh = await fetchPage(`${play.dataset.story}?before=${link.dataset.older}`);
  if (!fresh) return;
  markWriters(fresh);
  const turns = document.querySelector("[data-region='turns']");
  const first = turns.firstElementChild;
  const top = first.getBoundingClientRect().top;
  turns.prepend(...fresh.querySelector("[data-region='turns']").children);
  turns.dataset.oldest = fresh.querySelector("[data-region='turns']").dataset.oldest;
  link.parentElement.replaceWith(fresh.querySelector("[data-region='older']"));
  scrollBy({ top: first.getBoundingClientRect().top - top, behavior: "instant" });
  first.querySelector(".turn-tools > *")?.focus({ preventScroll: true });
}
