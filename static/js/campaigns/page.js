// The parts of the page that change, fetched from the server and put in place with as little disturbance as
// can be: what is equal stays, what is being written in stays, the reader stays where they are.

import { markWriters } from "./busy.js";
import { keepEnd } from "./scroll.js";
import * as stream from "./stream.js";

const play = document.getElementById("play");
const listeners = [];
let running = null;
let isDue = false;

const region = (root, name) => root.querySelector(`[data-region='${name}']`);

/** Where the story is read: branch, depth and turn. */
export const headKey = (root = document) => region(root, "place")?.dataset.head;

export const onSwap = (listener) => listeners.push(listener);

/** The story as it is now. Calls while one is under way are answered by one more. */
export function refresh() {
  if (running) {
    isDue = true;
    return running.then(() => running); // by then that is the one more
  }
  running = fetchStory().finally(() => {
    running = null;
    if (isDue) {
      isDue = false;
      refresh();
    }
  });
  return running;
}

async function fetchStory() {
  const asked = location.href;
  const query = new URLSearchParams(location.search);
  query.set("from", region(document, "turns").dataset.oldest);
  const fresh = await fetchPage(`${play.dataset.story}?${query}`);
  if (fresh) swap(fresh, { isPanelOld: location.href !== asked });
}

export async function fetchPage(url, options) {
  const answer = await fetch(url, options).catch(() => null);
  if (answer === null) return null;
  if (answer.redirected && new URL(answer.url).pathname.startsWith("/sign-in/")) {
    location.assign(answer.url);
    return null;
  }
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/**
 * Put a page that was fetched in place. `isOwn`: it answers what the reader did here. `isPanelOld`: they have
 * opened another panel since it was asked for, which its panel must not take the place of.
 */
export function swap(fresh, { isOwn = false, isPanelOld = false } = {}) {
  markWriters(fresh);
  const isMoved = headKey(fresh) !== headKey(document);
  if (isAnotherNarrator(fresh)) replace(fresh, "narrator");
  for (const name of ["place", "moves", "recovery", "older"]) replace(fresh, name);
  if (region(fresh, "messages")?.children.length || isOwn) replace(fresh, "messages");
  swapTurns(fresh, { isMoved });
  swapStream(fresh);
  if (!isPanelOld && (isOwn || !isInUse(region(document, "panel")))) replace(fresh, "panel");
  markPanel();
  for (const listener of listeners) listener();
  keepEnd();
}

/** What a chip says beyond who narrates and how, its own script knows better; and one that is used holds still. */
function isAnotherNarrator(fresh) {
  const [now, next] = [region(document, "narrator"), region(fresh, "narrator")];
  if (!next || now.querySelector("details").open || now.contains(document.activeElement)) return false;
  const shown = (root) => [root.querySelector("details").dataset.state, root.querySelector(".label").textContent];
  return String(shown(now)) !== String(shown(next));
}

function replace(fresh, name) {
  const [now, next] = [region(document, name), region(fresh, name)];
  if (!now || !next || now.isEqualNode(next)) return;
  const focus = now.contains(document.activeElement) && document.activeElement;
  now.replaceWith(document.adoptNode(next));
  if (focus) (next.querySelector(sameAs(focus)) ?? next.querySelector("h2"))?.focus();
}

const sameAs = (element) =>
  ["data-key", "formaction", "href", "id"]
    .filter((name) => element.hasAttribute(name))
    .map((name) => `[${name}="${CSS.escape(element.getAttribute(name))}"]`)[0] ?? ":not(*)";

function swapTurns(fresh, { isMoved }) {
  const [now, next] = [region(document, "turns"), region(fresh, "turns")];
  if (!next) return;
  now.dataset.oldest = next.dataset.oldest;
  const wanted = new Set([...next.children].map((turn) => turn.id));
  for (const turn of [...now.children]) {
    if (!wanted.has(turn.id) && !("editing" in turn.dataset)) turn.remove();
  }
  let place = now.firstElementChild;
  for (const turn of [...next.children]) {
    const old = now.querySelector(`#${turn.id}`);
    old?.classList.remove("retold");
    const isSame = old && (old.isEqualNode(turn) || "editing" in old.dataset || (!isMoved && isViewOf(old, turn)));
    if (isSame && old === place) {
      place = place.nextElementSibling;
    } else if (isSame) {
      now.insertBefore(old, place);
    } else {
      const hadFocus = old?.contains(document.activeElement);
      if (old === place) place = place?.nextElementSibling ?? null;
      old?.remove();
      now.insertBefore(document.adoptNode(turn), place);
      if (hadFocus) turn.querySelector(".turn-tools > *")?.focus();
    }
  }
}

/** Whether the reader looks at another take of a turn whose takes are as they were. */
const isViewOf = (shown, turn) =>
  "viewing" in shown.dataset &&
  ["liveTake", "takes"].every((name) => shown.dataset[name] === turn.dataset[name]);

function swapStream(fresh) {
  const next = region(fresh, "stream");
  if (!next) return;
  if (stream.currentRequest() === null) replace(fresh, "stream");
  else if (next.dataset.request === String(stream.currentRequest())) stream.standIn(next.dataset.replaces);
}

export function isWrittenIn(root) {
  // What was refused is nowhere but here.
  if (root.matches("[data-refused]") || root.querySelector("[data-refused]")) return true;
  return [...root.querySelectorAll("input:not([type=hidden]), textarea, select")].some(isChanged);
}

function isChanged(field) {
  if (field.matches("select")) {
    const preset = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(preset, 0);
  }
  if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

const isInUse = (root) => isWrittenIn(root) || root.querySelector("input:focus, textarea:focus, select:focus") !== null;

function markPanel() {
  const name = new URLSearchParams(location.search).get("panel") ?? "";
  if (name) play.dataset.panel = name;
  else delete play.dataset.panel;
  play.querySelector("[data-panel-field]").value = name;
  for (const link of play.querySelectorAll(".rail [data-open]")) {
    if (link.dataset.open === name) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** What was told is settled by what comes next. */
export const untell = () => region(document, "messages").replaceChildren();

export function tell(text, kind = "error") {
  const line = document.createElement("p");
  line.className = `message ${kind}`;
  line.textContent = text;
  region(document, "messages").replaceChildren(line);
}

markPanel();
