// The page of the branch map: what is offered at a place is put beside the map without leaving it.

import * as treeMap from "./tree_map.js";

const SIZES = { least: 0.3, most: 2.5 };
const tree = document.querySelector("[data-tree]");
const map = tree.querySelector("[data-map]");
let latest = 0;

const nodeAt = (place) => map.querySelector(`[data-at="${CSS.escape(place)}"]`);

/** Show what is offered at a place; ``ask`` opens the branch's rename or delete. */
async function choose(place, { ask = "", isToggled = true } = {}) {
  const number = ++latest;
  const address = place ? `?at=${place}${ask ? `&${ask}` : ""}` : location.pathname;
  const answer = await fetch(`${place ? `${address}&` : "?"}part=offer`).catch(() => null);
  if (number !== latest) return;
  if (!answer?.ok || answer.redirected) {
    location.assign(address); // signed out, or out of reach: the browser tells it
    return;
  }
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-offer]");
  if (number !== latest) return;
  tree.querySelector("[data-offer]").replaceWith(document.adoptNode(fresh));
  tree.classList.toggle("chosen", Boolean(place));
  history.replaceState(null, "", address);
  for (const node of map.querySelectorAll("[aria-current]")) node.removeAttribute("aria-current");
  if (!place) return;
  nodeAt(fresh.dataset.at ?? place)?.setAttribute("aria-current", "true");
  if (isToggled) (fresh.querySelector(".asked input:not([type=hidden]), .asked button") ?? fresh.querySelector("h2"))?.focus();
}

function close() {
  const place = tree.querySelector("[data-offer]").dataset.at;
  choose("");
  const node = place && nodeAt(place);
  if (node) node.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const link = event.target.closest("[data-map] [data-at], [data-choose], [data-unchoose]");
  if (!link) return;
  event.preventDefault();
  if ("unchoose" in link.dataset) close();
  else {
    const place = link.dataset.at ?? link.dataset.choose;
    const node = nodeAt(place);
    if (node && !link.closest("[data-map]")) treeMap.show(map, node);
    if (link.closest(".outline")) tree.scrollIntoView({ block: "start" });
    choose(place, { ask: link.dataset.ask });
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && tree.classList.contains("chosen")) close();
});

// --- size ---

let size = 1;
function zoom(by) {
  const box = map.getBoundingClientRect();
  const middle = [(map.scrollLeft + box.width / 2) / size, (map.scrollTop + box.height / 2) / size];
  size = Math.min(SIZES.most, Math.max(SIZES.least, size * by));
  for (const svg of map.querySelectorAll("svg")) {
    svg.setAttribute("width", Math.round(svg.dataset.zoomWidth * size));
    if (svg.dataset.zoomHeight) svg.setAttribute("height", Math.round(svg.dataset.zoomHeight * size));
  }
  map.classList.toggle("far", size < 0.6); // names that small are no help
  spaceNumbers();
  map.scrollLeft = middle[0] * size - box.width / 2;
  map.scrollTop = middle[1] * size - box.height / 2;
}

/** The numbers keep their size; where they come too near to one another some are left out. */
function spaceNumbers() {
  const axis = map.querySelector(".axis");
  let free = 0;
  for (const number of axis.children) {
    number.dataset.x ??= number.getAttribute("x");
    const x = number.dataset.x * size;
    number.setAttribute("x", x);
    number.toggleAttribute("hidden", x < free);
    if (x >= free) free = x + 34;
  }
}

document.querySelector("[data-zoom]").hidden = false;
document.querySelector("[data-zoom]").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.zoomBy) zoom(Number(button.dataset.zoomBy));
  else if (button) treeMap.showHead(map);
});

// --- finding in the outline ---

const filter = document.querySelector("[data-filter]");
const found = document.querySelector("[data-found]");
filter.hidden = false;
filter.querySelector("input").addEventListener("input", (event) => {
  const words = event.target.value.trim().toLowerCase();
  let count = 0;
  for (const row of document.querySelectorAll(".outline li")) {
    const isShown = row.textContent.toLowerCase().includes(words);
    row.hidden = !isShown;
    count += isShown;
  }
  for (const part of document.querySelectorAll(".outline .deep")) part.open = words !== "";
  found.textContent = words ? `${count} of ${document.querySelectorAll(".outline li").length} branches` : "";
});

treeMap.listen();
treeMap.settle();
document.getElementById("tidy-title")?.focus();
