import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { sendRawRequests } from "./raw-socket";

it("a stream that ends together with its head is one answer", async () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  const server = createServer((socket) => socket.once("data", () => socket.end(`${head}0\r\n\r\n`)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const request = Buffer.from("GET /api/stream HTTP/1.1\r\nHost: x\r\n\r\n");
  const heard = await sendRawRequests(
    { host: "127.0.0.1", port },
    { pieces: [request], methods: ["GET"], ending: "end", patienceMs: 5_000 },
  );
  expect(heard.answers).toMatchObject([{ status: 200, isStream: true }]);
  server.close();
});
