// What is being written and the story does not have yet, kept in this browser.

const composerKey = `storyteller.draft.${document.getElementById("play").dataset.campaign}`;
// An editor's address names its turn, and for narration the take.
const editorKey = (form) => `storyteller.edit.${new URL(form.action).pathname}`;

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? null;
  } catch {
    return null;
  }
}

function write(key, draft) {
  try {
    if (draft) localStorage.setItem(key, JSON.stringify(draft));
    else localStorage.removeItem(key);
  } catch {
    // A browser that stores nothing still plays; only a reload forgets.
  }
}

/** { mode, text, isSent, head }: words that were sent are dropped only when they are seen in the story. */
export const readDraft = () => read(composerKey);
export const writeDraft = (draft) => write(composerKey, draft);

/** { mode, text } of an editor that was left half-written. */
export const readEdit = (form) => read(editorKey(form));
export const writeEdit = (form, draft) => write(editorKey(form), draft);
