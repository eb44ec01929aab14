// What the narrator is told, written over in place. Half-written words outlive the panel: they are kept until
// they are saved, or given up with Cancel.

import { refresh } from "./page.js";

const KEY = `storyteller.told.${document.getElementById("play").dataset.campaign}`;
const panel = () => document.querySelector("[data-region='panel']");
const drafts = new Map(Object.entries(read()));

let scrolled = 0;
let saving = null; // the section whose words are on their way: the keyboard stays there

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

function store() {
  try {
    if (drafts.size) localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(drafts)));
    else localStorage.removeItem(KEY);
  } catch {
    // A browser that stores nothing keeps them for as long as the page is open.
  }
}

const fields = (form) => [...form.elements].filter((field) => field.matches("input:not([type=hidden]), textarea"));
const words = (form) => Object.fromEntries(fields(form).map((field) => [field.name, field.value]));
// The game spells some of what it stores its own way.
const plain = (text) =>
  text.replace(/\p{Cc}+/gu, " ").replace(/\s*(->|=>|→)\s*/g, "->").replace(/\s+/g, " ").trim().toLowerCase();
const exact = (text) => text;
const isStored = (form, values) => {
  const as = saving === form.dataset.told ? plain : exact;
  return fields(form).every((field) => as(field.defaultValue) === as(values[field.name] ?? ""));
};

function keep(form) {
  // What was refused came back as the form's own words, and is stored nowhere.
  const isChanged = "refused" in form.dataset || fields(form).some((field) => field.value !== field.defaultValue);
  for (const field of fields(form)) mark(field, field.value !== field.defaultValue);
  const isFirst = isChanged && !form.hasAttribute("data-changed");
  form.toggleAttribute("data-changed", isChanged);
  if (isFirst && form.offsetHeight < panel().clientHeight) form.querySelector(".told-save").scrollIntoView({ block: "nearest" });
  const { told } = form.dataset;
  if (isChanged) drafts.set(told, { words: words(form), base: form.elements.base.value });
  else drafts.delete(told);
  store();
}

/** What is shown as text shows as a field once it says something else. */
const mark = (field, isChanged) => field.closest(".told-field").toggleAttribute("data-changed", isChanged);

function giveUp(form) {
  drafts.delete(form.dataset.told);
  store();
  const wasRefused = "refused" in form.dataset;
  form.removeAttribute("data-refused");
  for (const wrong of form.querySelectorAll(".wrong, .overtaken")) wrong.remove();
  form.reset();
  for (const field of fields(form)) mark(field, false);
  form.removeAttribute("data-changed");
  document.getElementById(`told-${form.dataset.told}`).focus();
  if (wasRefused) refresh(); // its own words are those that were refused
}

/** After the panel came anew: what is half-written goes back into it, on top of what it was written over. */
export function settle() {
  for (const form of panel().querySelectorAll("[data-told]")) {
    const draft = drafts.get(form.dataset.told);
    if (!draft) continue;
    if (!("refused" in form.dataset) && isStored(form, draft.words)) drafts.delete(form.dataset.told);
    else putBack(form, draft);
  }
  store();
  showTitle();
  if (saving !== null && !drafts.has(saving)) {
    document.getElementById(`told-${saving}`)?.focus({ preventScroll: true });
    saving = null;
  }
  if (panel().querySelector("[data-told]")) panel().scrollTop = scrolled;
}

/** The head of the page is no part that is fetched. */
function showTitle() {
  const form = panel().querySelector("[data-told='title']:not([data-refused])");
  if (form) document.querySelector(".head h1").textContent = form.elements.title.defaultValue;
}

function putBack(form, draft) {
  for (const field of fields(form)) {
    if (field.name in draft.words && field.value !== draft.words[field.name]) field.value = draft.words[field.name];
    mark(field, field.value !== field.defaultValue);
  }
  if (!("refused" in form.dataset)) form.elements.base.value = draft.base;
  form.setAttribute("data-changed", "");
}

export function listen() {
  document.addEventListener("input", ({ target }) => {
    const form = target.form;
    if (form && "told" in form.dataset) keep(form);
  });
  document.addEventListener("submit", ({ target }) => {
    saving = target.dataset.told ?? null;
  }, { capture: true });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-give-up]");
    if (!link) return;
    event.preventDefault();
    giveUp(link.closest("form"));
  });
  document.addEventListener("scroll", ({ target }) => {
    if (target === panel()) scrolled = target.scrollTop;
  }, { capture: true, passive: true });
  for (const form of panel().querySelectorAll("[data-told]")) {
    if (fields(form).some((field) => field.value !== field.defaultValue)) keep(form); // written before this ran
  }
  settle();
}
