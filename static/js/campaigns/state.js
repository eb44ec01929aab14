// The State panel: where it was read stays in view when it comes anew, in each of its views; what was unfolded
// stays so; and comparing looks things up without leaving the page.

import { open } from "./panels.js";

const panel = () => document.querySelector("[data-region='panel']");
const view = () => panel().querySelector("[data-state]")?.dataset.state;
const scrolled = new Map();
const unfolded = new Set();

// A fold has no name of its own: it is the so-manieth of its view.
const folds = () => [...panel().querySelectorAll("[data-state] details")].map((fold, at) => [fold, `${view()} ${at}`]);

/** After the panel came anew. */
export function settle() {
  if (view() === undefined) return;
  for (const [fold, name] of folds()) if (unfolded.has(name)) fold.open = true;
  panel().scrollTop = scrolled.get(view()) ?? 0;
}

export function listen() {
  // A browser without a script needs the row's anchor; here the keyboard goes to the form.
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.("[data-state] a[data-open]");
    if (link?.hash) link.hash = "";
  }, { capture: true });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-state] a[href^='#']");
    if (!link) return;
    event.preventDefault(); // the address stays that of the panel
    document.getElementById(link.hash.slice(1)).focus();
  });
  document.addEventListener("scroll", ({ target }) => {
    if (target === panel() && view() !== undefined) scrolled.set(view(), target.scrollTop);
  }, { capture: true, passive: true });
  document.addEventListener("toggle", ({ target }) => {
    const [, name] = folds().find(([fold]) => fold === target) ?? [];
    if (name && target.open) unfolded.add(name);
    else unfolded.delete(name);
  }, { capture: true });
  document.addEventListener("submit", (event) => {
    if (!("look" in event.target.dataset)) return;
    event.preventDefault();
    const query = new URLSearchParams(new FormData(event.target));
    open(`${location.pathname}?${query}`);
  });
}
