import type { BidiConnection } from "./bidi-connection.ts";
import type { InputMethod } from "./engine.ts";

/**
 * Firefox composes in the window that is in front as its own tests do: no page can, so the text input
 * processor is called where the browser's own windows are.
 */
export function firefoxInputMethod(connection: BidiConnection): InputMethod {
  const run = async (source: string): Promise<void> => {
    const { contexts } = await connection.send<{ contexts: readonly { context: string }[] }>(
      "browsingContext.getTree",
      { "moz:scope": "chrome", maxDepth: 0 },
    );
    const answer = await connection.send<{ type: string; exceptionDetails?: { text: string } }>(
      "script.evaluate",
      {
        expression: `(() => {
          const front = Services.focus.activeWindow;
          front.outlineTestInput ??= Cc["@mozilla.org/text-input-processor;1"].createInstance(
            Ci.nsITextInputProcessor,
          );
          const input = front.outlineTestInput;
          if (!input.hasComposition && !input.beginInputTransactionForTests(front)) {
            throw new Error("no input transaction");
          }
          ${source}
        })()`,
        target: { context: contexts[0]?.context },
        awaitPromise: false,
      },
    );
    if (answer.type === "exception") throw new Error(answer.exceptionDetails?.text);
  };
  return {
    begin: () =>
      run(`
        input.setPendingCompositionString("にh");
        input.appendClauseToPendingComposition(2, input.ATTR_RAW_CLAUSE);
        input.setCaretInPendingComposition(2);
        input.flushPendingComposition();
      `),
    choose: (character) => run(`input.commitCompositionWith(${JSON.stringify(character)});`),
  };
}
