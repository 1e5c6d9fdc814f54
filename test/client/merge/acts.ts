import { joinNodes, splitNode } from "../../../client/lib/edit/name-surgery.ts";
import { applyTyping } from "../../../client/lib/edit/typed-text.ts";
import type { Layout } from "../../../src/core/node/layout.ts";
import { ROOT } from "../../../src/core/node-key.ts";
import { plant } from "../../support/outline-notation.ts";
import type { Act, Ask } from "./scene.ts";

// What people do on a device.

export const rename =
  (line: string, name: string): Act =>
  ({ outline }, at) =>
    void outline.update(at(line), { name });
export const note =
  (line: string, text: string): Act =>
  ({ outline }, at) =>
    void outline.update(at(line), { note: text });
export const append =
  (line: string, text: string): Act =>
  ({ outline }, at) =>
    void outline.editText(at(line), "name", (name) => name.insert(name.length, text));
/** Types over a part of a name. */
export const typeOver =
  (line: string, said: string, insert: string): Act =>
  ({ outline }, at) =>
    void outline.editText(at(line), "name", (name) => {
      const start = name.toJSON().indexOf(said);
      applyTyping(name, { at: start, remove: said.length, insert });
    });
export const move =
  (line: string, parent: string): Act =>
  ({ outline }, at) =>
    void outline.move(at(line), { parent: at(parent) });
export const toTheEnd =
  (line: string): Act =>
  ({ outline }, at) =>
    void outline.move(at(line), { parent: ROOT, position: "bottom" });
export const trash =
  (line: string): Act =>
  ({ outline, seen }, at) =>
    void outline.trash(at(line), seen);
export const restore =
  (line: string): Act =>
  ({ outline }, at) =>
    void outline.restore(at(line));
/** Deletes for good what is in the trash. */
export const discard =
  (line: string): Act =>
  ({ outline, seen }, at) =>
    void outline.discard(at(line), seen);
export const add =
  (lines: string, parent?: string): Act =>
  ({ outline }, at) =>
    void plant(outline, lines, parent === undefined ? ROOT : at(parent));
export const layout =
  (line: string, as: Layout): Act =>
  ({ outline }, at) =>
    void outline.update(at(line), { layout: as });
export const complete =
  (line: string, isCompleted = true): Act =>
  ({ outline }, at) =>
    void outline.setCompleted(at(line), isCompleted);
export const shortcut =
  (name: string, line: string): Act =>
  ({ outline }, at) =>
    void outline.setShortcut(name, at(line));
export const weekStart =
  (day: 0 | 1 | 3 | 6): Act =>
  ({ outline }) =>
    void outline.configure({ weekStart: day });
export const split =
  (line: string, place: number): Act =>
  ({ outline }, at) => {
    const key = at(line);
    const to = { parent: ROOT, position: { after: key } };
    outline.doc.transact(() => splitNode(outline, key, place, to));
  };
/** Backspace at the start of a line. */
export const join =
  (line: string, into: string): Act =>
  ({ outline, seen }, at) =>
    outline.doc.transact(() => {
      joinNodes(outline, at(line), at(into));
      outline.trash(at(line), seen);
    });
export const both =
  (...acts: readonly Act[]): Act =>
  (...args) => {
    for (const act of acts) act(...args);
  };

// What programs ask for.

export const deleted =
  (line: string): Ask =>
  (_, id) => ["DELETE", `/nodes/${id(line)}`];
export const told =
  (line: string, body: object): Ask =>
  (_, id) => ["POST", `/nodes/${id(line)}`, body];
export const did =
  (line: string, what: "complete" | "uncomplete"): Ask =>
  (_, id) => ["POST", `/nodes/${id(line)}/${what}`];
export const moved =
  (line: string, parent: string): Ask =>
  (_, id) => ["POST", `/nodes/${id(line)}/move`, { parent_id: id(parent) }];
export const added =
  (name: string, parent: string | undefined, position = "bottom"): Ask =>
  (_, id) => {
    const below = parent === undefined ? {} : { parent_id: id(parent) };
    return ["POST", "/nodes", { name, position, ...below }];
  };
export const pointed =
  (key: string, line: string): Ask =>
  (_, id) => ["POST", "/targets", { key, id: id(line) }];
export const set =
  (settings: object): Ask =>
  () => ["POST", "/settings", settings];
export const asked =
  (method: string, path: string, body?: object): Ask =>
  () =>
    body === undefined ? [method, path] : [method, path, body];
