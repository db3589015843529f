import type { Foreign } from "@/lib/api/openapi/operation";

export const GET: Foreign = { protocol: "Prometheus", access: "admin" };
