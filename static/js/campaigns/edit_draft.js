// A half-written edit outlives its editor: until it is accepted, or given up with Cancel.

import { readEdit, writeEdit } from "./draft.js";

const isChanged = ({ text, mode }) =>
  text.value !== text.defaultValue || [...(mode ?? [])].some((choice) => choice.checked !== choice.defaultChecked);

export function restoreEdit(form) {
  const draft = readEdit(form);
  if (!draft) return;
  form.elements.text.value = draft.text;
  if (form.elements.mode && draft.mode) form.elements.mode.value = draft.mode;
}

/** What it held is in the story, or not wanted. */
export const forgetEdit = (form) => writeEdit(form, null);

export function listen() {
  document.addEventListener("input", ({ target }) => {
    const form = target.form?.closest("[data-edit]");
    if (!form) return;
    const { text, mode } = form.elements;
    writeEdit(form, isChanged(form.elements) ? { text: text.value, mode: mode?.value } : null);
  });
}
