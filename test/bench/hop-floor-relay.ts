/**
 * The floor of what passes requests on: bytes that go from one socket to another and back, whatever
 * they say. Writes where it listens.
 */
import { type AddressInfo, connect, createServer } from "node:net";
import { env } from "node:process";

const port = Number(env["RELAY_TO"]);
const server = createServer({ noDelay: true }, (client) => {
  const other = connect({ port, host: "127.0.0.1", noDelay: true });
  client.on("error", () => other.destroy()).pipe(other);
  other.on("error", () => client.destroy()).pipe(client);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
