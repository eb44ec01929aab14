// The shelf is filtered and sorted as one types. The addresses are those that the form has without a script.

const filter = document.querySelector("[data-shelf-filter]");
const PAUSE = 120;
let timer = null;
let asked = 0;

async function fetchShelf(url) {
  const answer = await fetch(url).catch(() => null);
  if (!answer?.ok || answer.redirected) return null;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

function addressOf(form) {
  const query = new URLSearchParams(new FormData(form));
  if (!query.get("q").trim()) query.delete("q");
  if (query.get("sort") === form.elements.sort.options[0].value) query.delete("sort");
  const text = query.toString();
  return form.action + (text ? `?${text}` : "");
}

async function show() {
  const url = addressOf(filter);
  const mine = ++asked;
  const fresh = await fetchShelf(url);
  if (mine !== asked) return; // what was asked later answers instead
  if (!fresh?.querySelector("[data-shelf]")) {
    location.assign(url);
    return;
  }
  const [now, next] = [document, fresh].map((root) => root.querySelector("[data-shelf]"));
  if (!now.isEqualNode(next)) now.replaceWith(document.adoptNode(next));
  const found = document.querySelector("[data-found]"); // it stays, so that what it says is announced
  found.textContent = fresh.querySelector("[data-found]").textContent;
  history.replaceState(null, "", url);
}

async function showMore(link) {
  const fresh = await fetchShelf(link.href);
  const books = fresh?.querySelector("[data-books]");
  if (!books) {
    location.assign(link.href);
    return;
  }
  const first = document.adoptNode(books.firstElementChild);
  document.querySelector("[data-books]").append(first, ...books.children);
  const next = fresh.querySelector("[data-more]");
  if (next) link.replaceWith(document.adoptNode(next));
  else link.parentElement.remove();
  first.querySelector("a").focus();
}

if (filter) {
  filter.querySelector("[data-unscripted]").hidden = true;
  filter.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, PAUSE);
  });
  filter.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    show();
  });
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest("[data-more]");
  if (!link) return;
  event.preventDefault();
  showMore(link);
});
