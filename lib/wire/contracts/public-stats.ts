import { z } from "zod";

export const PublicStats = z
  .strictObject({
    active_models: z.int(),
    total_signals_24h: z.int(),
    directional_signals_24h: z.int(),
    monitored_pairs: z.int().meta({ description: "Symbols with an active model" }),
    uptime_pct_30d: z.number(),
  })
  .meta({ id: "PublicStats" });

export type PublicStats = z.output<typeof PublicStats>;
