import { z } from "zod";
import { db } from "@/db/client";
import { issueProducerToken, revokeProducerToken } from "@/lib/access/producer-tokens";
import { promoteModel, retireModel, setSecondModelEnabled } from "@/lib/admin/choose-forecaster";
import { IdField, SlotList, SymbolField, TimeframeField, TokenName } from "@/lib/admin/form-fields";
import { formRoute } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { dispatchByIntent } from "@/lib/auth/intents";
import { adminPaths } from "@/lib/paths";

const common = { guard: adminOnly, page: () => adminPaths.models() };

/** POST: promotes and retires models, starts and stops comparisons, and creates and revokes tokens of model servers. */
export const POST = dispatchByIntent({
  /** Creates a token, which the next page shows once. */
  "create-token": formRoute({
    ...common,
    name: "producer-token.create",
    fields: z.object({
      name: TokenName,
      slots: SlotList,
    }),
    act: async ({ values: { name, slots }, actor }) => ({
      to: `${adminPaths.models()}#tokens`,
      flash: {
        kind: "producer-token",
        name,
        token: await issueProducerToken(db(), { name, slots }, actor),
      },
    }),
  }),

  promote: formRoute({
    ...common,
    name: "model.promote",
    fields: z.object({ id: IdField }),
    act: async ({ values, actor }) => {
      const { symbol, timeframe, modelV } = await promoteModel(db(), values.id, actor);
      return {
        to: adminPaths.model(symbol, timeframe),
        flash: {
          kind: "done",
          text: `${modelV} is the champion of ${symbol} ${timeframe} from its next candle on.`,
        },
      };
    },
  }),

  retire: formRoute({
    ...common,
    name: "model.retire",
    fields: z.object({ id: IdField }),
    act: async ({ values, actor }) => {
      const { symbol, timeframe, modelV } = await retireModel(db(), values.id, actor);
      return {
        to: adminPaths.model(symbol, timeframe),
        flash: { kind: "done", text: `${modelV} is retired. ${symbol} ${timeframe} has no model now.` },
      };
    },
  }),

  /** Starts or stops the comparison with the other kind of model. */
  beside: formRoute({
    ...common,
    name: "model.beside",
    fields: z.object({
      symbol: SymbolField,
      timeframe: TimeframeField,
      kept: z.enum(["true", "false"], "must be true or false"),
    }),
    act: async ({ values: { symbol, timeframe, kept }, actor }) => {
      await setSecondModelEnabled(db(), { symbol, timeframe }, kept === "true", actor);
      return {
        to: adminPaths.model(symbol, timeframe),
        flash: {
          kind: "done",
          text:
            kept === "true"
              ? "Both models forecast now. Signals of the champion are delivered."
              : "Only the champion forecasts now.",
        },
      };
    },
  }),

  "revoke-token": formRoute({
    ...common,
    name: "producer-token.revoke",
    fields: z.object({ id: IdField }),
    act: async ({ values, actor }) => {
      await revokeProducerToken(db(), values.id, actor);
      return "Token revoked. It stops working at once.";
    },
  }),
});
