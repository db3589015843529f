import { formatNumber } from "@/app/_components/figures";
import { Checkbox } from "@/app/_components/form/checkbox";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { describeScope } from "@/lib/access/describe-scope";
import { plans } from "@/lib/access/plans";

/** Scope and limits of a key: the fields shared by the forms for a new and an existing key. */
export function PlanAndLimitsFields({
  values,
  errors,
}: {
  values: Record<string, string>;
  errors: Record<string, string>;
}) {
  // An unknown symbol is a warning, not an error: it may be entered before its candles arrive.
  const isConfirmed = values.symbols_to_come === "true";
  const isQuestioned = isConfirmed || errors.symbols_allowed?.includes("not known here");
  const limits = plans().map(({ title, rateLimitPerMin }) => `${title} ${formatNumber(rateLimitPerMin)}`);
  return (
    <>
      <Select
        label="Plan"
        name="plan_tier"
        options={plans().map((plan) => ({
          value: plan.name,
          label: `${plan.title}: ${describeScope(plan)}`,
        }))}
        defaultValue={values.plan_tier ?? "basic"}
        error={errors.plan_tier}
      />
      <TextInput
        label="Only these symbols"
        name="symbols_allowed"
        defaultValue={values.symbols_allowed}
        error={errors.symbols_allowed}
        placeholder="EURUSD, XAUUSD"
        hint="Blank: all of the plan."
        autoCapitalize="characters"
        spellCheck={false}
      />
      {isQuestioned && (
        <Checkbox
          className="sm:col-span-2"
          name="symbols_to_come"
          value="true"
          // Stays ticked if another field is refused, so that the administrator is not asked again.
          defaultChecked={isConfirmed}
          label="These symbols are right: their candles come later"
        />
      )}
      <TextInput
        label="Only these timeframes"
        name="tfs_allowed"
        defaultValue={values.tfs_allowed}
        error={errors.tfs_allowed}
        placeholder="H1, H4"
        hint="Blank: all of the plan."
        autoCapitalize="characters"
        spellCheck={false}
      />
      <TextInput
        label="Requests per minute"
        name="rate_limit_per_min"
        inputMode="numeric"
        defaultValue={values.rate_limit_per_min}
        error={errors.rate_limit_per_min}
        hint={`Blank: the plan's own (${limits.join(", ")}).`}
      />
    </>
  );
}
