// The page's socket: it reconnects by itself, ever more slowly, and at once when the reader comes back.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
const PING_EVERY = 25_000;
const NO_USE = [4401, 4404]; // signed out, or no such campaign: trying again would not help

// Browsers make UUIDs only on this machine or under TLS; a friend on the local network plays too.
export const newRequestId = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

export class Socket {
  #socket = null;
  #wait = FIRST_WAIT;
  #timer = 0;

  constructor(path, { onFrame, onDown }) {
    this.url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    this.onFrame = onFrame;
    this.onDown = onDown;
    setInterval(() => this.send({ type: "ping" }), PING_EVERY);
    for (const name of ["online", "pageshow"]) addEventListener(name, () => this.#now());
    document.addEventListener("visibilitychange", () => document.hidden || this.#now());
    this.#connect();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  send(frame) {
    if (this.isOpen) this.#socket.send(JSON.stringify(frame));
  }

  #now() {
    if (this.#socket !== null) return;
    clearTimeout(this.#timer);
    this.#connect();
  }

  #connect() {
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    socket.onmessage = (event) => {
      this.#wait = FIRST_WAIT;
      this.onFrame(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      this.#socket = null;
      this.onDown();
      if (NO_USE.includes(event.code)) return;
      this.#timer = setTimeout(() => this.#connect(), this.#wait);
      this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
    };
  }
}
