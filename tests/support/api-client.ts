import { makeApiClient } from "@/lib/api/client";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";

const app = apiApp(MOUNTS);

/** The typed API client, answered by the handlers in this process. */
export function clientFor(access: { apiKey?: string; adminSecret?: string }) {
  return makeApiClient({
    baseUrl: "http://localhost",
    fetch: async (request) => app.fetch(request),
    ...access,
  });
}
