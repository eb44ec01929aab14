// What the narrator's pill says lies over the story: it closes like everything that does.

const open = () => document.querySelector(".narrator[open]");

export function closeNote() {
  const note = open();
  if (!note) return false;
  const hadFocus = note.contains(document.activeElement);
  note.open = false;
  if (hadFocus) note.querySelector("summary").focus();
  return true;
}

export function listen() {
  document.addEventListener("click", (event) => {
    const note = open();
    if (note && !note.contains(event.target)) note.open = false;
  });
}
