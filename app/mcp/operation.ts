import type { ForeignEndpoint } from "@/lib/api/openapi/operation";

export const POST: ForeignEndpoint = { protocol: "Model Context Protocol", access: "key" };
