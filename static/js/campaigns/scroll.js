// The page follows the end of the story only while the reader is there.

const NEAR = 64;
let isAtEnd = true;

const measure = () => {
  isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - NEAR;
};
addEventListener("scroll", measure, { passive: true });
addEventListener("resize", () => keepEnd());

export function toEnd() {
  scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  isAtEnd = true;
}

/** A story is begun from its title. */
export const fromTop = measure;

/** Not while another take than the story's is looked at: that turn is what is read then, and it holds still. */
export function keepEnd() {
  if (isAtEnd && !document.querySelector(".turn[data-viewing]:not(.retold)")) toEnd();
}
