import { Button } from "@/app/_components/button";
import { TextInput } from "@/app/_components/form/text-input";
import { Timestamp } from "@/app/_components/timestamp";
import { adminPaths } from "@/lib/paths";
import type { SecretState } from "@/lib/settings/service-secrets";
import { ActionDialog, ActionForm } from "./action-controls";
import type { FormState } from "./flash-notice";
import { SECRET_LABELS } from "./secret-labels";

/** Name of the form that stores a secret. */
export const SECRET_FORM = "secret.store";

/**
 * Where a secret of an external service comes from (the environment or this form), and the forms that store, replace
 * and remove it. The value is never shown. `triedBy` labels the test button; omit it if the page has another test.
 */
export function SecretField({
  state,
  form,
  hint,
  triedBy,
}: {
  state: SecretState;
  /** State of the form SECRET_FORM, which the secrets of a page share. */
  form: FormState;
  hint?: string;
  triedBy?: string;
}) {
  const { name, isSetByVariable, stored } = state;
  const { label } = SECRET_LABELS[name];
  return (
    <div className="space-y-3 text-sm">
      {isSetByVariable ? (
        <p>
          {label}: set by <code className="break-all">{name}</code>. Change it there.
          {stored && " The value stored here is not used."}
        </p>
      ) : (
        <p>
          {label}: {stored ? <Stored stored={stored} /> : "not set."}
        </p>
      )}
      {!isSetByVariable && (
        <ActionForm
          needs="secret.store"
          action={adminPaths.secretForm(name, "store")}
          className="flex flex-wrap items-start gap-3"
        >
          {/* Comes back with an error, so that the page marks the field of this secret. */}
          <input type="hidden" name="secret_name" value={name} />
          <TextInput
            label={stored ? `New ${lowered(label)}` : label}
            name="secret"
            type="password"
            autoComplete="new-password"
            spellCheck={false}
            required
            maxLength={1_000}
            hint={hint}
            error={form.values.secret_name === name ? form.errors.secret : undefined}
            className="max-w-md grow"
          />
          <Button type="submit" variant="secondary" className="mt-[26px]">
            {stored ? "Replace" : "Store"}
          </Button>
        </ActionForm>
      )}
      <div className="flex flex-wrap items-center gap-3">
        {triedBy !== undefined && (isSetByVariable || stored) && (
          <ActionForm needs="secret.try" action={adminPaths.secretForm(name, "try")}>
            <Button type="submit" variant="secondary" size="small">
              {triedBy}
            </Button>
          </ActionForm>
        )}
        {stored?.hasFormer && (
          <ActionDialog
            needs="secret.end_former"
            trigger="End the former secret"
            triggerVariant="quiet"
            triggerSize="small"
            title={`End the former ${lowered(label)}?`}
            consequence="Deliveries signed with it are refused at once. End it after the platform signs with the new one."
            confirmLabel="End it"
            action={adminPaths.secretForm(name, "end-former")}
          />
        )}
        {stored && (
          <ActionDialog
            needs="secret.remove"
            trigger="Remove"
            triggerVariant="quiet"
            triggerSize="small"
            title={`Remove the ${lowered(label)}?`}
            consequence={CONSEQUENCES[consequenceOf(name, isSetByVariable)]}
            confirmLabel="Remove"
            action={adminPaths.secretForm(name, "remove")}
          />
        )}
      </div>
    </div>
  );
}

function Stored({
  stored: { at, by, isReadable, hint, hasFormer },
}: {
  stored: NonNullable<SecretState["stored"]>;
}) {
  return (
    <>
      stored <Timestamp at={at} /> by {by ?? "the administrator secret"}
      {!isReadable && ", and cannot be opened with the encryption keys in use"}
      {hint !== "" && `, ${hint}`}.{hasFormer && " The former one is still accepted."}
    </>
  );
}

const CONSEQUENCES = {
  unused: "Nothing changes: the variable is used.",
  incoming: "Every delivery of the platform is refused from now on.",
  outgoing: "The service stops using it with the next call.",
} as const;

const consequenceOf = (name: string, isSetByVariable: boolean): keyof typeof CONSEQUENCES =>
  isSetByVariable ? "unused" : name.endsWith("_WEBHOOK_SECRET") ? "incoming" : "outgoing";

/** A label with a lower-case first letter, for use within a sentence; `API key` stays unchanged. */
const lowered = (label: string): string =>
  label.startsWith("API") ? label : label.charAt(0).toLowerCase() + label.slice(1);
