import { makeApiClient } from "@/lib/api/client";
import { interfaceApp } from "@/lib/server/interface-app";
import { MOUNTS } from "@/lib/server/mounts";

const app = interfaceApp(MOUNTS);

/** The typed API client, answered by the handlers in this process. */
export function clientFor(access: { apiKey?: string; adminSecret?: string }) {
  return makeApiClient({
    baseUrl: "http://localhost",
    fetch: async (request) => app.fetch(request),
    ...access,
  });
}
