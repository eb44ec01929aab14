// A new campaign: what is typed survives a reload, and an opening is narrated without leaving the page.

const KEY = "storyteller.new-campaign";
const form = document.querySelector("[data-new-campaign]");
const note = document.querySelector("[data-draft-note]");

// --- the draft ------------------------------------------------------------------------------------------------

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? null;
  } catch {
    return null;
  }
}

function write(draft) {
  try {
    if (draft) localStorage.setItem(KEY, JSON.stringify(draft));
    else localStorage.removeItem(KEY);
  } catch {
    // A browser that stores nothing still makes campaigns; only a reload forgets.
  }
}

const isTyped = (field) => field.matches("input:not([type=hidden]), textarea, [name=earlier_opening]");
const typed = () => Object.fromEntries([...form.elements].filter(isTyped).map((field) => [field.name, field.value]));

function keep() {
  form.elements.draft.value ||= newDraftId();
  write({ id: form.elements.draft.value, words: typed() });
}

const newDraftId = () => [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The game names the draft that became a campaign. */
const isMade = (draft) => document.cookie.split("; ").includes(`made_draft=${draft.id}`);

function restore() {
  const draft = read();
  if ([...form.elements].some((field) => isTyped(field) && field.value !== field.defaultValue)) keep(); // before this ran
  else if (draft && isMade(draft)) write(null);
  else if (draft && !isAnswer()) fill(draft);
}

/** Whether the page came filled, as the answer to what was posted: that is newer than the draft. */
const isAnswer = () => form.elements.draft.value !== "";

function fill({ id, words }) {
  for (const [name, value] of Object.entries(words)) {
    if (form.elements[name]) form.elements[name].value = value;
  }
  form.elements.draft.value = id;
  note.hidden = false;
}

function beginAfresh() {
  write(null);
  form.reset();
  form.elements.draft.value = "";
  note.hidden = true;
  form.elements.title.focus();
}

// --- an opening, narrated ------------------------------------------------------------------------------------

const part = (name, root = document) => root.querySelector(`[data-${name}]`);
let telling = null;

async function narrate(button) {
  telling = new AbortController();
  const fields = new FormData(form, button);
  setWaiting(true);
  const fresh = await ask(button.formAction, fields, telling.signal);
  const isCancelled = telling.signal.aborted;
  telling = null;
  setWaiting(false);
  if (isCancelled) say("Stopped. Nothing was changed.");
  else if (fresh && part("opening", fresh)) putIn(fresh, fields);
  else say("The game could not be reached. Nothing is lost; try again in a moment.");
  if (isCancelled || !fresh) part("narrate").focus();
}

async function ask(address, fields, signal) {
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams(fields), signal }).catch(() => null);
  const text = await answer?.text().catch(() => null);
  return text ? new DOMParser().parseFromString(text, "text/html") : null;
}

/** The answer's opening, and whatever it found wrong elsewhere. What was typed while it was told stays. */
function putIn(fresh, sent) {
  const [now, next] = [part("opening"), part("opening", fresh)];
  const written = form.elements.opening.value;
  const answered = next.querySelector("textarea");
  const isRefused = fresh.querySelector("[data-new-campaign][data-refused]") !== null;
  if (isRefused) answered.value = written;
  else if (plain(written) !== plain(sent.get("opening"))) next.querySelector("[name=earlier_opening]").value = written;
  now.replaceWith(document.adoptNode(next));
  const wrong = form.querySelector("[data-opening] .wrong");
  const elsewhere = isRefused && !wrong && fresh.querySelector(".wrong");
  if (elsewhere) say(elsewhere.textContent);
  else if (!isRefused) say("Here it is. Write it over as you like.");
  answered.focus({ preventScroll: true });
  answered.closest(".field").scrollIntoView({ block: "nearest" });
  keep();
}

const plain = (text) => (text ?? "").replace(/\r\n/g, "\n").trim();

function setWaiting(isWaiting) {
  part("opening").toggleAttribute("data-waiting", isWaiting);
  for (const button of form.querySelectorAll("button:not([type=button])")) button.disabled = isWaiting;
  part("cancel-narrating").hidden = !isWaiting;
  if (isWaiting) {
    say("The narrator is writing the first page…");
    part("cancel-narrating").focus();
  }
}

const say = (text) => {
  part("narrating").textContent = text;
};

/** Two openings change places. */
function putBack() {
  const { opening, earlier_opening: earlier } = form.elements;
  [opening.value, earlier.value] = [earlier.value, opening.value];
  opening.focus();
  keep();
}

// --- what one does -------------------------------------------------------------------------------------------

form.addEventListener("input", keep);
form.addEventListener("click", (event) => {
  if (event.target.closest("[data-cancel-narrating]")) telling?.abort();
});
form.addEventListener("submit", (event) => {
  const { submitter } = event;
  if (telling) event.preventDefault();
  else if (submitter && "narrate" in submitter.dataset) {
    event.preventDefault();
    narrate(submitter);
  } else if (submitter && "putBack" in submitter.dataset) {
    event.preventDefault();
    putBack();
  }
});
note.querySelector("[data-afresh]").addEventListener("click", beginAfresh);
restore();
