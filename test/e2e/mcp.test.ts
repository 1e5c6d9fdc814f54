import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { useProgramFolder } from "./program-folder.ts";
import { PROGRAM } from "./server-process.ts";

const program = useProgramFolder();

test.each(["legacy", "auto"] as const)(
  "[C26] an assistant that starts the program reads and writes, %s",
  async (mode) => {
    const server = await program.start();
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, "mcp", "--url", server.url],
      env: { OUTLINE_API_KEY: server.key },
    });
    await client.connect(transport);
    await client.callTool({ name: "outline_add", arguments: { text: "milk" } });
    const { content } = await client.callTool({
      name: "outline_read",
      arguments: { ref: "inbox" },
    });
    expect(content).toMatchObject([{ text: expect.stringContaining("- milk ^") }]);
    await client.close();
  },
);
