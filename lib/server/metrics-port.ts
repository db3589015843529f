import { createServer, type Server } from "node:http";
import { readGauges } from "@/lib/health/read-gauges";
import { errorFacts, log } from "@/lib/runtime/log";
import { prometheusText } from "@/lib/runtime/prometheus";

/**
 * Answers GET /metrics without a secret on a separate port, for a network that only Prometheus reaches. It never keeps the
 * process alive.
 */
export function openMetricsPort(port: number, host: string): Server {
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url?.split("?", 1)[0] !== "/metrics") {
      response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end("Only GET /metrics.\n");
      return;
    }
    readGauges()
      .then((readings) => prometheusText(readings))
      .then(
        ({ text, contentType }) => response.writeHead(200, { "Content-Type": contentType }).end(text),
        (error: unknown) => {
          log("error", "the metrics could not be written", { error: errorFacts(error) });
          response.writeHead(500).end();
        },
      );
  });
  server.on("error", (error) => log("error", "the metrics port failed", { error: errorFacts(error) }));
  server.listen(port, host);
  server.unref();
  return server;
}
