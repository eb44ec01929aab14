// Panels open beside the text without leaving the page; their addresses are the ones the links have.

import { leave } from "./focus.js";
import { refresh } from "./page.js";

// What a panel was opened for: the row's form or confirmation, else the form at its head, else to be read.
const WANTED = [".row-list input:not([type=hidden]), .confirm button", "#new-name", "[data-landing]", "h2"];
let opener = null;

export async function open(url, { isNew = true } = {}) {
  if (isNew) history.pushState(null, "", url);
  leaveForms();
  await refresh();
  const panel = document.querySelector("[data-region='panel']");
  WANTED.map((selector) => panel.querySelector(selector)).find(Boolean)?.focus();
}

/** What is open now is left, typed text and all: the reader asked for it. */
function leaveForms() {
  for (const form of document.querySelectorAll("[data-region='panel'] form")) {
    form.reset();
    delete form.dataset.refused;
  }
  leave();
}

export async function close() {
  history.pushState(null, "", location.pathname);
  leaveForms();
  await refresh();
  const link = document.querySelector(`.rail [data-open='${opener}']`);
  (link ?? document.getElementById("words")).focus();
}

export const isOpen = () => new URLSearchParams(location.search).has("panel");

export function listen() {
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("[data-open], [data-close]");
    if (!link) return;
    event.preventDefault();
    const isAgain = link.closest(".rail") && link.getAttribute("aria-current") === "true";
    if (link.dataset.open && !isAgain) {
      opener = link.dataset.open;
      open(link.href.baseVal ?? link.href); // a place on the map is a link of SVG
    } else {
      close();
    }
  });
  addEventListener("popstate", () => open(location.href, { isNew: false }));
}
