// Panels open beside the text without leaving the page; their addresses are the ones the links have.

import { refresh } from "./page.js";

let opener = null;

export async function open(url, { isNew = true } = {}) {
  if (isNew) history.pushState(null, "", url);
  // What is open now is left, typed text and all: the reader asked for it.
  for (const form of document.querySelectorAll("[data-region='panel'] form")) {
    form.reset();
    delete form.dataset.refused;
  }
  document.activeElement?.blur?.();
  await refresh();
  const panel = document.querySelector("[data-region='panel']");
  (panel.querySelector(".row-list input:not([type=hidden]), .confirm button") ?? panel.querySelector("h2"))?.focus();
}

export async function close() {
  history.pushState(null, "", location.pathname);
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
      open(link.href);
    } else {
      close();
    }
  });
  addEventListener("popstate", () => open(location.href, { isNew: false }));
}
