import { text } from "node:stream/consumers";
import { z, type ZodType } from "zod";
import type { Principal } from "../../accounts/principal.ts";
import type { Problem } from "../problem.ts";
import type { ScopedOutline } from "../scoped-outline.ts";
import { type Service, streamingPieces } from "../service.ts";
import { shaped } from "../shaped.ts";

/** Who calls a tool, and what it works with. */
export interface ToolCall {
  readonly principal: Principal;
  readonly service: Service;
}

/** What a tool has done. */
export interface ToolAnswer<Output = object> {
  readonly kind: "answer";
  readonly output: Output;
  /** The same for models that are shown no structure. */
  readonly text: string;
}

/** As the protocol knows it. */
type JsonSchema = { readonly type: "object" } & Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** It changes the outline: a key that may only read has no such tool. */
  readonly isWriting: boolean;
  readonly isDestructive: boolean;
  readonly run: (input: unknown, call: ToolCall) => Promise<ToolAnswer | Problem>;
}

interface ToolSource<Input, Output> extends Pick<
  Tool,
  "name" | "title" | "description" | "isWriting" | "isDestructive"
> {
  readonly input: ZodType<Input>;
  readonly output: ZodType<Output>;
  /** Schemas that those of the input refer to as components. */
  readonly components?: Readonly<Record<string, ZodType>>;
  readonly run: (input: Input, call: ToolCall) => Promise<ToolAnswer<Output> | Problem>;
}

/** Makes a tool of its parts; what it is called with is checked by the schema that documents it. */
export function defineTool<Input, Output extends object>(source: ToolSource<Input, Output>): Tool {
  const { input, output, components = {}, run, ...description } = source;
  return {
    ...description,
    inputSchema: jsonSchemaOf(input, components),
    outputSchema: jsonSchemaOf(output, {}),
    async run(value, call) {
      const read = shaped(input, value);
      return read.kind === "problem" ? read : run(read.value, call);
    },
  };
}

/** The JSON that a piece of work over the outline makes, in turns of whom it is for. */
export async function madeInTurns(
  { principal, service }: ToolCall,
  piecesOf: (view: ScopedOutline) => Iterator<string>,
): Promise<unknown> {
  return JSON.parse(await text(await streamingPieces(service, principal, ["", ""], piecesOf)));
}

function jsonSchemaOf(schema: ZodType, components: Readonly<Record<string, ZodType>>): JsonSchema {
  const definitions = Object.entries(components).map(([name, each]) => [name, bareSchema(each)]);
  const whole = {
    ...bareSchema(schema),
    type: "object",
    ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
  };
  return JSON.parse(
    JSON.stringify(whole).replaceAll("#/components/schemas/", "#/$defs/"),
  ) as JsonSchema;
}

function bareSchema(schema: ZodType): object {
  const { $schema: _dialect, ...bare } = z.toJSONSchema(schema, { io: "input" });
  return bare;
}
