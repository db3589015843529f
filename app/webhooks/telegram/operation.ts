import type { ForeignEndpoint } from "@/lib/api/openapi/operation";

export const POST: ForeignEndpoint = { protocol: "Telegram Bot API", access: "signature" };
