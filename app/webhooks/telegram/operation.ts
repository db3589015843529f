import type { Foreign } from "@/lib/api/openapi/operation";

export const POST: Foreign = { protocol: "Telegram Bot API", access: "signature" };
