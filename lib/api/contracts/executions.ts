import { z } from "zod";
import { ExactInteger } from "./shared";

export const ExecutionRecorded = z.strictObject({
  ok: z.literal(true),
  action: z.enum(["created", "updated"]),
  exec_id: z.int(),
  ticket: ExactInteger,
});
