// While a turn is told, nothing else may write: what writes says so with data-write.

const play = document.getElementById("play");

export const isBusy = () => "busy" in play.dataset;

export function setBusy(busy) {
  if (busy) play.dataset.busy = "";
  else delete play.dataset.busy;
  markWriters(document);
}

export function markWriters(root) {
  for (const writer of root.querySelectorAll("[data-write]")) {
    if (writer.tagName === "A") {
      if (isBusy()) writer.setAttribute("aria-disabled", "true");
      else writer.removeAttribute("aria-disabled");
    } else {
      writer.disabled = isBusy() || "unavailable" in writer.dataset;
    }
  }
}

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[aria-disabled='true']")) event.preventDefault();
}, { capture: true });
