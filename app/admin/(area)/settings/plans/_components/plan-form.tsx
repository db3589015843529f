import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Checkbox } from "@/app/_components/form/checkbox";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { formState } from "@/app/admin/_components/flash-notice";
import { FormVersionField } from "@/app/admin/(area)/settings/_components/form-version";
import { PreviewNotice } from "@/app/admin/(area)/settings/_components/preview-notice";
import type { Plan } from "@/db/queries/plans";
import type { Flash } from "@/lib/auth/flash";
import { adminPaths } from "@/lib/paths";

export const PLAN_FORM_NAME = "plan.save";

/** The fields of an existing plan or of a new one. */
export function PlanForm({ plan, flash }: { plan: Plan | null; flash: Flash | null }) {
  const form = formState(flash, PLAN_FORM_NAME);
  const values = form.returned ? form.values : valuesOf(plan);
  const field = (name: string) => ({ name, defaultValue: values[name], error: form.errors[name] });
  const box = (name: string) => ({ name, value: "true", defaultChecked: values[name] === "true" });
  return (
    <ActionForm
      needs="plan.save"
      action={adminPaths.savePlan(plan?.name ?? "new")}
      className="max-w-3xl space-y-6"
    >
      <PreviewNotice flash={flash} form={PLAN_FORM_NAME} />
      {plan && <FormVersionField form={form} stored={plan} />}
      <Card title="Name and order">
        <div className="grid gap-5 sm:grid-cols-2">
          {!plan && (
            <TextInput
              {...field("name")}
              label="Name in the API"
              required
              maxLength={24}
              spellCheck={false}
              hint="The value of plan_tier. Lower-case letters; it cannot be changed later."
            />
          )}
          <TextInput {...field("title")} label="Title" required maxLength={60} />
          <TextInput
            {...field("rank")}
            label="Rank"
            required
            inputMode="numeric"
            hint="If a subscriber has several plans, the one with the highest rank is named. Built-in: telegram 100, basic 200, pro 300."
          />
          <TextInput {...field("for_whom")} label="For whom" maxLength={200} className="sm:col-span-2" />
        </div>
      </Card>
      <Card title="Scope">
        <div className="grid gap-5 sm:grid-cols-2">
          <TextInput
            {...field("symbols")}
            label="Symbols"
            placeholder="EURUSD, XAUUSD"
            autoCapitalize="characters"
            spellCheck={false}
            hint="Blank: all."
          />
          <TextInput
            {...field("timeframes")}
            label="Timeframes"
            placeholder="H1, H4"
            autoCapitalize="characters"
            spellCheck={false}
            hint="Blank: all."
          />
          <TextInput
            {...field("rate_limit_per_min")}
            label="Requests per minute"
            required
            inputMode="numeric"
          />
        </div>
        <fieldset className="mt-5 grid gap-3 sm:grid-cols-2">
          <legend className="mb-2 text-sm font-medium">Includes</legend>
          <Checkbox {...box("long_poll")} label="Long polling" />
          <Checkbox {...box("stream")} label="The stream" />
          <Checkbox {...box("webhooks")} label="Webhooks" />
          <Checkbox {...box("telegram")} label="Signals in Telegram and Discord" />
        </fieldset>
        <Checkbox
          {...box("trading_client")}
          label="For trading clients"
          hint="Off: its buyers are asked to link a Telegram chat. They are not asked to connect MetaTrader."
          className="mt-5"
        />
      </Card>
      <Card title="Sale">
        <div className="grid gap-5 sm:grid-cols-2">
          <TextInput
            {...field("price_text")}
            label="Price shown"
            maxLength={60}
            placeholder="49 EUR a month"
            hint="Blank: none."
          />
          <TextInput
            {...field("shop_url")}
            label="Shop address"
            type="url"
            maxLength={500}
            hint="Blank: the site's shop."
          />
          <Checkbox {...box("is_shown")} label="Offered on the site" className="sm:col-span-2" />
        </div>
      </Card>
      <div className="flex flex-wrap gap-2">
        <Button type="submit">Preview</Button>
        <LinkButton href={adminPaths.plans()} variant="quiet">
          Cancel
        </LinkButton>
      </div>
    </ActionForm>
  );
}

const NEW = {
  long_poll: "true",
  stream: "true",
  telegram: "true",
  trading_client: "true",
  is_shown: "true",
  rate_limit_per_min: "60",
};

function valuesOf(plan: Plan | null): Record<string, string> {
  if (!plan) return NEW;
  return {
    title: plan.title,
    for_whom: plan.forWhom,
    rank: String(plan.rank),
    symbols: plan.symbols?.join(", ") ?? "",
    timeframes: plan.timeframes?.join(", ") ?? "",
    rate_limit_per_min: String(plan.rateLimitPerMin),
    long_poll: String(plan.longPoll),
    stream: String(plan.stream),
    webhooks: String(plan.webhooks),
    telegram: String(plan.telegram),
    trading_client: String(plan.tradingClient),
    price_text: plan.priceText ?? "",
    shop_url: plan.shopUrl ?? "",
    is_shown: String(plan.isShown),
  };
}
