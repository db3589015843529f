import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { TextInput } from "@/app/_components/form/text-input";
import { Link } from "@/app/_components/link";
import { SecretOnce } from "@/app/_components/secret-once";
import { formatInstant } from "@/app/_components/times";
import { ActionDialog, ActionForm } from "@/app/admin/_components/allowed";
import type { FormState } from "@/app/admin/_components/flash-notice";
import type { FeedTokenRow } from "@/db/queries/feed-tokens";
import { adminPaths, paths } from "@/lib/paths";

/** The tokens that terminals send candles with, and the form for another one. */
export function TokenCard({
  tokens,
  fresh,
  form,
}: {
  tokens: readonly FeedTokenRow[];
  fresh: { name: string; token: string } | null;
  form: FormState;
}) {
  return (
    <Card
      title="Tokens for terminals"
      lead="CandlePusher sends the closed bars of MetaTrader's charts. Its token allows nothing else, so it is safe on any machine."
    >
      <div className="space-y-6">
        {fresh !== null && (
          <SecretOnce
            name={`token for ${fresh.name}`}
            secret={fresh.token}
            continueHref={adminPaths.feeds()}
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
                  <p className="text-muted">
                    {token.revokedAt !== null
                      ? `revoked ${formatInstant(token.revokedAt)}`
                      : token.lastUsedAt === null
                        ? "never used"
                        : `last used ${formatInstant(token.lastUsedAt)}`}
                  </p>
                </div>
                {token.revokedAt === null && (
                  <ActionDialog
                    needs="feed-token.revoke"
                    trigger="Revoke"
                    triggerVariant="quiet"
                    triggerSize="small"
                    title={`Revoke the token of ${token.name}?`}
                    consequence="Its terminal sends nothing more from the next call on. Candles that it sent stay."
                    confirmLabel="Revoke"
                    action={adminPaths.feedsForm("revoke-token")}
                    fields={{ id: String(token.id) }}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
        <ActionForm
          needs="feed-token.create"
          action={adminPaths.feedsForm("create-token")}
          className="space-y-4"
        >
          <TextInput
            label="Name of the terminal"
            name="name"
            required
            maxLength={40}
            defaultValue={form.values.name}
            error={form.errors.name}
            hint="Shown beside the candles that it brings."
          />
          <Button type="submit">Make a token</Button>
        </ActionForm>
        <p className="text-sm text-muted">
          Download{" "}
          <Link href={paths.eaKitFile("CandlePusher.mqh")} className="link">
            CandlePusher.mqh
          </Link>
          , and into the same folder{" "}
          <Link href={paths.eaKitFile("CandlePusher.mq5")} className="link">
            CandlePusher.mq5
          </Link>{" "}
          for MetaTrader 5 or{" "}
          <Link href={paths.eaKitFile("CandlePusher.mq4")} className="link">
            CandlePusher.mq4
          </Link>{" "}
          for MetaTrader 4.
        </p>
      </div>
    </Card>
  );
}
