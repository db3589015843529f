import { z } from "zod";

/** An update of Telegram's Bot API. Only its id is validated. */
export const TelegramUpdate = z.looseObject({ update_id: z.int().min(0) });
export type TelegramUpdate = z.output<typeof TelegramUpdate>;

export const TelegramUpdateAnswer = z.strictObject({ ok: z.literal(true) });
