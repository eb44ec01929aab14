// Narration as nodes while it streams: the same tiny subset as campaigns/templatetags/story_text.py.

const PARAGRAPH_END = /\n[^\S\n]*\n\s*/;
const SCENE_BREAK = /^(?:(?:\*[^\S\n]*){3,}|(?:-[^\S\n]*){3,})$/;
// An emphasis that is still open at the end of the text is shown as one: its mark does not flicker.
const MARKED = /\*\*(?!\s)([^*\n]+)(?:\*\*|\*?$)|\*(?!\s)([^*\n]+)(?:\*|$)/g;

export function blocksOf(text) {
  return text.replace(/^\s+/, "").split(PARAGRAPH_END);
}

export function blockNode(text) {
  if (SCENE_BREAK.test(text.trim())) {
    const line = document.createElement("hr");
    line.className = "scene-break";
    return line;
  }
  const paragraph = document.createElement("p");
  text.split("\n").forEach((words, index) => {
    if (index) paragraph.append(document.createElement("br"));
    paragraph.append(...inlineNodes(words));
  });
  return paragraph;
}

function inlineNodes(line) {
  const nodes = [];
  let end = 0;
  for (const match of line.matchAll(MARKED)) {
    nodes.push(line.slice(end, match.index));
    const node = document.createElement(match[1] ? "strong" : "em");
    node.textContent = match[1] ?? match[2];
    nodes.push(node);
    end = match.index + match[0].length;
  }
  nodes.push(line.slice(end).replace(/\*+$/, ""));
  return nodes;
}
