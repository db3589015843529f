import type { Foreign } from "@/lib/api/openapi/operation";

export const POST: Foreign = { protocol: "Model Context Protocol", access: "key" };
