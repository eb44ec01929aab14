// The branch map by keyboard: arrow keys go along a line and between lines. One place of a map is in the tab
// order, so that a map of a thousand places is one step.

const MAP = "[data-map]";
const MOVES = {
  ArrowLeft: (node) => before(node),
  ArrowRight: (node) => along(node)[along(node).indexOf(node) + 1],
  ArrowUp: (node) => across(node, -1),
  ArrowDown: (node) => across(node, 1),
  Home: (node) => along(node)[0],
  End: (node) => along(node).at(-1),
};

const lineOf = (node) => node.dataset.at.split(".")[0];
const nodesOf = (node) => [...node.closest(MAP).querySelectorAll("[data-at]")];
const byPlace = (node, place) => node.closest(MAP).querySelector(`[data-at="${CSS.escape(place)}"]`);

function spot(node) {
  const use = node.querySelector("use");
  return { x: use.x.baseVal.value, y: use.y.baseVal.value };
}

// The places of a line follow one another in the document, from its beginning on.
const along = (node) => nodesOf(node).filter((other) => lineOf(other) === lineOf(node));

/** The place before it on its line; before the first one, the fork that the line comes from. */
function before(node) {
  const line = along(node);
  return line[line.indexOf(node) - 1] ?? (node.dataset.back ? byPlace(node, node.dataset.back) : undefined);
}

/** The nearest place in the next lane that has one, looking up (-1) or down (1). */
function across(node, way) {
  const from = spot(node);
  let best;
  let least = Infinity;
  for (const other of nodesOf(node)) {
    const to = spot(other);
    const lanes = (to.y - from.y) * way;
    if (lanes <= 0) continue;
    // A lane further away is worth more than any distance along it that is in sight.
    const distance = lanes * 8 + Math.abs(to.x - from.x);
    if (distance < least) [best, least] = [other, distance];
  }
  return best;
}

function rove(map, node) {
  for (const other of map.querySelectorAll("[data-at][tabindex='0']")) other.setAttribute("tabindex", "-1");
  node.setAttribute("tabindex", "0");
}

const atHead = (map) => map.querySelector("[data-at]:has([href='#map-head'])");

/** After a change of the page: one place of each map is in the tab order, and the head is in sight. */
export function settle() {
  for (const map of document.querySelectorAll(MAP)) {
    if (map.querySelector("[data-at][tabindex='0']")) continue;
    const start = map.querySelector("[aria-current]") ?? atHead(map) ?? map.querySelector("[data-at]");
    if (!start) continue;
    for (const node of map.querySelectorAll("[data-at]")) node.setAttribute("tabindex", "-1");
    rove(map, start);
    show(map, start);
  }
}

/** Scroll the map, and nothing else, so that a place is in its middle. */
export function show(map, node) {
  const [box, at] = [map.getBoundingClientRect(), node.getBoundingClientRect()];
  map.scrollLeft += at.x + at.width / 2 - box.x - box.width / 2;
  map.scrollTop += at.y + at.height / 2 - box.y - box.height / 2;
}

export const showHead = (map) => atHead(map) && show(map, atHead(map));

export function listen() {
  document.addEventListener("keydown", (event) => {
    const node = event.target.closest?.(`${MAP} [data-at]`);
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    if (!(event.key in MOVES)) return;
    event.preventDefault();
    const next = MOVES[event.key](node);
    if (!next) return;
    rove(node.closest(MAP), next);
    next.focus({ preventScroll: true });
    keepInSight(node.closest(MAP), next);
  });
  document.addEventListener("focusin", (event) => {
    const node = event.target.closest?.(`${MAP} [data-at]`);
    if (node) rove(node.closest(MAP), node);
  });
}

function keepInSight(map, node) {
  const [box, at] = [map.getBoundingClientRect(), node.getBoundingClientRect()];
  const isOut = at.left < box.left + 24 || at.right > box.right - 24 || at.top < box.top + 40 || at.bottom > box.bottom - 24;
  if (isOut) show(map, node);
}
