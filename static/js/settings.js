// The settings page: a button beside what was saved here, and the first field that is wrong comes into view.

for (const button of document.querySelectorAll("[data-give-back]")) {
  const field = document.getElementById(button.dataset.giveBack);
  button.hidden = false;
  button.addEventListener("click", () => {
    field.value = "";
    button.hidden = true;
    field.focus();
  });
  field.addEventListener("input", () => {
    button.hidden = field.value === "";
  });
}

document.querySelector("[aria-invalid]")?.focus();
