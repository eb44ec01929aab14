// Every button is a form's, and works without a script. With one, the answer is put in place instead.

import { isBusy, markWriters } from "./busy.js";
import { forgetEdit } from "./edit_draft.js";
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

/**
 * Post a form's fields and put the page that answers in place.
 * True where what was asked was done, false where it was refused, null where nobody answered.
 */
export async function postFields(address, fields, form = null) {
  const asked = location.href;
  const fresh = await fetchPage(address, { method: "POST", body: new URLSearchParams(fields) });
  if (!fresh) {
    tell("The game could not be reached. Nothing is lost; try again in a moment.");
    return null;
  }
  const refused = fresh.querySelector("form[data-refused]");
  if (refused) {
    willReplace(null);
    putBack(form, refused);
    return false;
  }
  if (!fresh.querySelector("[data-region='turns']")) {
    tell(fresh.querySelector("h1")?.textContent ?? "That did not work.");
    return false;
  }
  const article = form?.closest("[data-editing]");
  if (article) delete article.dataset.editing;
  const isPanelOld = location.href !== asked;
  if (!isPanelOld) leaveRow();
  const isRefused = fresh.querySelector("[data-region='messages'] .error") !== null;
  if (form && "edit" in form.dataset && !isRefused) forgetEdit(form);
  swap(fresh, { isOwn: true, isPanelOld });
  return !isRefused;
}

/** The form of a row in a panel is done with. */
function leaveRow() {
  const url = new URL(location.href);
  for (const name of ["rename", "delete", "correct"]) url.searchParams.delete(name);
  history.replaceState(null, "", url);
}

/** The form as the server gives it back: with what was typed, and why that was refused. */
function putBack(form, refused) {
  const reason = refused.querySelector(".wrong")?.textContent;
  if (!form?.isConnected) {
    tell(reason);
    return;
  }
  // What was typed in the meantime is newer than what was sent.
  for (const field of refused.querySelectorAll("textarea, input:not([type=hidden], [type=radio], [type=checkbox])")) {
    field.value = form.elements[field.name]?.value ?? field.value;
  }
  markWriters(refused);
  form.replaceWith(document.adoptNode(refused));
  refused.querySelector("textarea, input:not([type=hidden])").focus({ preventScroll: true });
  refused.querySelector(".wrong")?.scrollIntoView({ block: "nearest" });
}

function post(form, submitter) {
  if (form.dataset.tells) willReplace(form.dataset.tells);
  const address = submitter?.hasAttribute("formaction") ? submitter.formAction : form.action;
  return postFields(address, new FormData(form, submitter), form);
}
