/* Light, dark and sepia. It runs before the page is drawn, so that no page flashes in the wrong one. */
(() => {
  "use strict";
  const key = "storyteller.appearance";
  const themes = ["", "light", "sepia", "dark"];
  const names = { "": "as the system", light: "light", sepia: "sepia", dark: "dark" };

  const apply = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    for (const button of document.querySelectorAll("[data-appearance]")) {
      button.hidden = false;
      button.title = `Appearance: ${names[theme]}`;
    }
    for (const choice of document.querySelectorAll("[data-appearance-choice]")) {
      choice.hidden = false;
      choice.querySelector(`[value="${theme}"]`).checked = true;
    }
  };
  const stored = () => (themes.includes(localStorage.getItem(key)) ? localStorage.getItem(key) : "");

  apply(stored());
  document.addEventListener("DOMContentLoaded", () => apply(stored()));
  const keep = (theme) => {
    localStorage.setItem(key, theme);
    apply(theme);
  };
  document.addEventListener("change", (event) => {
    if (event.target.closest("[data-appearance-choice]")) keep(event.target.value);
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-appearance]")) return;
    keep(themes[(themes.indexOf(stored()) + 1) % themes.length]);
  });
})();
