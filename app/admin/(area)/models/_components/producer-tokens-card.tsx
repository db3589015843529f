import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { Link } from "@/app/_components/link";
import { SecretOnce } from "@/app/_components/secret-once";
import { formatInstant } from "@/app/_components/times";
import { ActionDialog, ActionForm } from "@/app/admin/_components/allowed";
import type { FormState } from "@/app/admin/_components/flash-notice";
import type { ProducerTokenRow } from "@/db/queries/producer-tokens";
import { adminPaths, paths } from "@/lib/paths";

/** The tokens that model servers send signals with, and the form for another one. */
export function ProducerTokensCard({
  tokens,
  fresh,
  form,
}: {
  tokens: readonly ProducerTokenRow[];
  fresh: { name: string; token: string } | null;
  form: FormState;
}) {
  return (
    <Card
      title="Producer tokens"
      lead="Your own model sends signals, models, features and candles with a token for the slots you name. The token allows nothing else, so the model's server does not need the administrator secret."
    >
      <div className="space-y-6">
        {fresh !== null && (
          <SecretOnce
            name={`token for ${fresh.name}`}
            secret={fresh.token}
            continueHref={adminPaths.models()}
            continueLabel="Done"
          />
        )}
        {tokens.length > 0 && (
          <ul className="divide-y border-y text-sm">
            {tokens.map((token) => (
              <li key={token.id} className="flex flex-wrap items-center justify-between gap-3 py-3">
                <div className="min-w-0">
                  <p className="font-medium">
                    {token.name} <code className="font-mono text-xs text-muted">{token.hint}</code>
                  </p>
                  <p className="break-words text-muted">{token.slots}</p>
                  <p className="text-muted">{usageOf(token)}</p>
                </div>
                {token.revokedAt === null && (
                  <ActionDialog
                    needs="producer-token.revoke"
                    trigger="Revoke"
                    triggerVariant="quiet"
                    triggerSize="small"
                    title={`Revoke the token of ${token.name}?`}
                    consequence="Its server can send nothing from the next call on. Signals that it sent stay."
                    confirmLabel="Revoke"
                    action={adminPaths.modelsForm("revoke-token")}
                    fields={{ id: String(token.id) }}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
        <ActionForm
          needs="producer-token.create"
          action={adminPaths.modelsForm("create-token")}
          className="space-y-4"
        >
          <TextInput
            label="Name of the server"
            name="name"
            required
            maxLength={40}
            defaultValue={form.values.name}
            error={form.errors.name}
            hint="Shown in the audit log beside what it sends."
          />
          <TextArea
            label="Slots"
            name="slots"
            required
            maxLength={4000}
            placeholder="EURUSD/H1, XAUUSD/H1"
            defaultValue={form.values.slots}
            error={form.errors.slots}
            hint="Symbol and timeframe, separated by commas or lines."
          />
          <Button type="submit">Create token</Button>
        </ActionForm>
        <p className="text-sm text-muted">
          How to connect a model:{" "}
          <Link href={paths.docs("own-model")} className="link">
            Your own model
          </Link>
          .
        </p>
      </div>
    </Card>
  );
}

function usageOf({ revokedAt, lastUsedAt }: ProducerTokenRow): string {
  if (revokedAt !== null) return `revoked ${formatInstant(revokedAt)}`;
  return lastUsedAt === null ? "never used" : `last used ${formatInstant(lastUsedAt)}`;
}
