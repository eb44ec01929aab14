// The play page: frames come in over the socket, and each part of the page does its share.

import { setBusy, isBusy } from "./busy.js";
import * as composer from "./composer.js";
import * as editDraft from "./edit_draft.js";
import * as focus from "./focus.js";
import { listenToForms, postFields } from "./forms.js";
import * as keys from "./keys.js";
import { headKey, onSwap, refresh, tell, untell } from "./page.js";
import * as narrator from "./narrator.js";
import * as panels from "./panels.js";
import { newRequestId, Socket } from "./socket.js";
import { fromTop, toEnd } from "./scroll.js";
import * as state from "./state.js";
import * as storyPanel from "./story_panel.js";
import * as stream from "./stream.js";
import * as treeMap from "./tree_map.js";
import * as turns from "./turns.js";
import * as waiting from "./waiting.js";
import * as toasts from "../toasts.js";

const play = document.getElementById("play");
const announce = play.querySelector("[data-announce]");
const keyOf = ({ branch, depth, turn }) => `${branch}:${depth}:${turn}`;

let hasConnected = false;
let isLive = false;

const frames = {
  async hello(frame) {
    isLive = true;
    online.setOnline(true);
    setBusy(frame.active_request !== null);
    if (frame.active_request) {
      stream.begin(frame.active_request);
      if (!frame.active_request.partial) waiting.begin();
    } else stream.end();
    if (hasConnected || keyOf(frame.head) !== headKey() || frame.active_request) await refresh();
    if (hasConnected) composer.reconcile(frame.active_request !== null);
    hasConnected = true;
  },
  "turn.started"({ request }) {
    setBusy(true);
    untell();
    toasts.dismiss();
    announce.textContent = "";
    stream.begin(request);
    waiting.begin();
  },
  "turn.delta"({ request, text }) {
    waiting.heard();
    stream.add(request, text);
  },
  "turn.reasoning"({ request, text }) {
    waiting.heard();
    stream.addReasoning(request, text);
  },
  "turn.settling"({ request }) {
    stream.settle(request);
    if (stream.currentRequest() === request) waiting.settle();
  },
  "turn.accepted"({ request }) {
    finish(request, stream.streamedText());
    composer.accepted();
  },
  "turn.failed"({ request, detail }) {
    finish(request, `The turn did not come through. ${detail}`);
    composer.giveBack();
  },
  "turn.stopped"({ request, turn }) {
    finish(request, turn ? stream.streamedText() : "Stopped.");
    if (turn) composer.accepted();
    else composer.giveBack();
  },
  "head.moved": refresh,
  "story.changed": refresh,
  error({ detail }) {
    tell(detail);
    if (stream.currentRequest() === null) {
      setBusy(false);
      stream.willReplace(null);
    }
    composer.giveBack();
  },
};

function finish(request, words) {
  if (stream.currentRequest() !== null && stream.currentRequest() !== request) return;
  stream.end();
  waiting.end();
  setBusy(false);
  composer.free();
  announce.textContent = words;
  refresh().then(narrator.look);
}

const socket = new Socket(`/ws/campaigns/${play.dataset.campaign}/`, {
  onFrame: (frame) => frames[frame.type]?.(frame),
  onDown() {
    online.setOnline(false);
    if (isLive && stream.currentRequest() === null) setBusy(false);
    isLive = false;
    composer.holdOn();
  },
});

function send(frame) {
  if (!socket.isOpen) return false;
  socket.send(frame);
  setBusy(true);
  return true;
}

const online = composer.listen({ send, post: postFields });
listenToForms({
  retry: (turn) => send({ type: "turn.retry", request_id: newRequestId(), turn: Number(turn) }),
  stop: (button) => isBusy() && send({ type: "turn.stop", keep: button.dataset.stop === "keep" }),
});
turns.listen();
editDraft.listen();
narrator.listen();
focus.listen();
panels.listen();
storyPanel.listen();
state.listen();
keys.listen();
treeMap.listen();
treeMap.settle();
onSwap(treeMap.settle);
onSwap(composer.follow);
onSwap(storyPanel.settle);
onSwap(state.settle);
onSwap(toasts.raise);
onSwap(focus.settle);
composer.restore();
const isBegun = () => play.querySelectorAll("[data-region='turns'] > .turn, [data-streaming], .recovery").length > 1;
const isAtNow = !location.hash || location.hash === "#now";
if (isAtNow && isBegun()) toEnd();
else fromTop();
if (isAtNow && focus.isAtKeyboard()) composer.focus();
