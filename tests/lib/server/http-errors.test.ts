import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { installMalformedRequestHandler } from "@/lib/server/http-errors";
import { RequestPipeline } from "@/lib/server/request-pipeline";

it("a client that disconnects during a response adds no listener to the response", async () => {
  const pipeline = new RequestPipeline(
    () => {},
    () => {},
  );
  const server = createServer(pipeline.take);
  installMalformedRequestHandler(server, pipeline);
  const [started, failed] = [once(server, "request"), once(server, "clientError")];
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [, response] = (await started) as [IncomingMessage, ServerResponse];
  const before = response.listenerCount("close");
  client.resetAndDestroy();
  await failed;
  expect(response.listenerCount("close")).toBeLessThanOrEqual(before);
  server.close();
});
