// The turn that is being told, word by word. Text becomes text nodes and nothing else.

import { blockNode, blocksOf } from "./story_text.js";
import { keepEnd, toEnd } from "./scroll.js";

let current = null; // { id, text, drawn, frame }
let replacing = null; // the turn that this tab asked to be told again

const part = (name) => section().querySelector(`[data-stream-${name}]`);
const section = () => document.querySelector("[data-region='stream']");

export const currentRequest = () => current?.id ?? null;
export const streamedText = () => current?.text ?? "";

/** Which turn the next request tells again. The frames do not say; other tabs learn it from the page. */
export function willReplace(turn) {
  replacing = turn;
}

export function begin({ id, mode, text, partial = "" }) {
  const known = section().dataset.request === String(id) ? section().dataset.replaces : null;
  const isNew = current?.id !== id;
  current = { id, text: partial, drawn: 0, frame: 0 };
  section().hidden = false;
  section().dataset.streaming = "";
  section().dataset.request = id;
  part("mode").textContent = document.querySelector(`#composer [value="${mode}"] + span`)?.textContent ?? "";
  part("input").textContent = text;
  section().querySelector(".said").hidden = !text && mode !== "continue";
  part("reasoning").hidden = true;
  part("reasoning").querySelector("p").textContent = "";
  part("text").replaceChildren();
  note("");
  standIn(known || replacing);
  replacing = null;
  draw();
  if (isNew) toEnd();
}

/** Hide the turn that is told again, and all that follows it. */
export function standIn(turn) {
  if (turn) document.getElementById(`turn-${turn}`)?.classList.add("retold");
  if (turn) section().dataset.replaces = turn;
}

export function add(id, text) {
  if (current?.id !== id) return;
  current.text += text;
  current.frame ||= requestAnimationFrame(draw);
}

export function addReasoning(id, text) {
  if (current?.id !== id) return;
  part("reasoning").hidden = false;
  part("reasoning").querySelector("p").append(text);
}

export function settle(id) {
  if (current?.id === id) delete section().dataset.streaming;
}

/** It is over: its words stay on screen until the story, fetched anew, takes their place. */
export function end() {
  if (current) cancelAnimationFrame(current.frame);
  if (current) draw();
  delete section().dataset.streaming;
  current = null;
  replacing = null;
}

export function note(text) {
  part("note").textContent = text;
}

// Paragraphs that are complete are drawn once; only the last one is drawn again.
function draw() {
  current.frame = 0;
  const text = part("text");
  const blocks = blocksOf(current.text);
  while (text.children.length > current.drawn) text.lastElementChild.remove();
  for (const block of blocks.slice(current.drawn)) text.append(blockNode(block));
  current.drawn = blocks.length - 1;
  keepEnd();
}

export function streamedInput() {
  return section().hidden ? "" : part("input").textContent.trim();
}
