import { createServer, type Server, type ServerResponse } from "node:http";
import { errorFacts, log } from "@/lib/runtime/log";
import { type GaugeReading, prometheusText } from "@/lib/runtime/prometheus";

/** The functions that answer requests to the metrics port. */
export interface MetricsPortHandlers {
  readGauges(): Promise<GaugeReading[]>;
  /** The JSON response to a GET of any path but /metrics; null: 404. */
  probe?(path: string): Promise<{ status: number; body: object } | null>;
}

/**
 * Serves GET /metrics without a secret on a separate port, for a network that only Prometheus and supervisors reach.
 * It never keeps the process alive.
 */
export function openMetricsPort(port: number, host: string, answers: MetricsPortHandlers): Server {
  const server = createServer((request, response) => {
    const path = request.method === "GET" ? (request.url?.split("?", 1)[0] ?? "") : "";
    answer(path, response, answers).catch((error: unknown) => {
      log("error", "could not write the metrics", { error: errorFacts(error) });
      response.writeHead(500).end();
    });
  });
  server.on("error", (error) => log("error", "the metrics port failed", { error: errorFacts(error) }));
  server.listen(port, host);
  server.unref();
  return server;
}

async function answer(path: string, response: ServerResponse, answers: MetricsPortHandlers): Promise<void> {
  if (path === "/metrics") {
    const { text, contentType } = await prometheusText(await answers.readGauges());
    response.writeHead(200, { "Content-Type": contentType }).end(text);
    return;
  }
  const probed = await answers.probe?.(path);
  if (probed)
    response
      .writeHead(probed.status, { "Content-Type": "application/json", "Cache-Control": "no-store" })
      .end(JSON.stringify(probed.body));
  else response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end("Only GET /metrics.\n");
}
