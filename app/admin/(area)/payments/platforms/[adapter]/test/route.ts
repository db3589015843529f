import { PLATFORM_LABELS } from "@/app/admin/_components/payment-labels";
import { formRoute, NoFields } from "@/lib/auth/form-route";
import { adminOnly } from "@/lib/auth/guards";
import { adminPaths } from "@/lib/paths";
import { findAdapter } from "@/lib/payments/adapters/find-adapter";
import { sendTestDelivery } from "@/lib/payments/send-test-delivery";
import { AppError } from "@/lib/wire/errors";

/** POST: sends a delivery that changes nothing through the public address of a platform. */
export const POST = formRoute({
  name: "payment.test",
  guard: adminOnly,
  fields: NoFields,
  page: (_: { adapter: string }) => adminPaths.platforms(),
  act: async ({ params }) => {
    const adapter = findAdapter(params.adapter);
    if (!adapter) throw new AppError("not_found", { detail: "There is no payment platform of this name." });
    const answer = await sendTestDelivery(adapter.name, new Date());
    const name = PLATFORM_LABELS[adapter.name];
    const text =
      answer === null
        ? `The test for ${name} got no answer: check BASE_URL and the proxy in front of the service.`
        : answer.status === 200
          ? `The test for ${name} arrived and changed nothing.`
          : `The test for ${name} was answered with ${answer.status}: check BASE_URL and the proxy in front of the service.`;
    return {
      to: adminPaths.platforms(),
      flash: { kind: answer?.status === 200 ? "done" : "failed", text },
    };
  },
});
