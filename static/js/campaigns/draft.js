// What stands in the composer, kept in this browser until the story has it.

const key = `storyteller.draft.${document.getElementById("play").dataset.campaign}`;

/** { mode, text, isSent }: words that were sent are dropped only when they are seen in the story. */
export function readDraft() {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? null;
  } catch {
    return null;
  }
}

export function writeDraft(draft) {
  try {
    if (draft) localStorage.setItem(key, JSON.stringify(draft));
    else localStorage.removeItem(key);
  } catch {
    // A browser that stores nothing still plays; only a reload forgets.
  }
}
