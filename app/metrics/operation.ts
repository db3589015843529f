import type { ForeignEndpoint } from "@/lib/api/openapi/operation";

export const GET: ForeignEndpoint = { protocol: "Prometheus", access: "admin" };
