// Every button is a form's, and works without a script. With one, the answer is put in place instead.

import { isBusy } from "./busy.js";
import { fetchPage, swap, tell } from "./page.js";
import { willReplace } from "./stream.js";

export function listenToForms({ retry, stop }) {
  document.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (form.id !== "act" && !("live" in form.dataset)) return;
    event.preventDefault();
    if (submitter?.dataset.stop) {
      stop(submitter) || post(form, submitter);
    } else if (!isBusy()) {
      const turn = submitter?.dataset.retry;
      if (turn) willReplace(turn);
      (turn && retry(turn)) || post(form, submitter);
    }
  });
}

async function post(form, submitter) {
  if (form.dataset.tells) willReplace(form.dataset.tells);
  const article = form.closest("[data-editing]");
  const address = submitter?.hasAttribute("formaction") ? submitter.formAction : form.action;
  const fresh = await fetchPage(address, {
    method: "POST",
    body: new URLSearchParams(new FormData(form, submitter)),
  });
  if (!fresh) {
    tell("The game could not be reached. Nothing was changed; try again in a moment.");
    return;
  }
  const again = fresh.querySelector("form[data-edit]");
  if (article && again) {
    form.replaceWith(document.adoptNode(again));
    return;
  }
  if (!fresh.querySelector("[data-region='turns']")) {
    tell(fresh.querySelector("h1")?.textContent ?? "That did not work.");
    return;
  }
  if (article) delete article.dataset.editing;
  const url = new URL(location.href);
  for (const name of ["rename", "delete"]) url.searchParams.delete(name);
  history.replaceState(null, "", url);
  swap(fresh, { isOwn: true });
}
