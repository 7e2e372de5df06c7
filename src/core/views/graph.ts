// Who waits for whom, as text. Arrows go from a task to those that depend on it: the way the work flows.
import { oneLine } from "../../kit/escape.ts";
import type { TaskId } from "../../protocol/ids.ts";
import type { TaskLine } from "../../protocol/view.ts";
import { naturalKey } from "../ready-heap.ts";
import type { ReadonlyState } from "../state.ts";
import { taskLine } from "./status.ts";

export interface GraphNode extends Pick<TaskLine, "id" | "title" | "status" | "attempts" | "maxAttempts"> {
  readonly dependsOn: readonly TaskId[];
}

/** In the natural order of their ids. */
export const graphNodes = (state: ReadonlyState): readonly GraphNode[] =>
  [...state.tasks.values()]
    .map((task) => ({
      key: naturalKey(task.spec.id),
      node: { ...taskLine(task, state), dependsOn: task.spec.dependsOn },
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ node }) => node);

const marks: Record<TaskLine["status"], string> = {
  completed: "✓",
  in_progress: "▶",
  pending: "·",
  failed: "✗",
  blocked: "⊘",
};
const maxTitle = 120;
/** Deeper ones are not indented further: a chain of ten thousand tasks is still readable. */
const maxIndent = 30;

interface Branch {
  readonly node: GraphNode;
  readonly depth: number;
  /** What the lines below this one begin with. */
  readonly prefix: string;
  readonly isLast: boolean;
}

/** Each task below one it depends on; one that has several stands below the first and is only named below the others. */
export function treeGraph(nodes: readonly GraphNode[]): string {
  const dependents = dependentsIn(nodes);
  const known = new Set(nodes.map(({ id }) => id));
  const shown = new Set<TaskId>();
  const lines: string[] = [];
  const grow = (root: GraphNode): void => {
    const stack: Branch[] = [{ node: root, depth: 0, prefix: "", isLast: true }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const { node, depth, prefix, isLast } = top;
      const twig = depth === 0 ? "" : `${prefix}${isLast ? "└─ " : "├─ "}`;
      const isAgain = shown.has(node.id);
      const deep = depth > maxIndent ? `[level ${depth}] ` : "";
      lines.push(`${twig}${deep}${isAgain ? `↑ ${node.id}` : treeText(node)}`);
      if (isAgain) continue;
      shown.add(node.id);
      const below = dependents.get(node.id) ?? [];
      const next = depth === 0 || depth >= maxIndent ? prefix : `${prefix}${isLast ? "   " : "│  "}`;
      // Backwards, so that the first is taken first.
      for (const [at, one] of [...below.entries()].reverse()) {
        stack.push({ node: one, depth: depth + 1, prefix: next, isLast: at === below.length - 1 });
      }
    }
  };
  for (const node of nodes) if (!node.dependsOn.some((id) => known.has(id))) grow(node);
  // What is left waits for itself in a circle: no task of it comes first.
  for (const node of nodes) if (!shown.has(node.id)) grow(node);
  return lines.join("\n");
}

const treeText = ({ id, title, status, attempts, maxAttempts }: GraphNode): string =>
  `${marks[status]} ${id}: ${oneLine(title, maxTitle)} (${attempts}/${maxAttempts})`;

function dependentsIn(nodes: readonly GraphNode[]): ReadonlyMap<TaskId, readonly GraphNode[]> {
  const dependents = new Map<TaskId, GraphNode[]>(nodes.map(({ id }) => [id, []]));
  for (const node of nodes) {
    for (const dependency of new Set(node.dependsOn)) dependents.get(dependency)?.push(node);
  }
  return dependents;
}

const fills: Record<TaskLine["status"], string> = {
  completed: "#d3f2d3",
  in_progress: "#cfe8ff",
  pending: "#f2f2f2",
  failed: "#ffd0d0",
  blocked: "#fff0c0",
};

const label = ({ id, title }: GraphNode): string => `${id}: ${oneLine(title, maxTitle)}`;

/** Tasks are numbered: an id such as `end` would be a word of the language. */
export function mermaidGraph(nodes: readonly GraphNode[]): string {
  const names = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  return [
    "flowchart TD",
    ...nodes.map((node) => `  ${names.get(node.id)}["${mermaidText(label(node))}"]:::${node.status}`),
    ...edges(nodes).map(([from, to]) => `  ${names.get(from)} --> ${names.get(to)}`),
    ...Object.entries(fills).map(([status, fill]) => `  classDef ${status} fill:${fill},color:#000`),
  ].join("\n");
}

/** Whatever is no letter, digit or plain sign becomes a character code: nothing of a title is read as markup. */
const mermaidText = (text: string): string =>
  text.replace(/[^\p{L}\p{N} .,:_-]/gu, (character) => `#${character.codePointAt(0) ?? 0};`);

export function dotGraph(nodes: readonly GraphNode[]): string {
  return [
    "digraph plan {",
    "  node [shape=box, style=filled];",
    ...nodes.map((node) => `  "${node.id}" [label="${dotText(label(node))}", fillcolor="${fills[node.status]}"];`),
    ...edges(nodes).map(([from, to]) => `  "${from}" -> "${to}";`),
    "}",
  ].join("\n");
}

/** In a label backslashes and ampersands begin an escape. */
const dotText = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("&", "&amp;");

function edges(nodes: readonly GraphNode[]): readonly (readonly [TaskId, TaskId])[] {
  const known = new Set(nodes.map(({ id }) => id));
  return nodes.flatMap(({ id, dependsOn }) =>
    [...new Set(dependsOn)].filter((from) => known.has(from)).map((from) => [from, id] as const),
  );
}
