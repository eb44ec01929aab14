// The check page, line by line as each is found. Without this script the button answers with the whole page.

const form = document.getElementById("check");
const [start, stop] = [form.querySelector("button:not([type])"), form.querySelector("[data-stop]")];
const list = document.querySelector("[data-lines]");
const summary = document.querySelector("[data-summary]");
const template = document.getElementById("check-line");

const BROKEN = "The check broke off. Try again; if it happens again, the game’s own log says why.";

let running = null;
let clock = null;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!running) run();
});
stop.addEventListener("click", () => running?.abort());
// A page that is kept for the way back keeps no check running.
window.addEventListener("pagehide", () => running?.abort());

async function run() {
  running = new AbortController();
  setRunning(true);
  say("");
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
      headers: { Accept: "text/event-stream" },
      signal: running.signal,
    });
    if (answer.redirected) {
      location.assign(answer.url); // to sign in
      return;
    }
    if (!answer.ok) throw new Error(answer.statusText);
    let isComplete = false;
    for await (const [name, data] of events(answer.body)) {
      if (name === "plan") plan(data.lines);
      if (name === "line") show(data);
      if (name === "end") {
        say(data.summary, data.status);
        isComplete = true;
      }
    }
    if (!isComplete) throw new Error("no end");
  } catch {
    say(running.signal.aborted ? "Stopped. What was found until then stands below." : BROKEN);
  } finally {
    running = null;
    setRunning(false);
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block);
      yield [name, JSON.parse(data)];
    }
  }
}

function plan(lines) {
  list.replaceChildren(
    ...lines.map(({ id, name }) => {
      const item = template.content.firstElementChild.cloneNode(true);
      item.dataset.id = id;
      item.querySelector("h3").textContent = name;
      return item;
    }),
  );
  beginNext();
}

function show(line) {
  const item = list.querySelector(`[data-id='${CSS.escape(line.id)}']`);
  item.dataset.status = line.status;
  item.querySelector(".state").textContent = line.status;
  item.querySelector(".detail").textContent = line.detail;
  item.querySelector(".advice").textContent = line.advice;
  beginNext();
}

/** The first line that nothing is known of is the one being looked at; loading a model can take minutes. */
function beginNext() {
  clearInterval(clock);
  const item = list.querySelector("[data-status='waiting']");
  if (!item) return;
  item.dataset.status = "checking";
  const state = item.querySelector(".state");
  const began = performance.now();
  const tick = () => {
    const seconds = Math.floor((performance.now() - began) / 1000);
    state.textContent = seconds ? `checking, ${seconds} s` : "checking";
  };
  tick();
  clock = setInterval(tick, 1000);
}

function setRunning(isRunning) {
  start.disabled = isRunning;
  stop.hidden = !isRunning;
  list.setAttribute("aria-busy", String(isRunning));
  if (isRunning) {
    stop.focus();
    return;
  }
  clearInterval(clock);
  for (const item of list.querySelectorAll("[data-status='checking']")) {
    item.dataset.status = "waiting";
    item.querySelector(".state").textContent = "not checked";
  }
  start.textContent = "Check again";
  if (document.activeElement === document.body || document.activeElement === stop) start.focus();
}

function say(text, status = "") {
  summary.textContent = text;
  summary.dataset.status = status;
}
