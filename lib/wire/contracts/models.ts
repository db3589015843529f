import { z } from "zod";
import { SymbolCode, TimeframeCode, Timestamp } from "./shared";

export const Model = z
  .strictObject({
    symbol: SymbolCode,
    tf_code: TimeframeCode,
    model_v: z.string(),
    auc_wf: z
      .number()
      .nullable()
      .meta({ description: "Walk-forward AUC, out of sample; null if not measured" }),
    pf_wf: z
      .number()
      .nullable()
      .meta({ description: "Walk-forward profit factor after costs; null if not measured" }),
    is_active: z.boolean(),
    trained_at: Timestamp,
  })
  .meta({ id: "Model" });

export const ModelList = z.strictObject({ count: z.int(), models: z.array(Model) }).meta({ id: "ModelList" });
