// What was done and can be undone is said for a while at the edge of the page. It waits for whoever reads it,
// goes when it is dismissed, and F8 leads to it. Errors stay in the bar: they wait for an answer.

const SECONDS = 8;
const place = document.querySelector("[data-toasts]");
const list = place?.querySelector("[data-toast-list]");
const PASSING = "[data-region='messages'] > .message:not(.error, .warning)";

let left = 0; // milliseconds until all that is shown goes
let since = null;
let timer = null;
let origin = null; // where the keyboard was before F8

/** Take what the bar was given, and show it here instead. */
export function raise() {
  const messages = [...document.querySelectorAll(PASSING)];
  if (!place || !messages.length) return;
  list.replaceChildren(...messages.map(asToast));
  place.hidden = false;
  left = SECONDS * 1000;
  run();
}

/** What comes next has overtaken it. */
export function dismiss() {
  if (!place || place.hidden) return;
  pause();
  const hadFocus = place.contains(document.activeElement);
  list.replaceChildren();
  place.hidden = true;
  if (hadFocus) origin?.focus?.();
}

function asToast(message) {
  const close = place.querySelector("template").content.cloneNode(true).firstElementChild;
  close.addEventListener("click", dismiss);
  message.classList.add("toast");
  message.append(close);
  return message;
}

function run() {
  pause();
  if (isHeld()) return;
  since = performance.now();
  timer = setTimeout(dismiss, left);
}

function pause() {
  clearTimeout(timer);
  if (since !== null) left = Math.max(1000, left - (performance.now() - since));
  since = null;
}

const isHeld = () => place.matches(":hover, :focus-within") || document.hidden;

/** The Undo leads back to the panel that is open by now. */
function keepPanel(form) {
  if (!document.getElementById("play") || form.elements.back) return;
  let field = form.elements.panel;
  if (!field) {
    field = document.createElement("input");
    field.type = "hidden";
    field.name = "panel";
    form.append(field);
  }
  field.value = new URLSearchParams(location.search).get("panel") ?? "";
}

function listen() {
  for (const name of ["pointerenter", "focusin"]) place.addEventListener(name, pause);
  for (const name of ["pointerleave", "focusout"]) place.addEventListener(name, () => setTimeout(() => place.hidden || run()));
  document.addEventListener("visibilitychange", () => place.hidden || run());
  place.addEventListener("submit", ({ target }) => {
    keepPanel(target);
    setTimeout(dismiss); // once the page's script has read the form
  });
  document.addEventListener("keydown", (event) => {
    if (place.hidden) return;
    if (event.key === "F8") {
      event.preventDefault();
      if (!place.contains(document.activeElement)) origin = document.activeElement;
      list.querySelector("button:not(:disabled)")?.focus();
    } else if (event.key === "Escape" && place.contains(document.activeElement)) {
      event.stopPropagation();
      dismiss();
    }
  }, { capture: true });
}

if (place) {
  listen();
  raise();
}
