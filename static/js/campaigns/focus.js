// Where the keyboard is must never be nowhere: what had the focus may go, be hidden or be disabled.

const finePointer = matchMedia("(hover: hover) and (pointer: fine)");
let last = null; // what the reader used last; null once they left it on purpose

const isThere = (element) =>
  element.isConnected && !element.disabled && element.getClientRects().length > 0;

/** Where a keyboard is at hand the reader writes at once; on a phone the screen keyboard would cover the story. */
export const isAtKeyboard = () => finePointer.matches;

/** The reader leaves what has the focus. */
export function leave() {
  document.activeElement?.blur?.();
  last = null;
}

/** After a change of the page: a focus that was lost goes on in the composer, or at the turn that changed. */
export function settle() {
  const now = document.activeElement;
  if (last === null || (now !== document.body && now !== null && isThere(now))) return;
  const turns = [...document.querySelectorAll("[data-region='turns'] > .turn")].filter(isThere);
  const tool = turns.at(-1)?.querySelector(".turn-tools > *");
  const next = isAtKeyboard() ? document.getElementById("words") : tool;
  next?.focus({ preventScroll: true });
}

export function listen() {
  document.addEventListener("focusin", (event) => {
    last = event.target;
  });
  document.addEventListener("pointerdown", (event) => {
    last = event.target.closest?.("a, button, input, textarea, label, summary, [tabindex='0']") ?? null;
  });
}
