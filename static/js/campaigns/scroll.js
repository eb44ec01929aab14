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

export function keepEnd() {
  if (isAtEnd) toEnd();
}
